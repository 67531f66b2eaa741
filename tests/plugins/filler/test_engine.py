"""The engine and its protocol without any process: robots are scripts of what they read and write."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tiltyard_engine.programs import ProgramError
from tiltyard_engine.results import Termination
from tiltyard_filler.answers import BROKEN_PIPE, END_OF_OUTPUT, Answer, Listener, OutOfTimeError
from tiltyard_filler.engine import Engine, Robot, Settings, StartError
from tiltyard_filler.map_files import read_board
from tiltyard_filler.positions import Placement

BOARD = b"@....\n.....\n.....\n.....\n....$\n"
FIRST = (
    b"Anfield 5 5:\n    01234\n000 @....\n001 .....\n002 .....\n003 .....\n004 ....$\nPiece 1 2:\nO\nO\n",
    b"Anfield 5 5:\n    01234\n000 a....\n001 a....\n002 .....\n003 .....\n004 ....$\nPiece 1 2:\nO\nO\n",
    b"Anfield 5 5:\n    01234\n000 a....\n001 a....\n002 .....\n003 ....s\n004 ....s\nPiece 1 2:\nO\nO\n",
)
"""What is sent in the first three turns where both players place what they get; on this board all pieces are alike."""


class Script:
    """A channel: what the robot writes, read by read; an exception is raised instead."""

    def __init__(self, *reads: bytes | Exception, on_write: Sequence[Exception | None] = ()) -> None:
        self.reads = list(reads)
        self.on_write = list(on_write)
        self.written: list[bytes] = []
        self.seconds: list[float] = []

    def begin(self, seconds: float, doing: str) -> None:
        self.seconds.append(seconds)

    def write(self, data: bytes) -> None:
        error = self.on_write.pop(0) if self.on_write else None
        if error is not None:
            raise error
        self.written.append(data)

    def read(self, limit: int) -> bytes:
        read = self.reads.pop(0) if self.reads else b""
        if isinstance(read, Exception):
            raise read
        if len(read) > limit:
            self.reads.insert(0, read[limit:])
        return read[:limit]


class ScriptedRobot(Robot):
    def __init__(self, path: str, channel: Script, is_strict: bool, start_error: str = "", seconds: float = 7) -> None:
        self.path = path
        self.channel = channel
        self.start_error = start_error
        self.listener = Listener(channel, seconds, is_strict)

    def start(self, hello: bytes) -> None:
        if self.start_error:
            raise StartError(self.start_error)
        self.channel.write(hello)

    def ask(self, turn: bytes) -> Answer:
        return self.listener.ask(turn)


class Played:
    def __init__(
        self,
        *scripts: Script,
        board: bytes = BOARD,
        strict: bool = False,
        quiet: bool = False,
        explains: bool = False,
        start_errors: Sequence[str] = ("", ""),
    ) -> None:
        output = bytearray()
        errors: list[str] = []
        self.scripts = scripts
        robots = [
            ScriptedRobot(path, script, strict, start_error)
            for path, script, start_error in zip(("./one", "bots/two"), scripts, start_errors, strict=True)
        ]
        settings = Settings(42, is_quiet=quiet, is_strict=strict, explains=explains)
        self.status = Engine(read_board("m", board), robots, settings, output.extend, errors.append).run()
        self.output = bytes(output)
        self.errors = "".join(errors)

    @property
    def answers(self) -> list[bytes]:
        return [line for line in self.output.split(b"\n") if line.startswith(b"-> Answer")]


def end(first: int, second: int, result: str) -> bytes:
    one, two = "./one".rjust(40), "bots/two".rjust(40)
    return f"seed: 42\nPlayer1 ({one}): {first}\nPlayer2 ({two}): {second}\n{result}\n".encode()


def hang_up(received: bytes = b"") -> ProgramError:
    return ProgramError(Termination.DISCONNECT, "gone", received)


EXECS = b"$$$ exec p1 : [./one]\n$$$ exec p2 : [bots/two]\n"
HELLOS = (b"$$$ exec p1 : [./one]\n", b"$$$ exec p2 : [bots/two]\n")


@pytest.mark.parametrize("strict", [False, True])
def test_a_whole_game_byte_for_byte(strict: bool) -> None:
    played = Played(Script(b"0 0\n", b"0 1\n", b"0 0\n"), Script(b"4 3\n", b"0 0\n"), strict=strict)
    fourth = FIRST[2].replace(b"000 a....\n001 a....\n002 .....", b"000 @....\n001 a....\n002 a....")
    fifth = fourth.replace(b"003 ....s\n004 ....s", b"003 ....$\n004 ....$")
    turns = [
        FIRST[0] + b"-> Answer (@): 0 0\n\n",
        FIRST[1] + b"-> Answer ($): 4 3\n\n",
        FIRST[2] + b"-> Answer (@): 0 1\n\n",
        fourth + b"-> Answer ($): 0 0\n\n",
        fifth + b"-> Answer (@): 0 0\n\n",
    ]
    assert played.output == EXECS + b"".join(turns) + end(3, 2, "Player1 won!")
    assert (played.errors, played.status) == ("", 0)
    assert played.scripts[0].written == [HELLOS[0], FIRST[0], FIRST[2], fifth]
    assert played.scripts[1].written == [HELLOS[1], FIRST[1], fourth]
    assert set(played.scripts[0].seconds) == {7}


def test_quiet() -> None:
    played = Played(Script(b"0 0\n", b"0 0\n"), Script(b"0 0\n"), quiet=True)
    assert played.output == EXECS + end(2, 1, "Player1 won!")


def test_lines_are_padded_to_the_height_of_the_tallest_piece() -> None:
    board = b"@" + b"." * 14 + b"$\n" + (b"." * 16 + b"\n") * 19
    played = Played(Script(b"99 99\n"), Script(b"99 99\n"), board=board)
    for turn in played.output.split(b"Anfield")[1:]:
        rows, answer = turn.partition(b"Piece ")[2].split(b"-> Answer")
        padding = answer.partition(b"99 99\n")[2].partition(b"seed")[0]
        assert len(rows.splitlines()) - 1 + len(padding) == 20 // 5 + 1 + 1


def test_whoever_is_out_is_not_asked_again() -> None:
    played = Played(Script(b"9 9\n"), Script(b"4 3\n", b"4 2\n", b"-1 0\n"))
    assert played.answers == [b"-> Answer (@): 9 9"] + [b"-> Answer ($): " + said for said in (b"4 3", b"4 2", b"-1 0")]
    assert played.output.endswith(end(1, 3, "Player2 won!"))


def test_equal_scores_are_a_draw() -> None:
    played = Played(Script(b"9 9\n"), Script(b"9 9\n"))
    assert played.output.endswith(end(1, 1, "Player1 and Player2 have the same score, it's a draw!"))


@pytest.mark.parametrize(
    ("read", "raw"),
    [
        (b"abc\n", b"abc\n"),
        (b"\n", b"\n"),
        (b"0 0 \n", b"0 0 \n"),
        (b" 0 0\n", b" 0 0\n"),
        (b"0  0\n", b"0  0\n"),
        (b"+0 0\n", b"+0 0\n"),
        (b"0,0\n", b"0,0\n"),
        (b"0 0\r\n", b"0 0\r\n"),
        (b"hello\n0 0\n", b"hello\n0 0\n"),
        ("\u0660 0\n".encode(), "\u0660 0\n".encode()),
        (b"\0\xff\n", b"\0\xff\n"),
        (b"0 " + b"1" * 1100 + b"\n", b"0 " + b"1" * 1022),
        (b"0 " + b"1" * 1022 + b"\n", b"0 " + b"1" * 1022),
        (b"7 2x" + b"1" * 1020, b"7 2x" + b"1" * 1020),
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_no_answer_ends_the_game_without_a_result(read: bytes, raw: bytes, strict: bool) -> None:
    played = Played(Script(read), Script(), strict=strict)
    assert played.output == EXECS + FIRST[0] + b"-> Answer (@): " + raw + b"\n" + b"seed: 42\n"
    assert (played.errors, played.status) == ("Error: Unexpected error for player1\n", 0)


def test_a_number_too_large_for_any_board_is_an_illegal_move() -> None:
    played = Played(Script(b"99999999999999999999999 1\n"), Script(b"0 0\n"))
    assert played.output.endswith(end(1, 1, "Player1 and Player2 have the same score, it's a draw!"))


@pytest.mark.parametrize("strict", [False, True])
def test_the_end_of_the_output(strict: bool) -> None:
    played = Played(Script(b""), Script(), strict=strict)
    assert played.answers == [b"-> Answer (@): "]
    assert played.errors == "Error reading the answer: EOF\nError: Unexpected error for player1\n"


def test_the_second_player_can_fail_too() -> None:
    played = Played(Script(b"0 0\n"), Script(b"x\n"))
    assert played.errors == "Error: Unexpected error for player2\n"
    assert played.output.endswith(FIRST[1] + b"-> Answer ($): x\n\nseed: 42\n")


@pytest.mark.parametrize("termination", [Termination.TIMEOUT, Termination.STALL])
def test_no_answer_in_time(termination: Termination) -> None:
    played = Played(Script(b"0 0\n"), Script(ProgramError(termination, "too slow")))
    assert played.errors == "Error: Timeout for player2\n"
    assert played.output == EXECS + FIRST[0] + b"-> Answer (@): 0 0\n\n" + b"seed: 42\n"


def test_people_are_told_more() -> None:
    late = ProgramError(Termination.STALL, "answering: no answer; its answer came when its input ended")
    said = "note: its answer came when its input ended\nError: Timeout for player1\n"
    assert Played(Script(late), Script(), explains=True).errors == said
    said = "note: it ends with a carriage return: end lines with \\n alone, not with \\r\\n\nError: Unexpected error for player1\n"
    assert Played(Script(b"0 0\r\n"), Script(), explains=True).errors == said


def test_no_time_at_all_is_a_timeout_after_the_turn_was_sent() -> None:
    script = Script(b"0 0\n")
    with pytest.raises(OutOfTimeError):
        Listener(script, 0).ask(b"turn")
    assert script.written == [b"turn"]


def test_a_robot_that_hung_up_between_its_turns() -> None:
    gone = Script(b"0 0\n", on_write=[None, None, hang_up()])
    played = Played(gone, Script(b"4 3\n"))
    assert played.errors == f"{BROKEN_PIPE}\nError: Unexpected error for player1\n"
    assert played.output.endswith(b"-> Answer (@): \nseed: 42\n")


def test_a_robot_that_hung_up_before_its_first_turn_may_have_answered() -> None:
    played = Played(Script(on_write=[None, hang_up(b"9 9\n")]), Script(b"9 9\n"))
    assert played.answers[0] == b"-> Answer (@): 9 9"
    assert played.errors == ""
    played = Played(Script(on_write=[None, hang_up()]), Script())
    assert played.errors == f"{END_OF_OUTPUT}\nError: Unexpected error for player1\n"


def test_another_limit_that_ended_a_robot_is_named() -> None:
    played = Played(Script(ProgramError(Termination.OUT_OF_MEMORY, "too much memory")), Script())
    assert played.errors == f"{END_OF_OUTPUT}\nnote: too much memory\nError: Unexpected error for player1\n"


def test_a_robot_that_cannot_be_started() -> None:
    why = "fork/exec ./one: permission denied"
    played = Played(Script(), Script(), start_errors=(why, ""))
    assert played.output == EXECS + b"seed: 42\n"
    assert played.errors == f"{why}{why}\n{why}\nError: Unexpected error for player1\n"
    # Nobody has a turn before that is found.
    first = Script(b"0 0\n")
    played = Played(first, Script(), start_errors=("", why))
    assert played.output == EXECS + b"seed: 42\n"
    assert played.errors == f"{why}{why}\n{why}\nError: Unexpected error for player2\n"
    assert first.written == [HELLOS[0]]
    played = Played(Script(), Script(), start_errors=(why, why))
    assert played.output == EXECS + b"seed: 42\n"
    assert played.errors == f"{why}{why}\n" * 2 + f"{why}\nError: Unexpected error for player1\n"


class TestReading:
    """Where the two ways of reading differ."""

    def test_half_an_answer(self) -> None:
        assert Listener(Script(b"7 ", b"2", b"\n"), 1).ask(b"").placement == Placement(7, 2)
        assert Listener(Script(b"7 2", b"\n"), 1, is_strict=True).ask(b"") == Answer(b"7 2", None)

    def test_half_an_answer_and_then_nothing(self) -> None:
        assert Listener(Script(b"7 2"), 1).ask(b"") == Answer(b"7 2", None)

    def test_two_answers_at_once(self) -> None:
        tolerant = Listener(Script(b"7 2\n8 3\n"), 1)
        assert [tolerant.ask(b"") for _ in range(2)] == [Answer(b"7 2\n", Placement(7, 2)), Answer(b"8 3\n", Placement(8, 3))]
        strict = Listener(Script(b"7 2\n8 3\n"), 1, is_strict=True)
        assert strict.ask(b"") == Answer(b"7 2\n8 3\n", Placement(7, 0))

    def test_something_behind_the_answer(self) -> None:
        tolerant = Listener(Script(b"7 2\nfoo", b"8 3\n"), 1)
        assert tolerant.ask(b"").placement == Placement(7, 2)
        assert tolerant.ask(b"") == Answer(b"foo8 3\n", None)
        assert Listener(Script(b"7 2\nfoo"), 1, is_strict=True).ask(b"") == Answer(b"7 2\nfoo", Placement(7, 0))

    def test_more_than_a_read_of_whole_answers(self) -> None:
        many = b"7 2\n" * 300
        tolerant = Listener(Script(many), 1)
        assert [tolerant.ask(b"").placement for _ in range(300)] == [Placement(7, 2)] * 300
        assert Listener(Script(many), 1, is_strict=True).ask(b"") == Answer(many[:1024], Placement(7, 0))

    @pytest.mark.parametrize("size", [1024, 1025, 1500])
    def test_a_full_read_that_begins_with_an_answer(self, size: int) -> None:
        read = b"7 2\n".ljust(size, b"x")
        assert Listener(Script(read), 1, is_strict=True).ask(b"") == Answer(read[:1024], Placement(7, 0))
        assert Listener(Script(read), 1).ask(b"") == Answer(b"7 2\n", Placement(7, 2))

    @pytest.mark.parametrize("is_strict", [False, True])
    def test_a_number_that_fills_the_read(self, is_strict: bool) -> None:
        read = b"1 " + b"0" * 1021 + b"\n"
        assert Listener(Script(read), 1, is_strict=is_strict).ask(b"") == Answer(read, Placement(1, 0))
        longer = b"1 " + b"0" * 1022 + b"\n"
        assert Listener(Script(longer), 1, is_strict=is_strict).ask(b"") == Answer(longer[:1024], None)


@pytest.mark.parametrize("board", [b"@..$\n....\n....\n", b""])
def test_where_the_subjects_engine_panics(board: bytes) -> None:
    tolerant = Played(Script(b"9 9\n"), Script(b"9 9\n"), board=board)
    assert tolerant.status == 0
    assert b"won!" in tolerant.output or b"draw" in tolerant.output
    strict = Played(Script(b"9 9\n"), Script(b"9 9\n"), board=board, strict=True)
    assert strict.status == 2
    assert strict.errors.startswith("panic: strings: negative Repeat count\n\ngoroutine 1 [running]:\n")
    assert strict.output.endswith(b"Piece 1 2:\nO\nO\n-> Answer (@): 9 9\n\n")
    assert Played(Script(b"9 9\n"), Script(b"9 9\n"), board=board, strict=True, quiet=True).status == 0
