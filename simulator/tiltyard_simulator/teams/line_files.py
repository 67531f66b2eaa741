"""Files that grow by a line for each team, beside a file of the whole that is written again only now and then.

To write the whole after each team would take the square of their number. A line that was cut off is left out when it is read.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiltyard_engine.errors import file_errors

T = TypeVar("T", bound=msgspec.Struct)
MOST_BYTES: Final = 256 << 20
"""Of such a file that is read."""


def add_line(path: Path, value: msgspec.Struct) -> None:
    """Add a value as a line. It is there as a whole, or readers leave it out.

    Raises:
        UserError: it can't be written.
    """
    with file_errors(path, "written"), path.open("ab") as file:
        # What a full disk or a kill has cut off must not swallow the next line.
        begins = b"\n" if file.tell() and not _ends_a_line(path) else b""
        file.write(begins + msgspec.json.encode(value) + b"\n")


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def read_lines(path: Path, kind: type[T]) -> Iterator[T]:
    """The values of all whole lines; none if there is no such file.

    Raises:
        UserError: it can't be read.
    """
    data = b""
    with file_errors(path, "read"), suppress(FileNotFoundError), path.open("rb") as file:
        data = file.read(MOST_BYTES)
    decoder = msgspec.json.Decoder(kind)
    for line in data.splitlines():
        try:
            yield decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            continue
