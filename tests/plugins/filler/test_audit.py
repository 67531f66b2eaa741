"""The subject's audit: who is met where, what is reported, when it is passed."""

from __future__ import annotations

import json
import zipfile
from importlib import import_module
from pathlib import Path

import pytest
import typer
from tests.engine.attack import AS_PROGRAM, assert_harmless
from typer.testing import CliRunner, Result

from tiltyard_engine.errors import UserError
from tiltyard_filler import audit_commands, commands
from tiltyard_filler.audit import Entrant, find_entrant, find_opponents, plan
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.robot_files import write_robots

FOLDER = Path(__file__).parents[2] / "programs" / "filler"
COMPLAINS = AS_PROGRAM.replace("{", "read hello\n{", 1).replace(
    "exit 3", "echo 'thread main panicked: index out of bounds' >&2; exit 101"
)
GIVES_UP = """#!/bin/sh
read hello
while read line; do
    case "$line" in Piece*) echo '0 0';; esac
done
"""


def run(*arguments: str | Path) -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(audit_commands.app, ["filler", *map(str, arguments)])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def write_program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def small(tmp_path: Path) -> Path:
    path = tmp_path / "small"
    path.write_bytes(b"......\n.@....\n......\n......\n....$.\n......\n")
    return path


def test_the_plugin_brings_one_command_whose_target_exists() -> None:
    (command,) = commands.commands()
    module, attribute = command.target.split(":")
    assert command.name == "audit"
    assert isinstance(getattr(import_module(module), attribute), typer.Typer)


def entrants(*names: str) -> list[Entrant]:
    return [find_entrant(str(FOLDER / "zero"), FOLDER)] if not names else [Entrant(name, name, NO_TEAM) for name in names]


NO_TEAM = find_entrant(str(FOLDER / "zero"), FOLDER).team
BOARD = FillerMap(2, 1, b"@$")
THREE_MAPS = [(name, name, BOARD) for name in ("map00", "map01", "map02")]


def test_the_subjects_robots_are_met_where_its_audit_says() -> None:
    pairings = plan(THREE_MAPS, entrants("bender", "h2_d2", "terminator", "wall_e"))
    assert [(one.map_name, one.opponent.name, one.is_bonus) for one in pairings] == [
        ("map00", "wall_e", False),
        ("map01", "h2_d2", False),
        ("map02", "bender", False),
        ("map00", "terminator", True),
        ("map01", "terminator", True),
        ("map02", "terminator", True),
    ]


def test_others_are_met_on_every_map() -> None:
    pairings = plan(THREE_MAPS[:2], entrants("mine", "bender"))
    assert [(one.map_name, one.opponent.name) for one in pairings] == [("map00", "mine"), ("map01", "mine")]
    assert len(plan(THREE_MAPS, entrants("bender", "h2_d2"), all_pairings=True)) == 6


def test_alone_the_terminator_counts() -> None:
    assert not any(pairing.is_bonus for pairing in plan(THREE_MAPS, entrants("terminator")))


def test_a_folder_stands_for_the_programs_in_it(tmp_path: Path) -> None:
    write_robots(tmp_path)
    (tmp_path / "README").write_text("no program")
    assert [one.name for one in find_opponents([str(tmp_path)], tmp_path)] == ["champion", "heat", "nearest", "voronoi"]


def test_seats_alternate_and_wins_pass(small: Path, tmp_path: Path) -> None:
    weak = write_program(tmp_path / "weak", GIVES_UP)
    result = run("nearest", "-o", weak, "-m", small, "--games", "3", "--json")
    assert result.exit_code == 0
    report = json.loads(result.stdout)
    (pairing,) = report["pairings"]
    assert report["passed"] is True
    assert (pairing["won"], pairing["wins_needed"]) == (3, 3)
    assert [game["seat"] for game in pairing["games"]] == [1, 2, 1]
    assert len({game["seed"] for game in pairing["games"]}) == 3
    assert all(game["cells"][0] > game["cells"][1] == 1 for game in pairing["games"])
    assert all("legal placement" in game["failings"][0]["what"] for game in pairing["games"])


def test_a_fault_is_told_with_what_the_robot_said(small: Path, tmp_path: Path) -> None:
    broken = write_program(tmp_path / "broken", COMPLAINS)
    result = run(broken, "-o", "heat", "-m", small, "--games", "1")
    assert result.exit_code == 1
    assert "NOT PASSED: 0 of 1 pairings, 0 of 1 games won" in result.stdout
    assert "broken: crash in turn 1: the robot: the program exited with code 101" in result.stdout
    assert "thread main panicked: index out of bounds" in result.stdout
    assert_harmless(result.stdout)
    assert f"game_engine -f {small} -p1 {broken} -p2 $(command -v filler-heat) -s 1 |" in result.stdout


def test_a_robot_that_does_not_flush_is_told_so(small: Path, tmp_path: Path) -> None:
    robot = write_program(tmp_path / "robot", "#!/usr/bin/perl\nprint qq(0 0\\n) while <STDIN>;\n")
    result = run(robot, "-o", "nearest", "-m", small, "--games", "1", "--wins", "0")
    said = "stall in turn 1: the robot: no answer, and it waits for more input; its answer came when its input ended, b'0 0\\\\n'"
    assert said in result.stdout or said.replace("\\\\", "\\") in result.stdout
    assert "flush after each line, with $| = 1 (sent: 'Anfield " in result.stdout


def test_a_robot_that_sleeps_is_out_of_time(small: Path) -> None:
    result = run(FOLDER / "sleep", "-o", "nearest", "-m", small, "--games", "2", "--time", "0.2", "--wins", "0")
    assert result.exit_code == 0
    assert result.stdout.count("sleep: stall in turn 1: the robot: no answer within") == 2


def test_a_program_on_the_folders_path_is_not_mistaken_for_a_robot_of_the_project(tmp_path: Path) -> None:
    own = find_entrant("heat", tmp_path)
    other = find_entrant(str(tmp_path / "heat"), tmp_path)
    assert (own.is_own, other.is_own) == (True, False)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["heatt", "-o", "heat"], "did you mean heat?"),
        (["./nowhere", "-o", "heat"], "the file ./nowhere does not exist"),
        (["heat", "-o", "EMPTY"], "contains no programs"),
        (["heat", "-o", "heat", "-m", "map0"], "did you mean map0"),
        (["heat", "-o", "heat", "-m", "./map0"], "the map file ./map0 does not exist"),
        (["PLAIN", "-o", "heat"], "chmod +x"),
        (["EMPTY", "-o", "heat"], "contains 0 robots"),
        (["heat", "-o", "EMPTY/bender", "-m", "map00"], "use --all to play every robot on every map"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path: Path, words: list[str], told: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "plain").touch()
    if "EMPTY/bender" in words:
        write_program(tmp_path / "empty" / "bender", GIVES_UP)
    replaced = [word.replace("EMPTY", str(tmp_path / "empty")).replace("PLAIN", str(tmp_path / "plain")) for word in words]
    result = run(*replaced)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1 + ("did you mean" in told)
    assert told in result.stderr


def test_a_directory_is_no_robot(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a file"):
        find_entrant(str(tmp_path), tmp_path)


def test_a_robot_is_built_from_what_was_handed_in(tmp_path: Path, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with zipfile.ZipFile("ann.zip", "w") as archive:
        archive.writestr(
            "ann/robot.py", "import sys\nfor line in sys.stdin:\n    line.startswith('Piece') and print('0 0', flush=True)\n"
        )
    result = run("ann.zip", "-o", "heat", "--map", small, "--games", "1", "--json")
    assert result.exit_code == 1
    assert "ann: built by python-program" in result.stderr
    assert json.loads(result.stdout)["robot"] == "ann.zip"
    Path("ben.zip").write_bytes(b"text")
    result = run("ben.zip", "-o", "heat", "--map", small)
    assert result.exit_code == 2
    assert "ben.zip: is not an archive, though its name says so; send a zip" in result.stderr
    assert not (tmp_path / "handed-in").exists()
