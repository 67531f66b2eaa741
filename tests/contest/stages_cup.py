"""A cup of three stages that was played through once, for all tests of stages."""

from __future__ import annotations

import csv
import os
import signal
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner, Result

from tiltyard_tournaments.cli import run, standings
from tiltyard_tournaments.store import Store

GROUPS = """\
title: Cup
game: tanks
maps: [back-yard]
workers: 1
teams:
  - acorn
  - bramble
  - coyote
  - {team: acorn, name: a3}
  - {team: acorn, name: a2}
  - {team: bramble, name: b2}
  - {team: coyote, name: c2}
  - {team: bramble, name: b3}
"""
STAGES = """\
stages:
  - {name: groups, format: {name: swiss, rounds: 4}}
  - {name: finals, format: knockout, maps: [narrow-pass], teams: {from: groups, top: 4}}
  - {name: lower, teams: {from: groups, top: 8, after: 4, seeded: false}}
"""


def call(app: typer.Typer, *words: object) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def ranking(file: Path) -> list[list[str]]:
    """The rows of the final ranking."""
    shown = call(standings.app, file, "--format", "csv")
    assert shown.exit_code == 0, shown.output
    return list(csv.reader(shown.stdout.splitlines()))[1:]


def outcomes(folder: Path) -> dict[str, str]:
    """The winner of each stored match by its key."""
    with Store(folder, writable=False) as store:
        return {match.key: match.record.outcome.winner_name or "" for match in store.matches()}


def kill_in(file: Path, stage: str, games: int = 1) -> None:
    """Run all stages in a fork of this process, which kills itself when so many games of a stage are stored."""
    done = get_context("fork").Process(target=_run_and_die, args=(file, stage, games))
    done.start()
    done.join()
    assert done.exitcode == -signal.SIGKILL


def _run_and_die(file: Path, stage: str, games: int) -> None:
    add = Store.add

    def add_and_count(self: Store, *arguments: Any, **more: Any) -> None:
        """Store a game, and end without a word when it was the last one."""
        nonlocal games
        add(self, *arguments, **more)
        games -= self.path.parent.name == stage
        if not games:
            os.kill(os.getpid(), signal.SIGKILL)

    Store.add = add_and_count  # type: ignore[method-assign]
    call(run.app, file)


def play_stages(folder: Path) -> Path:
    """Eight teams that were played through, killed once in the second stage."""
    file = folder / "cup.yaml"
    file.write_text(GROUPS + STAGES)
    kill_in(file, "finals")
    finals = file.with_suffix("") / "finals"
    before = outcomes(finals)
    assert before
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert before.items() <= outcomes(finals).items()
    assert "Final ranking\n" in done.stdout
    return file
