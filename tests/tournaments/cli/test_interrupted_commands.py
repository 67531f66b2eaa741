"""Ctrl-C at any point of a long command: it ends with what is kept, and with what to do to continue."""

from __future__ import annotations

import importlib
from functools import partial
from pathlib import Path
from typing import Any, Final, NoReturn

import pytest
from typer.testing import CliRunner

from tiltyard_engine.exit_status import INTERRUPTED, end_well
from tiltyard_tournaments.cli.run import app as run_app

CUP: Final = "title: Cup\ngame: tanks\nteams: [acorn, bramble]\nmaps: [back-yard]\nworkers: 1\n"
SAVED: Final = "stopped; all games that were played are saved; run the same command"
EARLY: Final = "stopped before the first game; run the same command to start again\n"
AGAIN: Final = "run the same command again"
RUN: Final = "tiltyard_tournaments.cli.run"
PUBLISH: Final = "tiltyard_tournaments.cli.publish"
ROUND_ROBIN: Final = "tiltyard_matchups.commands.round_robin"
INTAKE: Final = "tiltyard_intake.command.intake"
LEAGUE: Final = "tiltyard_league.cli.league"
EXPLAINING: Final = (
    "stopped while lost games were being explained; explanations that were finished are saved, but nothing was published: run the"
    " same command to continue\n"
)
NOT_ALL: Final = f"stopped; the games are safe, but not all was published: {AGAIN}\n"


def stop(*_: Any, **__: Any) -> NoReturn:
    raise KeyboardInterrupt


@pytest.fixture
def cup(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "cup.yaml"
    file.write_text(CUP)
    return file


@pytest.mark.parametrize(
    ("command", "stopped_in", "words", "said"),
    [
        (RUN, f"{RUN}.store_for_run", "cup.yaml", f"{SAVED} to resume\n"),
        (RUN, f"{RUN}.games_to_play_again", "cup.yaml", f"{SAVED} to resume\n"),
        (RUN, f"{RUN}.run_tournament", "cup.yaml", "stopped; 0 games are saved in cup; run the same command to resume\n"),
        (ROUND_ROBIN, f"{ROUND_ROBIN}.round_robin_of", "acorn bramble", EARLY),
        (ROUND_ROBIN, f"{ROUND_ROBIN}.store_for_run", "acorn bramble -o rr", f"{SAVED} with --output rr to resume\n"),
        (INTAKE, f"{INTAKE}.take_in", "works -g tanks", f"stopped; finished works are saved: {AGAIN} to resume\n"),
        (INTAKE, f"{INTAKE}.take_in", "works -g tanks --dry-run", "stopped; nothing was written\n"),
        (
            LEAGUE,
            f"{LEAGUE}.load_league",
            "serve league",
            "stopped; all versions and games are saved; run the same command to continue\n",
        ),
        (
            "tiltyard_kit_commands.check_game",
            "tiltyard_fairness.command.play_field",
            "tanks --fair --map back-yard",
            "stopped; no game is saved, so the same command starts again: --map or fewer --games make it shorter\n",
        ),
    ],
)
def test_a_command_that_was_stopped_says_how_to_continue(
    cup: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    command: str,
    stopped_in: str,
    words: str,
    said: str,
) -> None:
    (cup.parent / "works").mkdir()
    (cup.parent / "league").mkdir()
    app = importlib.import_module(command).app
    monkeypatch.setattr(stopped_in, stop)
    assert end_well(partial(app, words.split())) == INTERRUPTED
    assert capfd.readouterr().err.endswith(said)


def test_a_run_that_is_stopped_while_it_publishes_names_the_command_that_publishes(
    cup: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    cup.write_text(f"{CUP}publication: {{publishers: [csv]}}\n")
    monkeypatch.setattr(f"{RUN}.publish_by", stop)
    assert end_well(partial(run_app, ["cup.yaml"])) == INTERRUPTED
    assert capfd.readouterr().err.endswith("stopped; all games are saved; publish them with 'tiltyard publish cup.yaml'\n")


@pytest.mark.parametrize(
    ("stopped_in", "said"), [("tiltyard_whatif.analysis.losses.stored_games", EXPLAINING), (f"{PUBLISH}.publish_by", NOT_ALL)]
)
def test_publishing_that_is_stopped_says_that_not_all_was_published(
    cup: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], stopped_in: str, said: str
) -> None:
    cup.write_text(CUP)
    assert CliRunner().invoke(run_app, ["cup.yaml"]).exit_code == 0
    if stopped_in.startswith("tiltyard_whatif"):
        cup.write_text(f"{CUP}analysis: {{cpu_seconds: 60}}\n")
    monkeypatch.setattr(stopped_in, stop)
    assert end_well(partial(importlib.import_module(PUBLISH).app, ["cup.yaml"])) == INTERRUPTED
    assert capfd.readouterr().err.endswith(said)
