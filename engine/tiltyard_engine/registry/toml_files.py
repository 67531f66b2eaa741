"""TOML files that teams hand in: read within limits, so that none takes the reader's time, memory or stack."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError

DEEPEST: Final = 16
"""Tables and lists in each other; a project file has four."""
MOST_KEY_PARTS: Final = 32
LONG_KEY: Final = re.compile(rf"""(?<![\w-])(?:(?:[\w-]++|"(?:[^"\\\n]|\\.)*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){{{MOST_KEY_PARTS}}}""")
"""The standard library takes a time for a dotted key that grows with the square of its parts: 17 s for one of 60,000 bytes."""
INTEGER_BITS: Final = 64
"""Of integers in TOML. Python reads larger ones, and may then not print them."""


def read_toml(path: Path, largest: int) -> dict[str, Any]:
    """The contents of a file of at most ``largest`` bytes. They are plain values that can be shown and compared.

    Raises:
        UserError: it cannot be read, or is not valid. The message begins with the file's name without its folder.
    """
    # Imported late: most commands read no such file, and its patterns take a while to compile.
    import tomllib

    try:
        # Whatever is opened here is looked at first: a pipe would wait for somebody to write.
        if not stat.S_ISREG(path.stat().st_mode):
            raise UserError(f"{path.name}: not a regular file")
        with path.open("rb") as file:
            data = file.read(largest + 1)
        if len(data) > largest:
            raise UserError(f"{path.name}: more than {largest} bytes")
        text = data.decode("utf-8")
        if LONG_KEY.search(text):
            raise UserError(f"{path.name}: a key of more than {MOST_KEY_PARTS} parts")
        table = tomllib.loads(text)
    except OSError as error:
        raise UserError(f"{path.name}: cannot be read: {error.strerror}") from error
    except RecursionError:
        raise UserError(f"{path.name}: lists or tables nested too deeply") from None
    except ValueError as error:
        raise UserError(f"{path.name}: {error}") from error
    _check(path.name, table)
    return table


def _check(name: str, table: dict[str, Any]) -> None:
    """Refuse values that Python could not print: nested too deeply, or integers that are no TOML."""
    waiting: list[tuple[Any, int]] = [(table, 1)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, int) and value.bit_length() > INTEGER_BITS:
            raise UserError(f"{name}: an integer of more than {INTEGER_BITS} bits")
        if isinstance(value, dict | list):
            if depth > DEEPEST:
                raise UserError(f"{name}: lists or tables nested too deeply")
            waiting += [(each, depth + 1) for each in (value.values() if isinstance(value, dict) else value)]
