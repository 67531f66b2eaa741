"""What a GameManager left in its working folder: where such files keep their logs, under names of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

MOST_FILES: Final = 20
MOST_BYTES: Final = 4 << 20
"""Of all logs of a match."""


def read_logs(folder: Path) -> str:
    """The text of the files below ``folder``: of a single one as it is, of several each under its name. Links are left alone."""
    texts: dict[str, str] = {}
    room = MOST_BYTES
    for path in _files(folder):
        if len(texts) == MOST_FILES or room <= 0:
            break
        try:
            with path.open("rb") as file:
                data = file.read(room)
        except OSError:
            continue
        room -= len(data)
        name = path.relative_to(folder).as_posix().encode("utf-8", "replace").decode("utf-8")
        texts[name] = data.decode("utf-8", "replace")
    if len(texts) == 1:
        return next(iter(texts.values()))
    return "\n".join(f"==> {name} <==\n{text}" for name, text in texts.items())


def _files(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = Path(parent, name)
            if path.is_file() and not path.is_symlink():
                yield path
