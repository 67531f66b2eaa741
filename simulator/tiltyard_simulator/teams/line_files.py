"""Files that grow by a line for each team, beside a file of the whole that is written again only now and then.

To write the whole after each team would take the square of their number. A line that was cut off is left out when it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from tiltyard_engine.errors import file_errors

T = TypeVar("T", bound=msgspec.Struct)
MOST_BYTES: Final = 256 << 20
"""Of such a file that is read."""


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
