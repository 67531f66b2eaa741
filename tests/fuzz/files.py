"""Readers of the games' own files: maps, boards, tests, recorded and saved games, compiled libraries; and answers of programs."""

from __future__ import annotations

import json
import sysconfig
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

from tests.fuzz.damage import Form
from tests.fuzz.trial import ROOT, Reader, at
from tests.plugins.advance.test_conformance import a_position, a_test
from tests.plugins.filler.test_adapter import POSITION, ScriptedProgram
from tests.plugins.filler.test_conformance import game as filler_game
from tests.plugins.filler.test_transcript import OF_42, PRINTED
from tests.plugins.penguins.test_adapter import FakeProgram, position
from tests.plugins.tanks.test_conformance import right_game

import tiltyard_advance.conformance
import tiltyard_filler.conformance
import tiltyard_penguins.conformance
import tiltyard_tanks.conformance
from tiltyard_advance.adapter import ProgramPlayer, name_in
from tiltyard_advance.board_files import BoardFileError, write_board_file
from tiltyard_advance.manager import AdvanceGameManager
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.map_files import read_map as read_advance_map
from tiltyard_advance.outcome_file import OUTCOME_FILE, OutcomeFile
from tiltyard_advance.packs import read_pack
from tiltyard_advance.positions import START, AdvancePosition
from tiltyard_advance.terminal.saved_games import read_game as read_advance_game
from tiltyard_advance.terminal.table import AdvanceTable
from tiltyard_engine.match import Match
from tiltyard_engine.programs import Call, ProgramError
from tiltyard_filler.adapter import RobotAdapter
from tiltyard_filler.map_files import read_map as read_filler_map
from tiltyard_filler.transcript import read_transcript
from tiltyard_kit.conformance import MalformedFileError, list_of, read_json
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.table_game import TableGame
from tiltyard_penguins.adapter import ProgramPlayer as PenguinProgram
from tiltyard_penguins.map_files import read_map as read_penguins_map
from tiltyard_penguins.positions import MOVEMENT, PLACEMENT
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.terminal.saved_games import read_game as read_penguins_game
from tiltyard_penguins.terminal.table import PenguinsTable
from tiltyard_simulator.guard.cells.messages import ENCODER
from tiltyard_tanks.log_replay import read_log
from tiltyard_tanks.map_report import check_map
from tiltyard_tanks.maps import read_map as read_tanks_map
from tiltyard_tanks_native.files import NativeFile, examine_file

MALFORMED: Final = (MalformedFileError,)
FLOES: Final = b"1 4\n10 20 10 10\n"
PLAYED: Final = b"1 4\n01 20 02 10\nann 1 1\nbob 2 1\n"
ADVANCE_GAME: Final = {
    "format": "tiltyard advance game",
    "version": 1,
    "white": "human",
    "black": "human",
    "plies": 200,
    "seed": 0,
    "start": [START[row : row + 9] for row in range(0, 81, 9)],
    "moves": ["a8 a7", "a2 a3"],
}
PENGUINS_GAME: Final = {
    "form": "penguins game 1",
    "board": FLOES.decode(),
    "moves": ["a1", "c1", "a1-b1"],
    "players": [{"name": "ann", "algorithm": ""}, {"name": "bob", "algorithm": ""}],
}
KEPT: Final = {
    "key": "k",
    "winner": 1,
    "reason": "WON",
    "message": "m",
    "rounds": 3,
    "state": ["name"],
    "fault": "",
    "fault_seat": 0,
    "said": "",
    "held": ["sandbox"],
    "seconds": [0.5],
    "void": False,
}


def shipped(*patterns: str) -> Callable[[], Sequence[bytes]]:
    """The files of the checkout that the patterns find."""
    return cache(lambda: [path.read_bytes() for pattern in patterns for path in sorted(ROOT.glob(pattern))])


def made(*values: bytes | Mapping[str, Any] | Sequence[Any]) -> Callable[[], Sequence[bytes]]:
    """Samples that are written here; what is no bytes as JSON."""
    return lambda: [value if isinstance(value, bytes) else json.dumps(value).encode() for value in values]


def _tank_log(data: bytes, folder: Path) -> None:
    board = (ROOT / "docs/examples/duel.txt").read_bytes()
    read_log(read_tanks_map("duel", board), data.decode("utf-8", "replace"))


def _transcript(data: bytes, folder: Path) -> None:
    list(read_transcript(data.splitlines(keepends=True))[1])


def _course_test(data: bytes, folder: Path) -> None:
    for kind in ("tests", "answers"):
        at(f"4/white/{kind}/0.txt", str)(data if kind == "tests" else write_board_file(START), folder)
    read_pack(folder)


def _kept(path: Path) -> None:
    with OutcomeFile(path.parent) as kept:
        kept.get("k")


def _compiled(path: Path) -> None:
    examine_file(path)
    NativeFile(path)


def _conformance(module: Any, path: Path) -> None:
    for _ in module.problems(read_json(path), path):
        pass


def _filler_games(path: Path) -> None:
    for record in list_of(read_json(path), "games or pieces"):
        tiltyard_filler.conformance.differences(record, path.parent)


def _robot(data: bytes, folder: Path) -> None:
    for protocol in ("01", "42"):
        # A program gives no more of a line than it is asked for.
        ENCODER.encode(RobotAdapter(ScriptedProgram(data[:1024], protocol=protocol), 1).choose(POSITION))


def _penguin(data: bytes, folder: Path) -> None:
    for before, phase in ((FLOES, PLACEMENT), (PLAYED, MOVEMENT)):
        program = FakeProgram(lambda _: (0, data.decode("utf-8", "surrogateescape")), name=data)
        player, shown = PenguinProgram(program), position(before.decode(), phase, 1)
        player.start(shown)
        ENCODER.encode(player.choose(shown))


class _Mover(ScriptedProgram):
    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        return Call(exit_code=0, signal=0, stdout=self.lines[0], stderr=b"", files={outputs[0]: self.lines[0]})


def _advance_move(data: bytes, folder: Path) -> None:
    name_in(data)
    ENCODER.encode(ProgramPlayer(_Mover(data)).choose(AdvancePosition(START, 0)))


@cache
def _libraries() -> Sequence[bytes]:
    files = sorted((Path(sysconfig.get_path("stdlib")) / "lib-dynload").glob("*.so"), key=lambda path: path.stat().st_size)
    return [path.read_bytes() for path in files[:4]] or [b"\x7fELF\x02\x01\x01" + bytes(57)]


def _advance_saved(path: Path) -> None:
    saved = read_advance_game(path)
    start = AdvanceMap("".join(saved.content["start"]), saved.content["plies"])
    players = [("white", None), ("black", None)]
    TableGame(Console(StringIO(), StringIO()), AdvanceTable(), players, saved).play(
        lambda seats: AdvanceGameManager().run(Match(map=start, map_name="", seats=seats))
    )


def _penguins_saved(path: Path) -> None:
    saved, board = read_penguins_game(path)
    players = [(player["name"], None) for player in saved.content["players"]]
    TableGame(Console(StringIO(), StringIO()), PenguinsTable(), players, saved).play(
        lambda seats: PenguinsGameManager(asks_when_done=False).run(Match(map=board, map_name="", seats=seats))
    )


LEVELS: Final = "plugins/advance/tiltyard_advance/shipped_tests/level-4.txt"
FILES: Final = (
    Reader(name="tanks-map", samples=shipped("docs/examples/[dfgt]*.txt"), read=lambda data, _: check_map("m", data)),
    Reader(name="filler-map", samples=shipped("plugins/filler/*/shipped_maps/*"), read=lambda data, _: read_filler_map("m", data)),
    Reader(
        name="penguins-map", samples=shipped("plugins/penguins/*/shipped_maps/*"), read=lambda data, _: read_penguins_map("m", data)
    ),
    Reader(name="advance-map", samples=made(write_board_file(START)), read=lambda data, _: read_advance_map("m", data)),
    Reader(name="advance-tests", samples=lambda: [shipped(LEVELS)()[0][:1200]], read=at("t.txt", read_pack)),
    Reader(name="advance-course", samples=made(write_board_file(START)), read=_course_test),
    Reader(name="advance-recorded", samples=made([a_test(4, START)]), read=at("t.json", read_pack), form=Form.JSON),
    Reader(
        name="advance-saved", samples=made(ADVANCE_GAME), read=at("g.json", _advance_saved), form=Form.JSON, accepts=(LeftError,)
    ),
    Reader(
        name="advance-kept", samples=made(json.dumps(KEPT).encode() + b"\n"), read=at(OUTCOME_FILE, _kept), form=Form.JSON_LINES
    ),
    Reader(
        name="penguins-saved", samples=made(PENGUINS_GAME), read=at("g.json", _penguins_saved), form=Form.JSON, accepts=(LeftError,)
    ),
    Reader(name="tanks-log", samples=shipped("docs/examples/output_duel.txt"), read=_tank_log),
    Reader(name="filler-transcript", samples=made(PRINTED, OF_42), read=_transcript),
    Reader(name="filler-answer", samples=made(b"3 -4\n", b" 12x\t-3 \r\n"), read=_robot, accepts=(ProgramError,)),
    Reader(name="penguins-answer", samples=made(PLAYED, FLOES), read=_penguin, accepts=(ProgramError,)),
    Reader(
        name="advance-answer", samples=made(write_board_file(START)), read=_advance_move, accepts=(ProgramError, BoardFileError)
    ),
    Reader(name="library", samples=_libraries, read=at("team.so", _compiled)),
    Reader(
        name="tanks-games",
        samples=made([right_game()]),
        read=at("g.json", lambda path: _conformance(tiltyard_tanks.conformance, path)),
        form=Form.JSON,
        accepts=MALFORMED,
    ),
    Reader(
        name="penguins-boards",
        samples=made({"boards": {"a": FLOES.decode()}, "states": {"b": PLAYED.decode()}}),
        read=at("g.json", lambda path: _conformance(tiltyard_penguins.conformance, path)),
        form=Form.JSON,
        accepts=MALFORMED,
    ),
    Reader(
        name="advance-positions",
        samples=made([a_test(4, START)], {"positions": [a_position()], "perft_from_start": {"1": 20}}),
        read=at("g.json", lambda path: _conformance(tiltyard_advance.conformance, path)),
        form=Form.JSON,
        accepts=MALFORMED,
    ),
    Reader(
        name="filler-games",
        samples=made([filler_game(p1_path="/nowhere/one")], [{"width": 9, "height": 9, "seed": 1, "pieces": [["OO"]]}]),
        read=at("g.json", _filler_games),
        form=Form.JSON,
        accepts=MALFORMED,
    ),
)
"""A line a reader: its name, sound samples, and what reads them."""
