"""Check recorded files: ``python -m tiltyard_penguins.conformance FILE ...``.

A FILE is a JSON object (or its gzip) ``{"boards": {name: text}, "states": {name: text}}``. Every text is read and written
in the canonical form; what was written is read again: it must be the same state, and written again the same bytes.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from tiltyard_penguins.board_files import BoardFileError, check_players, read_board_file, write_board_file
from tiltyard_penguins.rules import Board

KINDS: Final = ("boards", "states")


def problem_of(text: object) -> str:
    """Why a text fails; empty where it passes."""
    if not isinstance(text, str):
        return f"expected a text, found {type(text).__name__}"
    try:
        read = read_board_file(text.encode("utf-8", "surrogatepass"))
        check_players(read)
    except BoardFileError as error:
        return str(error)
    state = read.canonical()
    written = write_board_file(read)
    try:
        again = read_board_file(written)
    except BoardFileError as error:
        return f"what was written cannot be read again: {error}"
    if again != state:
        return "what was written reads as another state"
    if write_board_file(again) != written:
        return "written a second time it differs"
    if Board(state.rows, state.columns, state.cells).cells() != state.cells:
        return "the rules hold another board"
    return ""


def read_texts(path: Path) -> Mapping[str, Mapping[str, object]]:
    """The file's two tables.

    Raises:
        ValueError: it is of another form.
    """
    data = path.read_bytes()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    tables = json.loads(data)
    if not (isinstance(tables, dict) and tables and all(isinstance(table, dict) for table in tables.values())):
        raise ValueError('expected a JSON object {"boards": {name: text}, "states": {name: text}}')
    unknown = sorted(set(tables) - set(KINDS))
    if unknown:
        raise ValueError(f"unknown key {unknown[0]!r}; expected {' and '.join(KINDS)}")
    return tables


def texts(tables: Mapping[str, Mapping[str, object]]) -> Iterator[tuple[str, object]]:
    """All texts of a file, each with its kind and name."""
    for kind in KINDS:
        for name, text in tables.get(kind, {}).items():
            yield f"{kind}: {name}", text


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when all texts pass, 1 when one fails, 2 on a wrong call."""
    paths = list(sys.argv[1:] if arguments is None else arguments)
    if not paths or paths[0] in ("-h", "--help"):
        print(__doc__)
        return 0 if paths else 2
    passed = failed = 0
    for path in paths:
        try:
            tables = read_texts(Path(path))
        except (OSError, EOFError, zlib.error, ValueError, RecursionError) as error:
            print(f"{path}: cannot be read as a conformance file: {error}", file=sys.stderr)
            return 2
        for name, text in texts(tables):
            problem = problem_of(text)
            if problem:
                print(f"{name}: {problem}")
            passed += not problem
            failed += bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough. Python would try to write the rest at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 128 + signal.SIGPIPE
    sys.exit(status)
