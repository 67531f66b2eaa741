"""A cup of three stages that was played through once, for all tests of stages."""

from __future__ import annotations

import csv
import signal
import subprocess
import sys
from pathlib import Path

import typer
from typer.testing import CliRunner, Result

from tiltyard_tournaments.cli.look import standings
from tiltyard_tournaments.cli.play import run
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
    """Run all stages; the run is killed when so many games of a stage are stored."""
    program = Path(__file__).with_name("killed_run.py")
    done = subprocess.run([sys.executable, "-P", str(program), str(file), stage, str(games)], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()


def play_stages(folder: Path) -> Path:
    """Eight teams that were played through, killed once in the first stage and once in the second."""
    file = folder / "cup.yaml"
    file.write_text(GROUPS + STAGES)
    results = file.with_suffix("")
    for stage in ("groups", "finals"):
        kill_in(file, stage)
        before = outcomes(results / stage)
        assert before
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert before.items() <= outcomes(results / "finals").items()
    assert "Final ranking\n" in done.stdout
    return file
