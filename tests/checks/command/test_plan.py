"""The schedule that ``tiltyard plan`` prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.tournaments.formats.playing import field_of
from typer.testing import CliRunner

from tiltyard_checks.command.plan import app, headers_of, schedule_rows
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Fixture
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.cli.run import app as run


def test_a_row_a_match() -> None:
    field = field_of(3, 2)
    rows = list(schedule_rows(field, [Fixture((2, 0), 1, 0, "final"), Fixture((0, 1), 0, 4)]))
    assert render(headers_of(field), rows, "csv").splitlines() == [
        "match,stage,map,game,player 1,player 2",
        "1,final,map-1,1,team-2,team-0",
        "2,,map-0,5,team-0,team-1",
    ]


def test_a_column_a_seat() -> None:
    assert headers_of(field_of(4, seats=4))[-4:] == ("player 1", "player 2", "player 3", "player 4")


CUP = "game: tanks\nteams: [acorn, bramble]\nmaps: [narrow-pass, back-yard]\nworkers: 1\n"


@pytest.mark.parametrize("words", [[], ["--all"], ["--format", "csv"]])
def test_the_sum_comes_first_and_the_schedule_where_it_is_wanted(tmp_path: Path, words: list[str]) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(CUP)
    done = CliRunner().invoke(app, [str(file), "--trials", "1", *words])
    assert done.exit_code == 0, done.output
    told = done.stderr if "csv" in words else done.stdout
    games, time, *others = told.splitlines()
    assert games == "4 games"
    assert re.fullmatch(r"about [\d:]+ with 1 worker, at [\d.]+ s per game in the trials", time)
    table = done.stdout.splitlines() if "csv" in words else others[1:]
    assert len(table) == {"": 0, "--all": 2 + 4, "--format": 1 + 4}[words[0] if words else ""]


def schedule(file: Path, *words: str) -> list[list[str]]:
    """The rows after the headers."""
    done = CliRunner().invoke(app, [str(file), "--trials", "0", "--format", "csv", *words])
    assert done.exit_code == 0, done.output
    return [line.split(",") for line in done.stdout.splitlines()[1:]]


@pytest.mark.usefixtures("inline")
def test_a_new_draw_is_shown_before_it_is_made(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(CUP.replace("bramble]", "bramble, coyote]") + "format: {name: swiss, rounds: 1}\n")
    assert CliRunner().invoke(run, [str(file)]).exit_code == 0
    stands = schedule(file)
    assert len(stands) == 2
    file.write_text(file.read_text().replace("coyote]", "coyote, dragoon]"))
    assert schedule(file) == stands
    assert len(schedule(file, "--redraw")) == 4
    assert schedule(file) == stands


GROUPS = (
    f"{CUP}stages:\n"
    "  - {name: groups, teams: [acorn, bramble, coyote, dragoon], format: {name: groups, groups: 2}}\n"
    "  - {name: finals, teams: {from: groups, top: 3, of: each group}}\n"
)


def test_the_schedule_has_a_column_for_groups(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(GROUPS)
    assert {row[1] for row in schedule(file, "--stage", "groups")} == {"A", "B"}
    done = CliRunner().invoke(app, [str(file), "--trials", "0", "--stage", "finals"])
    for group in "AB":
        assert f"group {group} of Tournament: groups has only 2 teams that can advance, not 3" in done.stderr


def test_all_stages_are_checked_before_anything_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(GROUPS.replace("{name: groups, groups", "{name: groups, groop").replace("from: groups", "from: group"))
    done = CliRunner().invoke(app, [str(file)])
    assert isinstance(done.exception, UserError)
    assert "groop: unknown key" in str(done.exception)
    assert "no earlier stage is called 'group'" in str(done.exception)
    assert done.stdout == ""
