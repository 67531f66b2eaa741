"""What programs are shown and how their codes are judged, with a program that is a Python function."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest

from tiltyard_engine.programs import Call, Program, ProgramError
from tiltyard_engine.results import Termination
from tiltyard_penguins.adapter import ProgramPlayer
from tiltyard_penguins.board_files import PlayerRow, read_board_file
from tiltyard_penguins.exchanged import with_size_exchanged
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition

Answer = Callable[[str], tuple[int, str | None]]
"""From the file that it is given to its exit code, and the file that it leaves."""


class FakeProgram(Program):
    """Answers from a function; ``shown`` are the files that it got, ``words`` the arguments."""

    def __init__(self, answer: Answer, name: bytes = b"bot\n", stderr: bytes = b"", protocol: str = "") -> None:
        self.shown: list[str] = []
        self.words: list[Sequence[str]] = []
        self.protocol = protocol
        self._answer, self._name, self._stderr = answer, name, stderr

    def begin(self, seconds: float, doing: str) -> None:
        raise AssertionError("whoever holds the seat does this")

    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        if arguments == ["name"]:
            return Call(exit_code=0, signal=0, stdout=self._name, stderr=b"", files={})
        self.words.append(arguments)
        self.shown.append(files["board.txt"].decode("utf-8", "surrogateescape"))
        code, text = self._answer(self.shown[-1])
        written = files.get(outputs[0], b"") if text is None else text.encode("utf-8", "surrogateescape")
        return Call(
            exit_code=code, signal=0, stdout=b"", stderr=self._stderr, files={} if text == "gone" else {outputs[0]: written}
        )

    def write(self, data: bytes) -> None:
        raise NotImplementedError

    def read(self, limit: int) -> bytes:
        raise NotImplementedError

    def read_line(self, limit: int = 0) -> bytes:
        raise NotImplementedError

    def close_input(self) -> None:
        raise NotImplementedError


def position(text: str, phase: str, player: int, said_names: tuple[str, ...] = ()) -> PenguinsPosition:
    file = read_board_file(text.encode())
    names = said_names or ("",) * len(file.players)
    return PenguinsPosition(
        rows=file.rows,
        columns=file.columns,
        cells=file.cells,
        phase=phase,
        penguins=2,
        player=player,
        order=(player,),
        players=file.players,
        said_names=names,
    )


START = "1 4\n10 20 10 10\n"


def ask(program: FakeProgram, *positions: PenguinsPosition) -> list[Move]:
    player = ProgramPlayer(program)
    player.start(positions[0])
    return [player.choose(each) for each in positions]


def writes(text: str, code: int = 0) -> Answer:
    return lambda shown: (code, text)


def test_the_first_penguin_brings_name_and_number() -> None:
    program = FakeProgram(writes("1 4\n10 20 10 01\nbot 1 1\n"))
    assert ask(program, position(START, PLACEMENT, 1)) == [Move(3, -1, name="bot", number=1, said_name="bot")]
    assert program.shown == [START]


@pytest.mark.parametrize(("protocol", "output"), [("", "board.txt"), ("two-files", "newboard.txt")])
def test_a_program_is_called_as_the_course_does(protocol: str, output: str) -> None:
    texts = iter(["1 4\n10 20 10 01\nbot 1 1\n", "1 4\n10 20 01 00\nbot 1 2\n"])
    program = FakeProgram(lambda shown: (0, next(texts)), protocol=protocol)
    ask(program, position(START, PLACEMENT, 1), position("1 4\n10 20 10 01\nbot 1 1\n", MOVEMENT, 1))
    assert program.words == [["phase=placement", "penguins=2", "board.txt", output], ["phase=movement", "board.txt", output]]


def test_ids_of_others_that_are_the_same_are_shown_otherwise() -> None:
    # The other one has the ID that this one says is its name.
    first = position("1 4\n01 20 10 10\nbot 1 1\n", PLACEMENT, 2)
    second = position("1 4\n01 20 10 02\nbot 1 1\nbot 2 1\n", PLACEMENT, 2)
    steps = iter(["1 4\n01 20 10 02\nbot~1 1 1\nbot 2 1\n", "1 4\n01 20 02 02\nbot~1 1 1\nbot 2 2\n"])
    program = FakeProgram(lambda shown: (0, next(steps)))
    assert [move.target for move in ask(program, first, second)] == [3, 2]
    assert program.shown == ["1 4\n01 20 10 10\nbot~1 1 1\n", "1 4\n01 20 10 02\nbot~1 1 1\nbot 2 1\n"]


def test_a_copy_is_known_by_the_name_that_it_says() -> None:
    # It writes another ID than it says, and so does its copy.
    program = FakeProgram(writes("1 4\n01 20 10 02\nHERE~1 1 1\nHERE 2 1\n"), name=b"epfu")
    ask(program, position("1 4\n01 20 10 10\nHERE 1 1\n", PLACEMENT, 2, ("epfu",)))
    assert program.shown == ["1 4\n01 20 10 10\nHERE~1 1 1\n"]


def test_a_new_name_is_nobodys() -> None:
    rows = (PlayerRow("bot", 1, 1), PlayerRow("bot~1", 3, 1))
    crowded = PenguinsPosition(
        rows=1,
        columns=4,
        cells=bytes([1, 20, 3, 10]),
        phase=PLACEMENT,
        penguins=2,
        player=2,
        order=(2,),
        players=rows,
        said_names=("", ""),
    )
    program = FakeProgram(writes("1 4\n01 20 03 02\nbot~2 1 1\nbot~1 3 1\nbot 2 1\n"))
    ask(program, crowded)
    assert program.shown == ["1 4\n01 20 03 10\nbot~2 1 1\nbot~1 3 1\n"]


def test_an_id_in_any_encoding_stays_its_own() -> None:
    own = b"\xb3\xf3d".decode("utf-8", "surrogateescape")
    steps = iter([f"1 4\n10 20 10 01\n{own} 1 1\n", f"1 4\n10 20 01 01\n{own} 1 2\n"])
    program = FakeProgram(lambda shown: (0, next(steps)))
    player = ProgramPlayer(program)
    player.start(position(START, PLACEMENT, 1))
    move = player.choose(position(START, PLACEMENT, 1))
    assert move.name == "\\xb3\\xf3d"
    row = PlayerRow(move.name, 1, 1)
    player.choose(
        PenguinsPosition(
            rows=1,
            columns=4,
            cells=bytes([10, 20, 10, 1]),
            phase=PLACEMENT,
            penguins=2,
            player=1,
            order=(1,),
            players=(row,),
            said_names=("",),
        )
    )
    assert program.shown[1] == f"1 4\n10 20 10 01\n{own} 1 1\n"


MOVING = position("1 4\n01 20 00 02\nbot 1 1\nfoe 2 1\n", MOVEMENT, 1)
STUCK = position("1 4\n01 00 20 02\nbot 1 1\nfoe 2 1\n", MOVEMENT, 1)


def answer_of(at: PenguinsPosition, program: FakeProgram) -> Move:
    """The answer of a program that has its row already."""
    player = ProgramPlayer(program)
    player._own_name = "bot"
    return player.choose(at)


def test_codes_are_judged_by_the_referees_own_knowledge() -> None:
    assert answer_of(MOVING, FakeProgram(writes("1 4 \r\n00 21 00 02 \r\nbot 1 3\r\nfoe 2 1"))) == Move(
        1, 0, remarks=("leaves the number of fish under its penguins",)
    )
    assert answer_of(STUCK, FakeProgram(lambda shown: (1, None))) == PASS
    assert answer_of(STUCK, FakeProgram(lambda shown: (1, shown.replace("\n", " \r\n")))) == PASS
    assert answer_of(STUCK, FakeProgram(lambda shown: (0, None))).remarks == (
        "exited with code 0 instead of 1 although no move was possible",
    )


@pytest.mark.parametrize(
    ("at", "code", "text", "termination", "message"),
    [
        (MOVING, 1, None, Termination.ILLEGAL_MOVE, "exited with code 1 (no move possible), but it could move: why"),
        (MOVING, 0, None, Termination.ILLEGAL_MOVE, "exited with code 0 without a change, but it could move"),
        (
            MOVING,
            2,
            None,
            Termination.PROTOCOL,
            "exited with code 2 (bad input), but the file is correct: why; IN and OUT are one file: read it to its end before",
        ),
        (MOVING, 3, None, Termination.CRASH, "exited with code 3 (internal error): why"),
        (MOVING, 4, None, Termination.CRASH, "the program exited with code 4: why"),
        (MOVING, 0, "gone", Termination.PROTOCOL, "exited with code 0, but did not write board.txt"),
        (MOVING, 1, "gone", Termination.PROTOCOL, "exited with code 1, but did not write board.txt"),
        (MOVING, 0, "", Termination.PROTOCOL, "the file it wrote isn't a valid state: line 1, column 1: no m n line: "),
        (
            STUCK,
            1,
            "1 4\n00 01 20 02\nbot 1 1\nfoe 2 1\n",
            Termination.ILLEGAL_MOVE,
            "moved from row 1, column 1 to row 1, column 2",
        ),
        (STUCK, 0, "1 4\n01 00 20 02\nbot 1 9\nfoe 2 1\n", Termination.ILLEGAL_MOVE, "changed rows but moved no penguin"),
    ],
)
def test_breaches(at: PenguinsPosition, code: int, text: str | None, termination: Termination, message: str) -> None:
    with pytest.raises(ProgramError) as caught:
        answer_of(at, FakeProgram(lambda shown: (code, text), stderr=b"why\n"))
    assert caught.value.termination == termination
    assert caught.value.message.startswith(message)


def test_the_second_file_may_stay_empty_where_nothing_is_to_do() -> None:
    assert answer_of(STUCK, FakeProgram(lambda shown: (1, None), protocol="two-files")) == PASS
    with pytest.raises(ProgramError, match=r"exited with code 0, but did not write newboard\.txt"):
        answer_of(MOVING, FakeProgram(lambda shown: (0, None), protocol="two-files"))


def test_two_others_of_one_name_are_told_apart() -> None:
    # Real programs take a second row of a name for an error, or for the first one.
    program = FakeProgram(writes("1 5\n02 20 03 20 01\nHERE 2 1\nHERE~1 3 1\nbot 1 1\n"))
    rows = (PlayerRow("HERE", 2, 1), PlayerRow("HERE", 3, 1))
    ask(
        program,
        PenguinsPosition(
            rows=1,
            columns=5,
            cells=bytes([2, 20, 3, 20, 10]),
            phase=PLACEMENT,
            penguins=2,
            player=1,
            order=(1,),
            players=rows,
            said_names=("epfu", "epfu"),
        ),
    )
    assert program.shown == ["1 5\n02 20 03 20 10\nHERE 2 1\nHERE~1 3 1\n"]


WIDE = position("2 3\n10 01 20\n30 10 20\nbot 1 1\nfoe 2 1\n", MOVEMENT, 1)
SQUARE = position("3 3\n10 01 20\n10 30 00\n00 10 20\nbot 1 1\nfoe 2 1\n", MOVEMENT, 1)
PLACING = position("2 3\n30 20 10\n20 20 10\nbot 1 0\nfoe 2 1\n", PLACEMENT, 1)


@pytest.mark.parametrize(
    ("at", "text", "hint"),
    [
        # It meant row 1, column 2 to row 1, column 1, and changed the squares of the columns.
        (SQUARE, "3 3\n01 01 20\n00 30 00\n00 10 20\nbot 1 2\nfoe 2 1\n", "from row 1, column 2 to row 1, column 1: look where"),
        # The penguin leaves the right floe, and goes to row 1, column 2 instead of row 2, column 1.
        (
            position("3 3\n01 00 20\n10 30 00\n00 10 20\nbot 1 1\nfoe 2 1\n", MOVEMENT, 1),
            "3 3\n00 01 20\n10 30 00\n00 10 20\nbot 1 2\nfoe 2 1\n",
            "from row 1, column 1 to row 2, column 1: look where",
        ),
        (
            position("3 3\n10 20 20\n10 30 00\n00 10 20\nbot 1 0\nfoe 2 1\n", PLACEMENT, 1),
            "3 3\n10 01 20\n10 30 00\n00 10 20\nbot 1 1\nfoe 2 1\n",
            "at row 2, column 1: look where",
        ),
        # Written with its columns as lines: as large as it says, as large as it was, and where both are as many.
        (WIDE, "3 2\n01 30\n00 10\n20 20\nbot 1 2\nfoe 2 1\n", "; it wrote the columns as lines"),
        (WIDE, "2 3\n01 30\n00 10\n20 20\nbot 1 2\nfoe 2 1\n", "; it wrote the columns as lines"),
        (SQUARE, "3 3\n01 10 00\n00 30 10\n20 00 20\nbot 1 2\nfoe 2 1\n", "; it wrote the columns as lines"),
        # As 3 rows of 2 it can go down from row 1, column 2.
        (WIDE, "3 2\n10 00\n20 01\n10 20\nbot 1 4\nfoe 2 1\n", "; it read the first line as columns and rows"),
        (WIDE, "2 3\n10 00\n20 01\n10 20\nbot 1 4\nfoe 2 1\n", "; it read the first line as columns and rows"),
        (WIDE, "3 2\n01 00 20\n30 10 20\nbot 1 2\nfoe 2 1\n", "; its first line has the number of columns first"),
        # Nothing is said where the answer is wrong the other way round too.
        (SQUARE, "3 3\n01 01 20\n00 30 00\n00 10 20\nbot 1 4\nfoe 2 1\n", ""),
        (SQUARE, "3 3\n10 00 20\n10 30 00\n00 10 01\nbot 1 3\nfoe 2 1\n", ""),
        (PLACING, "2 3\n01 20 10\n20 20 10\nbot 1 1\nfoe 2 1\n", ""),
        (PLACING, "2 3\n30 20 10\n20 20 10\n10 10 10\nbot 1 1\nfoe 2 1\n", ""),
        (WIDE, "3 2\n10 00\n20 30\n10 01\nbot 1 4\nfoe 2 1\n", ""),
        (WIDE, "2 4\n01 00 20 10\n30 10 20 10\nbot 1 2\nfoe 2 1\n", ""),
    ],
)
def test_who_takes_row_for_column_is_told_only_where_that_explains_the_answer(at: PenguinsPosition, text: str, hint: str) -> None:
    with pytest.raises(ProgramError) as caught:
        answer_of(at, FakeProgram(writes(text)))
    assert hint in caught.value.message
    assert bool(hint) == any(word in caught.value.message for word in ("; with row", "; it wrote", "; it read", "; its first"))


def test_a_file_without_end_is_no_exchange_and_ends() -> None:
    """Where it was searched for two numbers, a million digits took hours."""
    assert with_size_exchanged(b"1" * 1_000_000) is None
