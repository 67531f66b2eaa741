"""Programs under guard: how real ones behave, and every way to fail."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

import pytest
from tests.plugins.advance.matches import PROGRAMS, Scripted, play, team_of

from tiltyard_advance.adapter import ProgramPlayer, introduce, name_in
from tiltyard_advance.board_files import read_board_file, write_board_file
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import START, AdvancePosition, Turn
from tiltyard_advance.rules import Board
from tiltyard_engine.errors import UserError
from tiltyard_engine.host import Host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.programs import Call, Program, ProgramError, ProgramTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_simulator.play.host import GuardHost

START_FILE = write_board_file(START)
MOVED = START.replace("Z", ".", 1).replace("." * 9 + "B.Z", "." + "Z" + "." * 7 + "B.Z")


class Script(Program):
    """Plays a program by what it is to leave behind: exit code, signal, and the output file (None: no file)."""

    def __init__(self, *calls: Call, protocol: str = "") -> None:
        self.protocol = protocol
        self.calls = list(calls)
        self.asked: list[tuple[Sequence[str], Mapping[str, bytes], Sequence[str]]] = []

    def begin(self, seconds: float, doing: str) -> None:
        raise AssertionError("the host begins turns")

    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        self.asked.append((list(arguments), dict(files), list(outputs)))
        return self.calls.pop(0)

    def write(self, data: bytes) -> None:
        raise AssertionError("one process a move")

    def read(self, limit: int) -> bytes:
        raise AssertionError("one process a move")

    def read_line(self, limit: int = 0) -> bytes:
        raise AssertionError("one process a move")

    def close_input(self) -> None:
        raise AssertionError("one process a move")


def left(data: bytes | None, *, code: int = 0, signal: int = 0, name: str = "move.txt", stdout: bytes = b"") -> Call:
    return Call(
        exit_code=code,
        signal=signal,
        stdout=stdout,
        stderr=b"oh dear\n" if code else b"",
        files={} if data is None else {name: data},
    )


def test_the_words_and_files_of_both_calls() -> None:
    program = Script(left(None, stdout=b"Bob\r\nand more"), left(write_board_file(MOVED).replace(b"\n", b"\r\n")))
    assert introduce(program) == "Bob"
    player = ProgramPlayer(program)
    player.start(AdvancePosition(START, 0))
    assert player.choose(AdvancePosition(START, 0)) == Turn(MOVED)
    assert program.asked == [
        (["name"], {}, []),
        (["white", "board.txt", "move.txt"], {"board.txt": START_FILE, "move.txt": START_FILE}, ["move.txt"]),
    ]


def test_one_file() -> None:
    program = Script(left(write_board_file(MOVED), name="board.txt"), protocol="one-file")
    assert ProgramPlayer(program).choose(AdvancePosition(START, 1)).board == MOVED
    assert program.asked == [(["black", "board.txt", "board.txt"], {"board.txt": START_FILE}, ["board.txt"])]


def test_an_unknown_protocol() -> None:
    with pytest.raises(UserError, match="unknown protocol 'chess'; expected one-file, or no protocol for two files"):
        ProgramPlayer(Script(protocol="chess"))


@pytest.mark.parametrize("code", [0, 1, 134])
def test_exit_codes_are_of_no_account_where_there_is_a_move(code: int) -> None:
    player = ProgramPlayer(Script(left(write_board_file(MOVED), code=code)))
    assert player.choose(AdvancePosition(START, 0)).board == MOVED


@pytest.mark.parametrize(
    ("call", "termination", "message"),
    [
        (left(START_FILE, code=1), Termination.CRASH, "the program exited with code 1: oh dear"),
        (left(START_FILE, signal=6), Termination.CRASH, "the program was killed by SIGABRT"),
        (left(b"junk", code=3), Termination.CRASH, "the program exited with code 3: oh dear"),
        (left(None), Termination.PROTOCOL, "move.txt is not a valid board: the file does not exist"),
        (
            left(b""),
            Termination.PROTOCOL,
            "move.txt is not a valid board: wrong number of characters: expected 9 lines of 9 characters",
        ),
    ],
)
def test_no_move_came_of_it(call: Call, termination: Termination, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        ProgramPlayer(Script(call)).choose(AdvancePosition(START, 0))
    assert caught.value.termination is termination
    assert caught.value.message.startswith(message)


def test_an_unchanged_board_is_the_referees_business() -> None:
    assert ProgramPlayer(Script(left(START_FILE))).choose(AdvancePosition(START, 0)) == Turn(START)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        (b"Bob\n", "Bob"),
        (b"This bot name is: X\r\n", "X"),
        (b"My bot's name is: Ada\n", "Ada"),
        (b"Name: Ada the Great\n", "Ada the Great"),
        (b"This bot name is: " + b"a" * 32, "a" * 32),
        (b"This bot name is: \n", ""),
        (b"Error 404\n", "Error 404"),
        (b"Invalid Move\n", "Invalid Move"),
        (b"Usage: bot colour in out\n", ""),
        (b"usage bot IN OUT\n", ""),
        (b"Invalid colour\n", ""),
        (b"Wrong number of arguments\n", ""),
        (b"Error: 3 arguments needed\n", ""),
        (b"a" * 32, "a" * 32),
        (b"a" * 33, ""),
        (b"", ""),
        (b"\nBob\n", ""),
        ("Zoë\n".encode(), ""),
        (b"a\tb\n", ""),
        (b"\x1b[31mred\n", ""),
    ],
)
def test_names(said: bytes, name: str) -> None:
    assert name_in(said) == name


# Real programs


@pytest.fixture(scope="module", params=["guarded", "plain"])
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    with GuardHost() if request.param == "guarded" else PlainHost() as opened:
        yield opened


class Begun(TurnAlgorithm[AdvancePosition, Turn]):
    """A program's player whose turns are begun as a seat's host does it."""

    def __init__(self, program: Program, seconds: float) -> None:
        self._program = program
        self._seconds = seconds
        self._player = ProgramPlayer(program)

    def start(self, position: AdvancePosition) -> None:
        self._program.begin(10.0, "starting")
        self._player.start(position)

    def choose(self, position: AdvancePosition) -> Turn:
        self._program.begin(self._seconds, "choose")
        return self._player.choose(position)


@pytest.mark.parametrize(("name", "called"), [("honest", "Honest"), ("noisy", ""), ("insists", ""), ("same_file", "Honest")])
def test_programs_that_play(host: Host, name: str, called: str) -> None:
    team = team_of(name, "one-file" if name == "same_file" else "")
    with host.open_program(team, {"move_seconds": 10.0}) as program:
        player = Begun(program, 10.0)
        player.start(AdvancePosition(START, 0))
        program.begin(10.0, "name")
        assert introduce(program) == called
        for ply in range(3):
            turn = player.choose(AdvancePosition(START, ply % 2))
            board = Board(START)
            assert turn.board in boards_after(board, board.legal_moves(ply % 2))


FAILURES = {
    "crashes": (Termination.CRASH, "RuntimeError: lost my head"),
    "dies": (Termination.CRASH, "the program was killed by SIGKILL"),
    "loops": (Termination.TIMEOUT, "choose"),
    "garbage": (Termination.PROTOCOL, "move.txt is not a valid board: line 1, column 1: bad character 'I'"),
    "short": (Termination.PROTOCOL, "move.txt is not a valid board: wrong number of characters"),
    "deletes": (Termination.PROTOCOL, "move.txt is not a valid board: the file does not exist"),
    "floods": (Termination.PROTOCOL, "move.txt"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_programs_that_fail(host: Host, name: str) -> None:
    termination, message = FAILURES[name]
    short = {"move_seconds": 0.3, "startup_seconds": 0.3, "wall_factor": 30.0}
    limits = short if name == "loops" else {"move_seconds": 10.0}
    with host.open_program(team_of(name), limits) as program:
        player = Begun(program, limits["move_seconds"])
        player.start(AdvancePosition(START, 0))
        with pytest.raises(ProgramError) as caught:
            player.choose(AdvancePosition(START, 0))
    assert caught.value.termination is termination
    assert message in caught.value.message


@pytest.mark.parametrize(("name", "reason"), [("illegal", "ILLEGAL"), ("idle", "NO_MOVE")])
def test_programs_that_the_referee_catches(host: Host, name: str, reason: str) -> None:
    with host.open_program(team_of(name), {"move_seconds": 10.0}) as program:
        result, _ = play(Scripted([]), Begun(program, 10.0))
    assert (result.winner, result.reason, result.rounds) == (1, reason, 1)


def test_every_program_is_tested() -> None:
    tested = {"honest", "noisy", "insists", "same_file", "illegal", "idle", *FAILURES}
    assert {path.stem for path in PROGRAMS.glob("*.py")} == tested


def test_the_own_command_as_a_program() -> None:
    command = (sys.executable, "-m", "tiltyard_advance.programs.advance", "--level", "6", "--seed", "1")
    with PlainHost() as host, host.open_program(ProgramTeam(name="own", game="advance", command=command)) as program:
        result, _ = play(Begun(program, 60.0), Scripted([]), plies=5)
    assert (result.reason in ("TIE", "MATERIAL"), result.rounds) == (True, 5)
    assert result.winner != 2, "level 6 has not less material than whoever plays any legal move"
    assert read_board_file("".join(result.final_state).encode())
