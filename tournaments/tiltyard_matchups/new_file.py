"""Writing a result file under a name that is still free. No file is ever half written, and none is written over."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_simulator.output.result_files import encode


def write_new(folder: Path, stem: str, suffix: str, text: str) -> Path:
    """Write ``text`` to a new file: ``stem + suffix``, or with ``_2``, ``_3`` … before the suffix.

    Raises:
        UserError: it cannot be written.
    """
    for number in count(1):
        path = folder / f"{stem}{f'_{number}' if number > 1 else ''}{suffix}"
        try:
            file = path.open("xb")
        except FileExistsError:
            continue
        except OSError as error:
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        try:
            with file:
                file.write(encode(text))
        except OSError as error:
            path.unlink(missing_ok=True)
            raise UserError(f"{path}: cannot be written: {error.strerror}") from error
        return path
    raise AssertionError("unreachable")
