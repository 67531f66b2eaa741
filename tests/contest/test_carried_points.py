"""Points that teams bring from an earlier stage count in its next table, and nowhere else."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from shutil import copytree

import pytest
from tests.contest.stages_cup import GROUPS, STAGES, call, ranking
from tests.tournaments.running.made_runs import Heard, ShuffledExecutor, ended, tournament_of

from tiltyard_checks.command import export, plan
from tiltyard_contest.carried_points import as_bye, points_of
from tiltyard_contest.decide import void_app
from tiltyard_engine.registry import Registry
from tiltyard_tournaments.cli import publish, run, standings
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.standings import Rules, Scoring, rank
from tiltyard_tournaments.store import STORE_NAME, Store

CARRY = STAGES.replace("format: knockout, maps: [narrow-pass], teams: {from: groups, top: 4}", "FINALS").replace(
    "FINALS", "maps: [narrow-pass], teams: {from: groups, top: 3, carry: points}"
)


def table(file: Path, stage: str) -> dict[str, dict[str, str]]:
    """The rows of a stage's standings, by team."""
    shown = call(standings.app, file, "--stage", stage, "--table", "standings", "--format", "csv")
    assert shown.exit_code == 0, shown.output
    return {row["algorithm"]: row for row in csv.DictReader(shown.stdout.splitlines())}


def test_points_of_the_groups_count_in_the_finals(stages_cup: Path, tmp_path: Path) -> None:
    """Also what a decision has made of them since, and what they were where the groups can't be read any more."""
    file, results = tmp_path / "cup.yaml", tmp_path / "cup"
    file.write_text(GROUPS + CARRY)
    copytree(stages_cup.with_suffix("") / "groups", results / "groups")
    done = call(run.app, file, "--stage", "finals")
    assert done.exit_code == 0, done.output
    groups, finals = table(file, "groups"), table(file, "finals")
    assert "carried" not in next(iter(groups.values()))
    for team, row in finals.items():
        assert row["carried"] == groups[team]["points"]
        assert int(row["points"]) == int(row["carried"]) + 3 * int(row["wins"]) + int(row["ties"])
    assert [row[1] for row in ranking(file)][:3] == list(finals)

    lines = [json.loads(line) for line in call(export.app, file, "--stage", "finals").stdout.splitlines()]
    brought = [line for line in lines if line["kind"] == "bye"]
    assert {line["team"]: line["points"] for line in brought} == {team: int(row["carried"]) for team, row in finals.items()}
    assert {(line["ending"], line["stage"]) for line in brought} == {("carried", "groups")}

    first = next(iter(finals))
    voided = call(void_app, file, "--stage", "groups", "--team", first, "--why", "a test", "--yes")
    assert voided.exit_code == 0, voided.output
    after = call(standings.app, file, "--stage", "finals", "--table", "standings", "--format", "csv")
    assert table(file, "finals")[first]["carried"] == table(file, "groups")[first]["points"] == "0"
    assert f"{first} brings 0 points, not {finals[first]['carried']}, from groups since this began" in after.stderr
    (results / "groups" / STORE_NAME).unlink()
    assert table(file, "finals")[first]["carried"] == finals[first]["carried"], "as it was at the last run"


def test_the_site_says_what_was_brought(stages_cup: Path, tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text(GROUPS + CARRY)
    copytree(stages_cup.with_suffix("") / "groups", tmp_path / "cup" / "groups")
    assert call(run.app, file, "--stage", "finals").exit_code == 0
    assert call(publish.app, file, "-o", tmp_path / "site").exit_code == 0
    page = (tmp_path / "site" / "finals" / "index.html").read_text()
    assert "carried: points from an earlier stage" in page
    rows = json.loads((tmp_path / "site" / "finals" / "data" / "standings.json").read_text())["standings"]
    assert {row["team"]: str(row["carried"]) for row in rows} == {
        team: row["carried"] for team, row in table(file, "finals").items()
    }


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "top: 4}",
            "top: 4, carry: points}",
            "cup.yaml:16: teams[1].carry: points decide nothing in a knockout, so there is nothing to add them to;",
        ),
        ("after: 4", "after: 4, carry: all", "teams[1].carry: unknown value 'all'; expected"),
        (
            "lower, teams: {from: groups, top: 8, after: 4",
            "lower, teams: {from: finals, top: 2, carry: points",
            "points decide nothing in finals, which is a knockout; leave out 'carry'",
        ),
        (
            "lower, teams: {from: groups",
            "lower, scoring: score, teams: {carry: points, from: groups",
            "the points of groups are by result, but here by score; leave out 'carry', or write 'scoring: result'",
        ),
        ("{from: groups, top: 4}", "{team: acorn, carry: points}", "'carry' needs 'from'"),
    ],
)
def test_where_points_cannot_be_carried(before: str, after: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "cup.yaml"
    file.write_text((GROUPS + STAGES).replace(before, after))
    told = call(plan.app, file, "--trials", 0)
    assert words in str(told.exception)


def test_points_are_exact_and_tie_breaks_use_them(registry: Registry, tmp_path: Path) -> None:
    cup = tournament_of(registry, teams=4, folder=tmp_path)
    with Store(tmp_path) as store:
        # The earlier in the alphabet wins; the last two are equal.
        schedule = run_tournament(
            cup,
            store,
            ShuffledExecutor(
                lambda spec: ended(
                    0 if {"cat", "dan"} == set(spec.input.names) else 1 + (spec.input.names[1] < spec.input.names[0])
                )
            ),
            Heard(),
        )
    assert points_of("points", cup, schedule, ["ann", "dan", "zoe"]) == {"ann": 18, "dan": 2}
    assert points_of("head-to-head", cup, schedule, ["bob", "cat", "dan"]) == {"bob": 12, "cat": 2, "dan": 2}

    brought = {"ann": Fraction(8, 3), "bob": Fraction(7, 3), "cat": Fraction(8, 3)}
    third = [as_bye(name, points, "groups") for name, points in brought.items()]
    rules = Rules(Scoring(win=1), ("buchholz", "wins"))
    lines = rank(["ann", "bob", "cat"], third, rules)
    assert [(line.place, line.team, line.score.carried, line.score.games) for line in lines] == [
        (1, "ann", Fraction(8, 3), 0),
        (1, "cat", Fraction(8, 3), 0),
        (3, "bob", Fraction(7, 3), 0),
    ]
    assert lines[0].tie_breaks["buchholz"] == 0, "no opponent stands for what was carried"


def test_a_swiss_pairs_by_what_was_brought(registry: Registry) -> None:
    cup = tournament_of(registry, "swiss", 4)
    assert cup.remake_format is not None
    for brought, pairs in (({}, {(0, 2), (1, 3)}), ({"bob": 3.0, "cat": 3.0}, {(1, 2), (0, 3)})):
        swiss = cup.remake_format(replace(cup.field, carried=brought), b"")
        assert {tuple(sorted(fixture.seats)) for fixture in swiss.next_batch([])} == pairs
