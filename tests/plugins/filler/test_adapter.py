"""External robots in matches: both protocols, first against a script, then as programs in a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from tests.conftest import RunCommand

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import DEFAULT_LINE_BYTES, Call, Program, ProgramError
from tiltyard_engine.results import Termination
from tiltyard_filler.adapter import RobotAdapter
from tiltyard_filler.positions import FillerPosition, Piece, Placement

POSITION = FillerPosition(width=4, height=2, board=b"@a..s..$", piece=Piece(3, 2, b"OO..O."), player=1)
SUBJECTS = b"Anfield 4 2:\n    0123\n000 @a..\n001 s..$\nPiece 3 2:\nOO.\n.O.\n"
FORTY_TWOS = b"Plateau 2 4:\n    0123\n000 OO..\n001 X..X\nPiece 2 3:\n**.\n.*.\n"


class ScriptedProgram(Program):
    """Answers from a list; what is written to it is kept."""

    def __init__(self, *lines: bytes, protocol: str = "") -> None:
        self.protocol = protocol
        self.lines = list(lines)
        self.written: list[bytes] = []

    def begin(self, seconds: float, doing: str) -> None:
        raise NotImplementedError

    def call(self, arguments: Sequence[str], files: Mapping[str, bytes], outputs: Sequence[str] = (), stdin: bytes = b"") -> Call:
        raise NotImplementedError

    def write(self, data: bytes) -> None:
        self.written.append(data)

    def read(self, limit: int) -> bytes:
        raise NotImplementedError

    def read_line(self, limit: int = DEFAULT_LINE_BYTES) -> bytes:
        assert limit == 1024
        return self.lines.pop(0)

    def close_input(self) -> None:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("protocol", "dialect", "turn", "line"),
    [
        ("", "01", SUBJECTS, b"-3 12\n"),
        ("01", "42", SUBJECTS, b"-3 12\n"),
        ("", "42", FORTY_TWOS, b" 12x\t-3 \r\n"),
        ("42", "01", FORTY_TWOS, b"12 -3\n"),
    ],
)
def test_what_is_sent_and_understood(protocol: str, dialect: str, turn: bytes, line: bytes) -> None:
    program = ScriptedProgram(line, protocol=protocol)
    position = FillerPosition(width=4, height=2, board=POSITION.board, piece=POSITION.piece, player=1, dialect=dialect)
    adapter = RobotAdapter(program, 2)
    adapter.start(position)
    assert adapter.choose(position) == Placement(-3, 12)
    assert program.written == [b"$$$ exec p2 : [robot]\n", turn]


def test_what_42_makes_of_words() -> None:
    program = ScriptedProgram(b"down left\n", protocol="42")
    assert RobotAdapter(program, 1).choose(POSITION) == Placement(0, 0)


@pytest.mark.parametrize(("protocol", "line"), [("", b"7 2 \n"), ("01", b"7\n"), ("42", b"7\n"), ("42", b"1 2 3\n")])
def test_no_answer_is_a_fault(protocol: str, line: bytes) -> None:
    with pytest.raises(ProgramError) as caught:
        RobotAdapter(ScriptedProgram(line, protocol=protocol), 1).choose(POSITION)
    assert caught.value.termination is Termination.PROTOCOL
    assert repr(line) in caught.value.message


def test_huge_numbers_fit_the_wire() -> None:
    answer = RobotAdapter(ScriptedProgram(b"-99999999999999999999999 99999999999999999999999\n"), 1).choose(POSITION)
    assert answer == Placement(-(1 << 62), 1 << 62)
    of_42 = RobotAdapter(ScriptedProgram(b"-99999999999999999999999 99999999999999999999999\n", protocol="42"), 1).choose(POSITION)
    assert of_42 == Placement(1 << 62, -(1 << 62))


def test_an_unknown_protocol() -> None:
    with pytest.raises(UserError, match="'43'"):
        RobotAdapter(ScriptedProgram(protocol="43"), 1)


ROBOT = """#!/bin/sh
read -r hello
while read -r word rest; do
    [ "$word" = Piece ] && echo "{answer}"
done
"""


def test_programs_of_both_protocols_meet(tmp_path: Path, run_command: RunCommand) -> None:
    """One answers nonsense in the subject's protocol, the other a place outside in 42's: a fault, and no fault."""
    (tmp_path / "board").write_text("@....\n.....\n.....\n.....\n....$\n")
    for name, protocol, answer in (("strange", "01", "what?"), ("outside", "42", "99 99")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "program.toml").write_text(f'game = "filler"\ncommand = ["./bot"]\nprotocol = "{protocol}"\n')
        (tmp_path / name / "bot").write_text(ROBOT.format(answer=answer))
        (tmp_path / name / "bot").chmod(0o755)
    done = run_command("tiltyard", "round-robin", "strange", "outside", "-m", "filler", "--maps", "board", "--format", "csv")
    rows = [line.split(",") for line in done.stdout.splitlines() if line.startswith(("1,", "2,"))]
    assert [(row[1], row[4], row[7]) for row in rows[:2]] == [("outside", "2", "0"), ("strange", "0", "2")], done
    said = "expected an answer 'X Y', got b'what?\\n' (sent: 'Anfield 5 5:' and "
    assert said in done.stdout + done.stderr
    assert " more lines; expected: X Y; command: ./bot)" in done.stdout + done.stderr
