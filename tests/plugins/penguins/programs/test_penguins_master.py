"""The command ``penguins-master``."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.plugins.penguins.matches import BOARD, PROGRAMS, PYTHON

from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.programs.penguins_master import _parser, main
from tiltyard_simulator.guard.cells.zygote import Zygote

HONEST = f"{PYTHON} -S -B {PROGRAMS / 'honest.py'}"
CHEAT = f"{PYTHON} -S -B {PROGRAMS / 'jumps_water.py'}"


@pytest.fixture
def board(tmp_path: Path) -> str:
    path = tmp_path / "board.txt"
    path.write_text(BOARD)
    return str(path)


def test_a_game_call_by_call_and_the_table(board: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "last.txt"
    assert main(["--board", board, HONEST, CHEAT, HONEST, "--keep", str(kept)]) == 0
    lines = [re.sub(r" +\d+ ms", " - ms", line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == f"{board}: 5 x 6; 2 penguins each"
    assert lines[1].startswith("Program isolation: ")
    assert lines[2:5] == [
        "A honest#1       placement code 0 - ms  places at row 5, column 6",
        "B jumps_water    placement code 0 - ms  places at row 5, column 1",
        "C honest#2       placement code 0 - ms  places at row 3, column 6",
    ]
    assert any("OUT: " in line for line in lines)
    table = lines[lines.index("") + 1 :]
    assert table[0].split() == ["place", "player", "fish", "slowest", "how", "it", "ended"]
    assert [line.split()[0] for line in table[1:]] == ["1", "2", "3"]
    assert "B jumps_water" in table[3]
    assert "out: illegal move: " in table[3]
    assert [row.name for row in read_board_file(kept.read_bytes()).players] == ["honest#1", "jumps_water", "honest#2"]


def test_a_call_shows_its_time_on_the_clock_and_the_table_cpu_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sleeper = tmp_path / "sleeper"
    sleeper.write_text("#!/bin/sh\n[ $1 = name ] && echo sleeper && exit\nsleep 0.4\nexit 3\n")
    sleeper.chmod(0o755)
    assert main(["--size", "5x5", "--seed", "1", "--penguins", "1", str(sleeper)]) == 0
    call, slowest = (int(found) for found in re.findall(r"(\d+) ms", capsys.readouterr().out))
    assert slowest < 400 <= call
    with pytest.raises(SystemExit):
        _parser().parse_args(["--help"])
    assert "each call's outcome and wall time, then the table; its 'slowest' is CPU time" in " ".join(
        capsys.readouterr().out.split()
    )


def test_quiet_and_lenient_on_a_new_board(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--size", "5x5", "--seed", "1", "--penguins", "1", "--quiet", "--lenient", HONEST, HONEST]
    assert main(words) == 0
    first = capsys.readouterr().out
    assert main(words) == 0
    ms = r" +\d+ ms"
    assert re.sub(ms, "", first) == re.sub(ms, "", capsys.readouterr().out)
    assert len(first.splitlines()) == 4


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["./no-such-program"], "./no-such-program: no such program"),
        (["no-such-program"], "no-such-program: no such program; write ./no-such-program for a program in this folder"),
        (["--board", "none.txt", HONEST], "none.txt: cannot be read: "),
        (["--size", "2x2", HONEST, HONEST], "a board of 2 x 2 has 2 floes, too few for 6 penguins"),
        ([HONEST] * 10, "10 programs; the limit is 9"),
        (["--board", "x", "--seed", "1", HONEST], "--size and --seed are for new boards"),
        (["'", HONEST], "': No closing quotation"),
    ],
)
def test_what_cannot_be_played(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"penguins-master: {message}")
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize("words", [[], ["--size", "5", HONEST], ["--penguins", "0", HONEST], ["--seconds", "no", HONEST]])
def test_wrong_calls(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "usage: penguins-master" in capsys.readouterr().err


def test_help_teaches(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    assert "PROGRAM phase=placement penguins=N board.txt board.txt" in capsys.readouterr().out


def test_the_games_own_algorithms_play_too(board: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--board", board, "penguins-greedy", HONEST, "penguins-greedy"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"A penguins-greedy#1 placement +\d+ ms  places at row \d, column \d", lines[2])
    assert all("finished" in line for line in lines[-3:])


def test_programs_of_several_folders_cost_one_zygote(board: str, tmp_path: Path, zygotes: list[Zygote]) -> None:
    programs = [tmp_path / f"team{number}" / "penguins" for number in range(3)]
    for program in programs:
        program.parent.mkdir()
        program.write_text("#!/bin/sh\nexit 1\n")
        program.chmod(0o755)
    assert main(["--board", board, "--quiet", *map(str, programs)]) == 0
    assert len(zygotes) == 1
