"""What ``tiltyard status`` prints about teams that don't play."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

import tiltyard_tournaments as tiltyard
from tiltyard_checks.command import status
from tiltyard_tournaments.cli import run

CUP = "title: Cup\ngame: tanks\nteams: [acorn, bramble, coyote]\nmaps: [back-yard]\nworkers: 1\n"

FAULTY = Path(__file__).parents[2] / "programs" / "teams" / "faulty.py"


def status_of(file: Path, text: str) -> list[str]:
    file.write_text(text)
    played = CliRunner().invoke(run.app, [str(file)])
    assert played.exit_code == 0, played.output
    done = CliRunner().invoke(status.app, [str(file)])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def test_who_has_left_or_was_disqualified_has_no_faults(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    assert status_of(file, f"{CUP}withdraw: {{coyote: now}}\ndisqualify: {{acorn: copied}}\n") == [
        "Cup (round-robin, 3 teams, 1 map)",
        "disqualified: acorn (results kept): copied",
        "done: 6 games, complete",
        "disqualified: acorn: 4 games not played",
        "withdrawn: coyote: 4 games not played",
    ]
    assert tiltyard.load(file).status().faults == {}


def test_who_left_a_swiss_is_named_with_the_round(tmp_path: Path) -> None:
    told = status_of(tmp_path / "cup.yaml", f"{CUP}format: {{name: swiss, rounds: 3}}\nwithdraw: {{coyote: 3}}\n")
    assert "withdrawn: coyote: from round 3" in told
    assert not [line for line in told if line.startswith("faults")]


def test_a_team_in_quarantine_has_the_faults_of_its_games_and_no_others(tmp_path: Path) -> None:
    (tmp_path / "crasher.py").write_text(re.sub(r'    yield TankTeam\("(?!crasher).*\n', "", FAULTY.read_text()))
    told = status_of(tmp_path / "cup.yaml", f"{CUP.replace('coyote', 'crasher.py')}trust: crasher.py\nquarantine: 2\n")
    assert [line for line in told if "crasher" in line] == [
        "quarantined after 2 matches with faults: crasher: 2 games not played",
        "faults: crasher: crash x 2",
    ]
