"""Completion, by the protocol that shells speak: quick, harmless, and with the names that fit."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import RunCommand
from tests.engine.making import install
from tests.tournaments.cli.small_cup import play_small_cup
from typer.testing import CliRunner

from tiltyard_tournaments.cli.start import app

Complete = Callable[[str], list[str]]


@pytest.fixture
def complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """``complete("tiltyard run c")``: what bash offers for the last word."""
    monkeypatch.chdir(tmp_path)

    def ask(line: str) -> list[str]:
        asked = {"_TILTYARD_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
        done = CliRunner().invoke(app, [], prog_name="tiltyard", env=asked)
        assert (done.exit_code, done.stderr) == (0, "")
        return done.stdout.split()

    return ask


def test_names_of_plugins_fit_the_command_so_far(complete: Complete) -> None:
    assert "acorn" in complete("tiltyard round-robin a")
    assert complete("tiltyard round-robin acorn b") == ["bramble"]
    assert set(complete("tiltyard round-robin acorn ")) >= {"bramble", "coyote", "dragoon"}
    assert "heat" not in complete("tiltyard round-robin acorn ")
    assert complete("tiltyard round-robin --game filler h") == ["heat"]
    assert complete("tiltyard round-robin acorn --map n") == ["narrow-pass"]
    assert complete("tiltyard comparative n") == ["north-shelf", "narrow-pass"]
    assert complete("tiltyard watch acorn bramble --manager one") == ["one-by-one"]
    assert complete("tiltyard new team x --game t") == ["tanks"]
    assert complete("tiltyard new team x --game a") == ["advance"]
    assert complete("tiltyard intake x --recipe rust") == ["rust-cargo", "rust-files"]
    assert complete("tiltyard publish cup.yaml --publisher m") == ["markdown"]
    assert complete("tiltyard standings cup.yaml --table c") == ["crosstable"]
    assert complete("tiltyard standings cup.yaml --table fi") == ["fit"]
    assert complete("tiltyard plugins --format gi") == ["github"]
    assert complete("tiltyard plugins --format no-such-thing") == []
    assert complete("tiltyard league invite course a") == []
    assert complete("tiltyard league finals course --format k") == ["knockout"]


def test_commands_of_plugins_complete_as_those_of_tiltyard(complete: Complete) -> None:
    assert complete("tiltyard tanks check narrow-pass two-fortresses open-field n") == []
    assert complete("tiltyard tanks draw n") == ["narrow-pass"]
    assert complete("tiltyard tanks draw narrow-pass --color a") == ["auto", "always"]
    assert complete("tiltyard tanks referee handed-in --map n") == ["narrow-pass"]
    assert complete("tiltyard tanks referee handed-in --rules info") == ["info-at-once"]
    assert complete("tiltyard tanks generate --symmetry h") == ["half-turn"]
    assert complete("tiltyard advance generate-tests new --level 4 --level ") == ["4", "5", "6", "7"]
    assert complete("tiltyard mark advance advance-c") == ["advance-champion"]
    assert complete("tiltyard play advance --white me --black c") == ["champion"]
    assert complete("tiltyard play advance --white advance-c") == ["advance-champion"]
    assert complete("tiltyard audit filler h") == ["heat"]
    assert complete("tiltyard audit filler heat --opponents v") == ["voronoi"]
    assert complete("tiltyard audit filler heat -o voronoi --map map0") == ["map00", "map01", "map02"]


def test_files_and_games_of_tournaments(complete: Complete, tmp_path: Path) -> None:
    (tmp_path / "cups").mkdir()
    play_small_cup(tmp_path / "cups")
    (tmp_path / "cups" / "other.yaml").write_text("services: []\n")
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "league.yaml").write_text("teams: []\nmaps: []\n")
    assert complete("tiltyard run cups/") == ["cups/cup.yaml"]
    assert complete("tiltyard run ") == []
    assert complete("tiltyard league serve ") == ["course"]
    keys = complete("tiltyard watch cups/cup.yaml --match ")
    assert len(keys) == 4
    assert complete(f"tiltyard replay cups/cup.yaml --match {keys[1][:6]}") == [keys[1]]
    (tmp_path / "cups" / "cup" / "tournament.sqlite").write_text("damaged")
    assert complete("tiltyard watch cups/cup.yaml --match ") == []


def test_zsh_and_fish_are_told_what_each_is(run_command: RunCommand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_ARGS", "tiltyard round-robin acorn --map nar")
    monkeypatch.setenv("_TYPER_COMPLETE_FISH_ACTION", "get-args")
    monkeypatch.setenv("_TILTYARD_COMPLETE", "complete_fish")
    name, text = run_command("tiltyard").stdout.rstrip("\n").split("\t")
    assert name == "narrow-pass"
    assert text
    monkeypatch.setenv("_TILTYARD_COMPLETE", "complete_zsh")
    assert f'"narrow-pass":"{text}"' in run_command("tiltyard").stdout


STRANGER = "import pathlib\npathlib.Path('imported').touch()\n"
LOADED_BY_COMPLETION = """
import sys
sys.argv = ["tiltyard"]
from tiltyard_tournaments.cli.start import main
try:
    main()
except SystemExit as stop:
    print("status", stop.code)
heavy = {"rich", "yaml", "jinja2", "sqlite3", "pydantic", "multiprocessing", "pyspiel"}
heavy.add("tiltyard_simulator.registry.plugin_inspection")
print("loaded", sorted(heavy & set(sys.modules)))
"""


def test_strangers_are_offered_by_name_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "team-thunder", "1.0", {"thunder": "thunder_team"})
    (tmp_path / "thunder_team.py").write_text(STRANGER)
    asked = {"_TILTYARD_COMPLETE": "complete_bash", "COMP_WORDS": "tiltyard check t", "COMP_CWORD": "2"}
    done = subprocess.run(
        [sys.executable, "-c", LOADED_BY_COMPLETION],
        cwd=tmp_path,
        env={**os.environ, **asked, "PYTHONPATH": str(tmp_path), "TILTYARD_BLOCK": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout.splitlines() == ["thunder", "status 0", "loaded []"]
    assert not (tmp_path / "imported").exists()


def test_in_bash(tmp_path: Path) -> None:
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash here")
    script = """
eval "$(_TILTYARD_COMPLETE=source_bash tiltyard)"
complete -p tiltyard
COMP_WORDS=(tiltyard round-robin acorn --map o) COMP_CWORD=4
_tiltyard_completion tiltyard
printf '%s\\n' "${COMPREPLY[@]}"
"""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [bash, "--norc", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=60
    )
    assert done.stdout.splitlines() == ["complete -o default -F _tiltyard_completion tiltyard", "open-field"]
