from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from tiltyard_tanks import commands, map_commands
from tiltyard_tanks.maps import read_map, write_map

YARD = b"Yard\nMaxSteps = 100\nNumShells = 5\nRows = 4\nCols = 8\n#1  @   \n        \n        \n   @  2#\n"
UNFAIR = b"Yard\nMaxSteps = 100\nNumShells = 5\nRows = 1\nCols = 8\n#1  @   \n"


def run(*arguments: str | Path, standard_input: bytes = b"") -> Result:
    result = CliRunner(env={"COLUMNS": "200"}).invoke(
        map_commands.app, [str(argument) for argument in arguments], input=standard_input
    )
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def assert_refused(result: Result, *parts: str) -> None:
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    for part in parts:
        assert part in result.stderr


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    path = tmp_path / "yard.txt"
    path.write_bytes(YARD)
    return path


def test_the_plugin_brings_one_command_whose_target_exists() -> None:
    (command,) = commands.commands()
    module, attribute = command.target.split(":")
    assert command.name == "tanks"
    assert isinstance(getattr(import_module(module), attribute), typer.Typer)


def test_naming_the_command_imports_no_typer() -> None:
    code = "import sys, tiltyard_tanks.commands as c; list(c.commands()); sys.exit('typer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("command", ["generate", "check", "draw"])
def test_help_teaches_with_an_example(command: str) -> None:
    result = run(command, "--help")
    assert result.exit_code == 0
    assert f"tiltyard tanks {command} " in result.stdout


# generate


def test_a_map_goes_to_standard_output_alone() -> None:
    result = run("generate", "--rows", "9", "--cols", "12", "--tanks", "2", "--seed", "3", "--title", "Höhle")
    assert result.exit_code == 0
    assert result.stderr == ""
    tank_map = read_map("out", result.stdout_bytes)
    assert (tank_map.title, tank_map.height, tank_map.width, tank_map.recovered) == ("Höhle", 9, 12, ())
    assert write_map(tank_map).encode() == result.stdout_bytes


def test_a_map_goes_to_a_file_and_nothing_to_standard_output(tmp_path: Path) -> None:
    path = tmp_path / "new.txt"
    result = run("generate", "-o", path)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert read_map("new", path.read_bytes()).recovered == ()


def test_an_existing_file_is_overwritten_only_by_force(yard: Path) -> None:
    assert_refused(run("generate", "-o", yard), str(yard), "--force")
    assert yard.read_bytes() == YARD
    assert run("generate", "-o", yard, "--force").exit_code == 0
    assert yard.read_bytes() != YARD


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert_refused(run("generate", "-o", tmp_path / "missing" / "map.txt"), "missing", "No such file or directory")
    assert_refused(run("generate", "-o", tmp_path, "--force"), "cannot be written", "directory")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_behind_standard_output_is_told() -> None:
    with Path("/dev/full").open("wb") as full:
        code = "from tiltyard_tanks.map_commands import app; app()"
        result = subprocess.run([sys.executable, "-c", code, "generate"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert result.returncode == 2
    assert result.stderr.startswith(b"error: standard output cannot be written: No space left")
    assert b"Traceback" not in result.stderr


def test_any_number_of_players_works_without_naming_a_symmetry() -> None:
    for players in range(2, 10):
        assert run("generate", "-p", str(players), "--tanks", "1").exit_code == 0


def test_impossible_wishes_are_told() -> None:
    assert_refused(run("generate", "--tanks", "500"), "use fewer")
    assert_refused(run("generate", "--symmetry", "mirror", "-p", "4"), "not fair to 4 players")


@pytest.mark.parametrize(
    "option",
    [("--rows", "many"), ("--rows", "0"), ("--walls", "1.5"), ("--walls", "nan"), ("--symmetry", "spiral"), ("--players", "1")],
)
def test_bad_numbers_are_usage_errors(option: tuple[str, str]) -> None:
    result = run("generate", *option)
    assert result.exit_code == 2
    assert option[0] in result.stderr
    assert "Traceback" not in result.stderr


# check


def test_a_fine_map_is_fine(yard: Path) -> None:
    result = run("check", "--strict", yard)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{yard}: fine\n")


def test_warnings_fail_only_when_strict(tmp_path: Path) -> None:
    path = tmp_path / "unfair.txt"
    path.write_bytes(UNFAIR)
    assert run("check", path).exit_code == 0
    result = run("check", "--strict", path)
    assert result.exit_code == 1
    assert "warning: not fair" in result.stdout


def test_an_unusable_file_does_not_keep_the_others_from_being_checked(yard: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"Yard\nSteps = 3\n")
    result = run("check", "--strict", bad, yard)
    assert result.exit_code == 2
    assert result.stderr == f"error: {bad}, line 2: expected 'MaxSteps = <number>', got 'Steps = 3'\n"
    assert f"{yard}: fine" in result.stdout


def test_maps_come_through_a_pipe(yard: Path) -> None:
    assert run("check", "-", standard_input=yard.read_bytes()).stdout.startswith("standard input: fine\n")
    assert run("draw", "-", standard_input=yard.read_bytes()).stdout == run("draw", yard).stdout


def test_shipped_maps_are_known_by_name() -> None:
    assert run("check", "--strict", "narrow-pass", "four-corners").exit_code == 0


@pytest.mark.parametrize("command", ["check", "draw"])
def test_files_that_cannot_be_read_are_told(command: str, tmp_path: Path) -> None:
    assert_refused(run(command, tmp_path / "missing.txt"), "missing.txt: no such file", "narrow-pass")
    assert_refused(run(command, tmp_path), "this is a folder")
    assert_refused(run(command, "x" * 5000), "cannot be read")
    assert_refused(run(command, tmp_path / "\x1b[2J"), "\N{REPLACEMENT CHARACTER}[2J: no such file")


# draw


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As ``draw`` sees it: a terminal that takes colour."""
    monkeypatch.setattr("tiltyard_tanks.map_commands._is_terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    return monkeypatch


def test_a_pipe_gets_no_colours(yard: Path) -> None:
    result = run("draw", yard)
    assert result.exit_code == 0
    assert "\x1b" not in result.stdout
    assert "1←" in result.stdout


def test_a_terminal_gets_colours_unless_told_otherwise(yard: Path, terminal: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in run("draw", yard).stdout
    assert "\x1b" not in run("draw", yard, "--color", "never").stdout
    terminal.setenv("NO_COLOR", "1")
    assert "\x1b" not in run("draw", yard).stdout
    assert "\x1b[" in run("draw", yard, "--color", "always").stdout
    terminal.setenv("NO_COLOR", "")
    assert "\x1b[" in run("draw", yard).stdout
    terminal.setenv("TERM", "dumb")
    assert "\x1b" not in run("draw", yard).stdout


def test_a_drawing_too_wide_for_the_terminal_comes_with_a_hint(terminal: pytest.MonkeyPatch) -> None:
    terminal.setattr("shutil.get_terminal_size", lambda *_, **__: (80, 24))
    assert "wider than the terminal" in run("draw", "great-plain").stderr
    assert run("draw", "back-yard").stderr == ""


def test_ascii_only_on_request_and_where_nothing_else_shows(yard: Path) -> None:
    assert run("draw", yard, "--ascii").stdout.isascii()
    environment = {"PYTHONIOENCODING": "ascii", "PATH": ""}
    code = "from tiltyard_tanks.map_commands import app; app()"
    result = subprocess.run([sys.executable, "-c", code, "draw", str(yard)], env=environment, capture_output=True, check=True)
    assert result.stdout.decode("ascii") == run("draw", yard, "--ascii").stdout


def test_pictures_go_to_files_too(yard: Path, tmp_path: Path) -> None:
    picture = tmp_path / "yard.svg"
    assert run("draw", yard, "--svg", "-o", picture).exit_code == 0
    assert picture.read_text() == run("draw", yard, "--svg").stdout
    assert picture.read_text().startswith("<svg ")
    assert_refused(run("draw", yard, "--svg", "-o", picture), "already exists; use --force")


def test_a_map_can_be_drawn_for_another_number_of_players() -> None:
    assert "3↑" in run("draw", "four-corners").stdout
    assert "3↑" not in run("draw", "four-corners", "--players", "2").stdout
