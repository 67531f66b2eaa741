"""Strangers' plugins from the command line: installed, as files, as projects; none is imported by the command."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, WriteMap, map_text
from tests.engine.making import install, project, team_source, write

NOT_HERE = "import sys\nassert 'typer' not in sys.modules, 'imported by the command'\n"
"""The command has typer; a cell has not."""

REFEREE = """
from tiltyard_engine import GameManager, Manager, MapFile, hookimpl
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.rules import DIALECTS

class Referee(TanksGameManager):
    def __init__(self):
        super().__init__(DIALECTS["reference"][0])

@hookimpl
def game_managers():
    yield Manager(name="thunder-rules", game="tanks", create=Referee, log_suffix=".log")

@hookimpl
def maps():
    yield MapFile("thunder-field", "tanks", {data!r})
"""


@pytest.fixture
def tiltyard(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> RunCommand:
    """``tiltyard("plugins", ..., NAME="value")`` runs the command with a variable set."""

    def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            return run_command("tiltyard", *words)

    return run


def test_a_file_plays(tiltyard: RunCommand, tmp_path: Path, write_map: WriteMap) -> None:
    write_map()
    write(tmp_path / "thunder.py", NOT_HERE + team_source("thunder"))
    write(tmp_path / "rules.py", REFEREE.format(data=b""))
    done = tiltyard(*["round-robin", "thunder.py", "acorn", "--maps", "duel.txt", "-m", "./rules.py", "-w", "1", "-v"])
    assert done.returncode == 0, done.stderr
    assert "thunder" in done.stdout
    assert "fault of" not in done.stdout
    assert len(list(tmp_path.glob("output_duel_thunder-rules_*.log"))) == 2


def test_installed_ones_play(tiltyard: RunCommand, tmp_path: Path) -> None:
    site = tmp_path / "site"
    data = map_text(DUEL, 20, 5).encode()
    write(site / "thunder_of_a_stranger.py", NOT_HERE + team_source("thunder"))
    write(site / "thunder_rules_of_a_stranger.py", REFEREE.format(data=data))
    install(site, "thunder-team", "1.0", {"thunder": "thunder_of_a_stranger", "rules": "thunder_rules_of_a_stranger"})
    words = ["round-robin", "thunder", "acorn", "--maps", "thunder-field", "-m", "thunder-rules"]
    done = tiltyard(*words, PYTHONPATH=str(site))
    assert done.returncode == 0, done.stderr
    assert "fault of" not in done.stdout
    assert "thunder" in done.stdout


def test_projects_with_the_same_package_meet(tiltyard: RunCommand, tmp_path: Path, write_map: WriteMap) -> None:
    write_map()
    for team, package in (("alice", "bot"), ("bob", "bot"), ("carol", "tiltyard_acorn")):
        folder = project(tmp_path / "teams" / team, f"{team}-team", {team: package})
        write(folder / package / "__init__.py", f"{NOT_HERE}from {package}.parts import algorithms\n")
        write(folder / package / "parts.py", team_source(team))
    done = tiltyard(*["round-robin", "teams", "acorn", "--maps", "duel.txt"])
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("left out") == 0
    assert all(name in done.stdout for name in ("alice", "bob", "carol"))
    assert "fault of" not in done.stdout


def test_plugins_lists_them_without_importing_them(tiltyard: RunCommand, tmp_path: Path) -> None:
    write(tmp_path / "thunder.py", NOT_HERE + team_source("thunder"))
    assert tiltyard("plugins", "thunder.py").returncode == 0
    trusting = tiltyard("plugins", "thunder.py", "--trust", "./thunder.py")
    assert "imported by the command" in trusting.stdout
    assert "imported by the command" in tiltyard("plugins", "thunder.py", "--isolation", "inline").stdout
    assert "imported by the command" in tiltyard("plugins", "thunder.py", TILTYARD_TRUST="./thunder.py").stdout


def test_no_submission_stops_the_others(tiltyard: RunCommand, tmp_path: Path, write_map: WriteMap) -> None:
    write_map()
    teams = tmp_path / "teams"
    for name in ("alice", "bob"):
        write(teams / f"{name}.py", team_source(name))
    write(teams / "deep" / "pyproject.toml", "a=" + "[" * 200_000)
    write(teams / "nosy" / "program.toml", 'game = "tanks"\ncommand = ["./x"]\nreadable = ["/usr/../root"]\n')
    write(teams / "linked" / "program.toml", 'game = "tanks"\ncommand = ["./x"]\nreadable = ["/root"]\n')
    os.mkfifo(teams / "ff.so")
    os.mkfifo(teams / "ff.py")
    (teams / "loop.py").symlink_to("loop.py")
    Path(os.fsdecode(bytes(teams) + b"/odd\xff.py")).touch()
    listed = tiltyard("plugins", "teams", "-f", "csv")
    assert listed.returncode == 1
    assert listed.stdout.count(",failed,") == 7
    played = tiltyard(*["round-robin", "teams", "--maps", "duel.txt"])
    assert played.returncode == 0, played.stderr
    assert played.stderr.count("left out: ") == 7
    assert "Traceback" not in listed.stderr + played.stderr


SHOUT = """
def shout():
    text = "\\x1b[2J\\x07\\x00\\r\\nfault of bob: crash: forged\\rfault of bob: crash: forged\\u202e\\u2028" + 8_000 * "y"
    name = "Error" + "\\x1b]0;owned\\x07" + LENGTH * "x"
    raise type(name, (Exception,), {})(text)

"""
"""A team fails with a text that is made for the terminal of whoever reads it."""


def test_what_a_team_says_cannot_control_a_terminal_nor_forge_a_line(
    tiltyard: RunCommand, tmp_path: Path, write_map: WriteMap
) -> None:
    write_map()
    for name, length in (("alice", "0"), ("carol", "1_000_000")):
        sound = team_source(name).replace("return ActionRequest.SHOOT", "shout()")
        write(tmp_path / f"{name}.py", SHOUT.replace("LENGTH", length) + sound)
    write(tmp_path / "bob.py", team_source("bob"))
    words = ["round-robin", "alice.py", "bob.py", "carol.py", "--maps", "duel.txt", "-o", "cup"]
    done = tiltyard(*words)
    assert done.returncode == 0, done.stderr
    (folder, *_) = sorted((tmp_path / "cup" / "faults").glob("*_alice_carol"))
    results = (tmp_path / "cup" / "results.txt").read_text(encoding="utf-8")
    fault = (folder / "fault.txt").read_text(encoding="utf-8")
    again = tiltyard("debug", str(folder), "--whole-match").stdout
    checked = [tiltyard("check", team).stdout for team in ("alice.py", "carol.py")]
    games = tiltyard("watch", "alice.py", "carol.py", "--map", "duel.txt").stderr
    for text in (done.stdout, done.stderr, results, fault, again, *checked, games):
        assert "forged" in text or text == done.stderr
        assert all(line.isprintable() for line in text.split("\n"))
        assert not [line for line in text.split("\n") if line.startswith("fault of bob")]
        assert max(map(len, text.split("\n"))) < 3_000


def test_a_strangers_command_is_not_run_by_help(tiltyard: RunCommand, tmp_path: Path) -> None:
    write(tmp_path / "tool_of_a_stranger.py", "raise SystemExit('imported')")
    install(tmp_path, "tool-team", "1.0", {"tool": "tool_of_a_stranger"}, group="tiltyard.commands")
    done = tiltyard("plugins", PYTHONPATH=str(tmp_path))
    assert done.returncode == 1
    assert "TILTYARD_TRUST=tool-team" in done.stdout
    assert "imported" not in done.stdout + done.stderr


def test_where_nothing_can_be_confined_the_row_says_what_to_do(tiltyard: RunCommand, tmp_path: Path) -> None:
    write(tmp_path / "thunder.py", NOT_HERE + team_source("thunder"))
    level_c = {"TILTYARD_CONFINEMENT": "C", "TILTYARD_ISOLATION": ""}
    refused = tiltyard("plugins", "thunder.py", "-f", "csv", **level_c)
    assert refused.returncode == 1
    assert "not loaded: this machine can't confine code from outside" in refused.stdout
    for words in (["--unconfined"], ["--isolation", "process"]):
        assert tiltyard("plugins", "thunder.py", *words, **level_c).returncode == 0


@pytest.mark.parametrize("isolation", ["process", "inline"])
def test_the_simulator_command_asks_the_environment(
    run_command: RunCommand, tmp_path: Path, write_map: WriteMap, monkeypatch: pytest.MonkeyPatch, isolation: str
) -> None:
    monkeypatch.setenv("TILTYARD_ISOLATION", isolation)
    write_map("maps/a.txt")
    write(
        tmp_path / "teams" / "one.py",
        "import sys\nassert 'tiltyard_matchups.simulator_command' not in sys.modules, 'here'\n" + team_source("one"),
    )
    for name in ("two", "three"):
        write(tmp_path / "teams" / f"{name}.py", team_source(name))
    done = run_command("simulator", "-competition", "game_maps_folder=maps", "game_manager=reference", "algorithms_folder=teams")
    assert done.returncode == 0, done.stderr
    assert ("AssertionError: here" in done.stderr) == (isolation == "inline")
