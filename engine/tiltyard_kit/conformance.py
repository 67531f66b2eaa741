"""The common part of the games' commands that check recorded files: reading a file, naming what differs, counting.

A game says what a file's parts are and what is wrong with each::

    def problems(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
        for number, test in enumerate(list_of(tables, "tests"), start=1):
            yield f"test {number}", [] if passes(test) else ["expected ..., got ..."]


    if __name__ == "__main__":
        sys.exit(check_files(sys.argv[1:], __doc__, problems))
"""

from __future__ import annotations

import gzip
import io
import json
import sys
import zlib
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import kind_of
from tiltyard_engine.exit_status import end_well

GZIP: Final = b"\x1f\x8b"
MOST_BYTES: Final = 1 << 28
"""Of what a file holds, decompressed."""

Problems = Callable[[object, Path], Iterable[tuple[str, Sequence[str]]]]
"""From what a file holds and its path: each part's name, with what is wrong with it (nothing: it passes)."""


class MalformedFileError(ValueError):
    """A file cannot be checked; the message says what was expected."""


def read_json(path: Path) -> object:
    """What a JSON file, gzipped or not, holds.

    Raises:
        MalformedFileError: it cannot be read, unpacked or understood.
    """
    try:
        return json.loads(_contents(path))
    except MalformedFileError:
        raise
    except OSError as error:  # the gzip module's own errors are of this kind too, without a strerror
        raise MalformedFileError(error.strerror or str(error)) from error
    except (EOFError, zlib.error) as error:
        raise MalformedFileError(f"not a whole gzip file: {error}") from error
    except UnicodeDecodeError as error:
        raise MalformedFileError(f"not text: {error}") from error
    except ValueError as error:
        raise MalformedFileError(f"not JSON: {error}") from error
    except RecursionError as error:
        raise MalformedFileError("JSON nested too deeply") from error


def _contents(path: Path) -> bytes:
    data = path.read_bytes()
    if data[:2] == GZIP:
        with gzip.open(io.BytesIO(data)) as file:
            data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise MalformedFileError(f"holds more than {MOST_BYTES:,} bytes")
    return data


def list_of(tables: object, what: str) -> list[object]:
    """What was read, if it is a list.

    Raises:
        MalformedFileError: it is none.
    """
    if not isinstance(tables, list):
        raise MalformedFileError(f"expected a JSON list of {what}, got {kind_of(tables)}")
    return tables


def check_files(paths: Sequence[str], usage: str | None, problems: Problems) -> int:
    """Check all files; print a line a problem and, last, ``N passed, N failed``.

    Returns:
        The command's status: 0 where all parts of all files pass, 1 where one fails, 2 for a wrong call or a file that cannot
        be read (what was wrong stands on stderr, and nothing is counted).
    """
    if not paths or paths[0] in ("-h", "--help"):
        print(usage)
        return 0 if paths else 2
    return end_well(lambda: _check(paths, problems))


def _check(paths: Sequence[str], problems: Problems) -> int:
    passed = failed = 0
    for path in paths:
        try:
            for name, mistakes in problems(read_json(Path(path)), Path(path)):
                for problem in mistakes:
                    print(f"{name}: {problem}")
                passed += not mistakes
                failed += bool(mistakes)
        except MalformedFileError as error:
            print(f"{path}: cannot be read as a conformance file: {error}", file=sys.stderr)
            return 2
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0
