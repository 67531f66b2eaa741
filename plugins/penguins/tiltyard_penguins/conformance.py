"""Check recorded files: ``python -m tiltyard_penguins.conformance FILE ...``.

A FILE is a JSON object (or its gzip) ``{"boards": {name: text}, "states": {name: text}}``. Every text is read and written
in the canonical form; what was written is read again: it must be the same state, and written again the same bytes.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import kind_of
from tiltyard_kit.conformance import MalformedFileError, check_files
from tiltyard_penguins.board_files import BoardFileError, check_players, read_board_file, write_board_file
from tiltyard_penguins.rules import Board

KINDS: Final = ("boards", "states")


def problem_of(text: object) -> str:
    """Why a text fails; empty where it passes."""
    if not isinstance(text, str):
        return f"expected a string, got {kind_of(text)}"
    try:
        read = read_board_file(text.encode("utf-8", "surrogatepass"))
        check_players(read)
    except BoardFileError as error:
        return str(error)
    state = read.canonical()
    output = write_board_file(read)
    try:
        again = read_board_file(output)
    except BoardFileError as error:
        return f"the written file cannot be read again: {error}"
    if again != state:
        return "the written file is read as a different state"
    if write_board_file(again) != output:
        return "writing it a second time gives a different file"
    if Board(state.rows, state.columns, state.cells).cells() != state.cells:
        return "the rules have a different board"
    return ""


def problems(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
    """Each text of a file, by its kind and name, with why it fails.

    Raises:
        MalformedFileError: the file is of another form.
    """
    if not (isinstance(tables, dict) and tables and all(isinstance(table, dict) for table in tables.values())):
        raise MalformedFileError('expected a JSON object {"boards": {name: text}, "states": {name: text}}')
    unknown = sorted(set(tables) - set(KINDS))
    if unknown:
        raise MalformedFileError(f"unknown key {unknown[0]!r}; expected {' and '.join(KINDS)}")
    for kind in KINDS:
        for name, text in tables.get(kind, {}).items():
            problem = problem_of(text)
            yield f"{kind}: {name}", [problem] if problem else []


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when all texts pass, 1 when one fails, 2 on a wrong call."""
    return check_files(sys.argv[1:] if arguments is None else arguments, __doc__, problems)


if __name__ == "__main__":
    sys.exit(main())
