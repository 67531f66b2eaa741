"""Replay recorded games and pieces: ``python -m tiltyard_filler.conformance [--strict] FILE ...``.

A file is a JSON list (or its gzip). A record with ``pieces`` says what the generator draws for ``seed``, ``width`` and ``height``;
any other is a game: ``map``, ``seed``, ``p1_path``, ``p2_path``, ``answers`` of both robots, ``stdout`` (or ``stdout_sha256``) of
the subject's engine. Games are played by the real command, with robots that answer as recorded, at paths that print as recorded.
``--strict`` plays them with the command's option of that name.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import kind_of
from tiltyard_engine.texts.quantities import counted
from tiltyard_filler.map_files import shipped_maps
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.scripted_game import GameRun, play_scripted
from tiltyard_filler.transcript import MAX_SIDE
from tiltyard_kit.conformance import check_files, list_of

ANFIELD: Final = "Anfield "
BOARD_SIZE: Final = re.compile(r"Anfield [0-9]{1,5} ([0-9]{1,5}):")
SHOWN: Final = 100
"""Bytes of a line that a difference shows."""


class RecordError(ValueError):
    """A record is not one that can be checked; says what is missing or wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGame:
    """What a record says about a game."""

    map_data: bytes
    seed: int
    paths: tuple[str, str]
    answers: tuple[bytes, bytes]
    expected: Mapping[str, Any]
    """By field of the record: what must come out."""
    options: tuple[str, ...] = ()


def read_game(record: Mapping[str, Any], folder: Path) -> RecordedGame:
    """A game's record; maps that do not ship are looked for in ``folder``, or taken from the first board printed.

    Raises:
        RecordError: says which part is missing or wrong.
    """
    answers = _field(record, "answers", dict)
    expected = {key: record[key] for key in ("stdout", "stdout_sha256", "stderr", "exit_code") if record.get(key) is not None}
    if "stdout" not in expected and "stdout_sha256" not in expected:
        raise RecordError("missing: stdout or stdout_sha256")
    for text in expected.values():
        _encode(str(text))
    for name in ("p1_path", "p2_path"):
        if b"\0" in _encode(_field(record, name, str)):
            raise RecordError(f"{name}: no path has a character 0")
    stdout = str(expected.get("stdout", ""))
    options = ["-q"] if record.get("quiet") or ("stdout" in expected and ANFIELD not in stdout and "\nPlayer1 (" in stdout) else []
    if isinstance(record.get("timeout"), int):
        options += ["-t", str(record["timeout"])]
    return RecordedGame(
        map_data=_map_data(_field(record, "map", str), stdout, folder),
        seed=_field(record, "seed", int),
        paths=(_field(record, "p1_path", str), _field(record, "p2_path", str)),
        answers=(_encode(_field(answers, "p1", str)), _encode(_field(answers, "p2", str))),
        expected=expected,
        options=tuple(options),
    )


def _field(record: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    if name not in record:
        raise RecordError(f"missing: {name}")
    if not isinstance(record[name], kind) or isinstance(record[name], bool):
        raise RecordError(f"{name}: expected {kind_of(kind())}, got {record[name]!r:.60}")
    return record[name]


def _encode(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise RecordError(f"a text that no game can have printed: {error.reason}") from error


def _map_data(name: str, stdout: str, folder: Path) -> bytes:
    """The map: in the record itself, shipped, a file beside the record's, or what the game printed first."""
    if "\n" in name:
        return _encode(name)
    if file := shipped_maps().get(name.rpartition("/")[2]):
        return file.read_bytes()
    # A name that is too long for a file is an error, not just a file that isn't there.
    with contextlib.suppress(OSError, ValueError):
        return (folder / name).read_bytes()
    lines = stdout.splitlines()
    first = next((number for number, line in enumerate(lines) if line.startswith(ANFIELD)), -1)
    if first < 0:
        raise RecordError(f"map: no board was printed, and there is no shipped map and no map in the same folder called {name}")
    size = BOARD_SIZE.match(lines[first])
    if size is None:
        raise RecordError(f"map: expected a board such as 'Anfield 5 5:', got {lines[first]!r:.60}")
    height = int(size[1])
    return "".join(f"{line[4:]}\n" for line in lines[first + 2 : first + 2 + height]).encode()


def game_differences(record: Mapping[str, Any], folder: Path, is_strict: bool) -> list[str]:
    """The differences from a recorded game, or why the record cannot be checked."""
    try:
        game = read_game(record, folder)
    except RecordError as error:
        return [f"not a game: {error}"]
    options = [*game.options, *(["-strict"] if is_strict else [])]
    with tempfile.TemporaryDirectory(prefix="filler-conformance-") as scratch:
        run = play_scripted(Path(scratch), game.map_data, game.seed, paths=game.paths, answers=game.answers, options=options)
    return [difference for field, expected in game.expected.items() if (difference := _difference(field, expected, run))]


def _difference(field: str, expected: Any, run: GameRun) -> str:
    if field == "stdout_sha256":
        digest = hashlib.sha256(run.stdout).hexdigest()
        return "" if digest == expected else f"{field}: expected {expected}, got {digest} of {counted(len(run.stdout), 'byte')}"
    if field == "exit_code":
        return "" if run.exit_code == expected else f"{field}: expected {expected}, got {run.exit_code}"
    data = run.stdout if field == "stdout" else run.stderr
    expected_data = _encode(str(expected))
    if data == expected_data:
        return ""
    expected_lines, lines = expected_data.split(b"\n"), data.split(b"\n")
    for number, (left, right) in enumerate(zip(expected_lines, lines), start=1):
        if left != right:
            return f"{field}, line {number}: expected {left[:SHOWN]!r}, got {right[:SHOWN]!r}"
    return f"{field}: expected {counted(len(expected_lines), 'line')}, got {len(lines)}"


def pieces_differences(record: Mapping[str, Any]) -> list[str]:
    """The first piece that differs from the record, or why the record cannot be checked."""
    try:
        width, height, seed = (_field(record, name, int) for name in ("width", "height", "seed"))
        pieces = _field(record, "pieces", list)
    except RecordError as error:
        return [f"not pieces: {error}"]
    if not 1 <= min(width, height) <= max(width, height) <= MAX_SIDE:
        return [f"not pieces: expected a board's sides from 1 to {MAX_SIDE:,}"]
    generator = PieceGenerator(seed, width, height)
    for number, rows in enumerate(pieces):
        drawn_rows = generator.draw().rows
        if drawn_rows != rows:
            return [f"piece {number}: expected {rows!r:.200}, got {drawn_rows!r:.200}"]
    return []


def differences(record: object, folder: Path, is_strict: bool = False) -> list[str]:
    """What is different in a record of either kind."""
    if not isinstance(record, dict):
        return [f"expected a game or pieces, got {kind_of(record)}"]
    return pieces_differences(record) if "pieces" in record else game_differences(record, folder, is_strict)


def _name(record: object, number: int) -> str:
    if not isinstance(record, dict):
        return f"number {number}"
    if "pieces" in record:
        return f"pieces {record.get('width')}x{record.get('height')} seed {record.get('seed')}"
    return str(record.get("name", f"number {number}"))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check the files named on the command line; 0 when every record agrees, 1 on a difference, 2 on a wrong call."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    is_strict = "--strict" in words

    def problems(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
        for number, record in enumerate(list_of(tables, "games or pieces")):
            yield _name(record, number), differences(record, path.parent, is_strict)

    return check_files([word for word in words if word != "--strict"], __doc__, problems)


if __name__ == "__main__":
    sys.exit(main())
