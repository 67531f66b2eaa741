"""The robots as programs: they answer what they answer in a match, byte for byte, and need Python alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
from tests.plugins.filler.algorithms.positions_reached import play_on

from tiltyard_filler.anfield import write_hello, write_placement, write_position
from tiltyard_filler.plugin import algorithms, maps
from tiltyard_filler.positions import FillerPosition, Placement
from tiltyard_filler.robot_files import ROBOTS, main, robot_file, write_robots

TEAMS = {team.name: team for team in algorithms()}
START = next(file for file in maps() if file.name == "map00").data.replace(b"\n", b"")
SECONDS = 60.0
every_robot = pytest.mark.parametrize("name", ROBOTS)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robots")
    write_robots(folder)
    return folder


@cache
def positions(player: int) -> list[FillerPosition]:
    """Some of a game, the last one crowded."""
    return [play_on(START, 20, 15, turns + player - 1, 77) for turns in range(0, 90, 20)]


def say(program: Sequence[str], sent: bytes) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(program, input=sent, capture_output=True, check=False, timeout=SECONDS)


@cache
def expected(name: str, player: int) -> bytes:
    """What the algorithm answers in this process."""
    robot = TEAMS[name].create(player)
    answers: list[Placement] = [robot.choose(position) for position in positions(player)]
    return b"".join(map(write_placement, answers))


@every_robot
@pytest.mark.parametrize("player", [1, 2])
def test_a_file_answers_as_the_algorithm_does(files: Path, name: str, player: int) -> None:
    sent = write_hello(player, b"robots/" + name.encode()) + b"".join(map(write_position, positions(player)))
    # -I and -S: nothing that is installed can be imported.
    done = say([sys.executable, "-I", "-S", str(files / name)], sent)
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(name, player), b"")


@every_robot
def test_a_file_runs_by_itself(files: Path, name: str) -> None:
    done = say([str(files / name)], write_hello(1, b"x") + write_position(positions(1)[0]))
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(name, 1).split(b"\n")[0] + b"\n", b"")


@every_robot
def test_an_installed_command_answers_as_the_algorithm_does(name: str) -> None:
    command = Path(sys.executable).with_name(f"filler-{name}")
    done = say([str(command)], write_hello(2, b"x") + b"".join(map(write_position, positions(2))))
    assert (done.returncode, done.stdout, done.stderr) == (0, expected(name, 2), b"")


@pytest.mark.parametrize("sent", [b"", b"$$$ exec p1 : [x]\n", b"$$$ exec p1 : [x]\nAnfield 20 15:\n    0123", b"$$$ ex"])
def test_a_game_that_ends_early_is_no_error(files: Path, sent: bytes) -> None:
    done = say([str(files / "nearest")], sent)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_each_answer_is_one_write(files: Path) -> None:
    """Some engines read once and take what they get for the answer."""
    reader, writer = os.pipe()
    with subprocess.Popen([str(files / "nearest")], stdin=reader, stdout=subprocess.PIPE) as process:
        os.close(reader)
        assert process.stdout is not None
        with os.fdopen(writer, "wb", buffering=0) as stdin:
            stdin.write(write_hello(1, b"x"))
            for position in positions(1):
                stdin.write(write_position(position))
                assert os.read(process.stdout.fileno(), 1024).endswith(b"\n")
        assert process.wait(SECONDS) == 0


def test_an_engine_that_does_not_read_is_no_error(files: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    sent = write_hello(1, b"x") + b"".join(map(write_position, positions(1)))
    done = subprocess.run([str(files / "nearest")], input=sent, stdout=writer, stderr=subprocess.PIPE, check=False, timeout=SECONDS)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, b"")


def test_nonsense_is_an_error(files: Path) -> None:
    done = say([str(files / "heat")], b"hello\n")
    assert done.returncode == 1
    assert b"expected the line" in done.stderr


def test_a_file_is_the_same_whenever_it_is_made() -> None:
    assert robot_file("heat") == robot_file("heat")


def test_the_command_writes_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "in" / "robots")]) == 0
    assert capsys.readouterr().out.split() == [str(tmp_path / "in" / "robots" / name) for name in ROBOTS]


def test_the_command_says_what_is_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert main([str(tmp_path / "file")]) == 2
    assert "file: File exists" in capsys.readouterr().err
    assert main([]) == 2
    assert main(["--help"]) == 0
