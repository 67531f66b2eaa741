"""Paths that people name: files to write that must not destroy others, and addresses where only a path can stand."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import NotFoundError, UserError, file_errors
from tiltyard_engine.texts.near_names import near_names

HEAD_BYTES: Final = 4096
"""How much of a file tells what it is."""
_ADDRESS: Final = re.compile(
    r"(?:git\+)?(?:https?|ssh|git|ftp|file):/+\S|[\w.-]+@[\w.-]+:\S|(?:www\.|(?:github|gitlab)\.com/)\S", re.IGNORECASE
)


def check_output(path: Path, what: str, is_one: Callable[[bytes], bool]) -> None:
    """Make sure that nothing else is destroyed by writing a file; to call before any work is done.

    A file of the kind that is written may be overwritten, and an empty one. Devices and pipes are written to.

    Args:
        path: the file to write.
        what: its kind, as in ``a replay``.
        is_one: whether a file that begins with these bytes, up to HEAD_BYTES of them, is of that kind.

    Raises:
        UserError: another kind of file is there, or a folder.
    """
    if path.is_dir():
        raise UserError(f"{path}: is a folder, expected the name of a file to write")
    if not path.is_file():
        return
    with file_errors(path, "read"), path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    if head and not is_one(head):
        raise UserError(f"{path}: exists and isn't {what}, so it is not overwritten; choose another name, or move it away")


def refuse_address(text: str) -> None:
    """Raise UserError for what names something on another machine, where a file or folder of this one is expected."""
    if _ADDRESS.match(text) and not Path(text).exists():
        raise UserError(f"{text}: is an address, expected a file or folder; download it first, then name what you have downloaded")


def near_path(path: Path) -> str:
    """``; did you mean maps/duel.txt?`` of what a path that leads nowhere may be a slip of; empty if there is nothing alike."""
    above = next((parent for parent in path.parents if parent.is_dir()), None)
    if above is None or path.exists():
        return ""
    name, *rest = path.relative_to(above).parts
    with suppress(OSError):
        there = sorted(other.name for other in above.iterdir())
        near = [above.joinpath(other, *rest) for other in near_names(name, there)]
        return next((f"; did you mean {other}?" for other in near if other.exists()), "")
    return ""


@contextmanager
def or_near_path(path: Path) -> Iterator[None]:
    """Where nothing is registered under a name, say also which path it may be a slip of."""
    try:
        yield
    except NotFoundError as error:
        error.args = (f"{error}{near_path(path)}",)
        raise
