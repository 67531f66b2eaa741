"""A contest's whole life: a team comes late and one leaves, a protest is granted, finals; killed three times on the way."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.conftest import DUEL, map_text
from tests.contest.stages_cup import call, kill_in, outcomes, ranking

from tiltyard_checks.command import plan, status
from tiltyard_contest.decide import award_app, decisions_app
from tiltyard_tournaments.cli import publish, run, standings

PROGRAMS = ("acorn", "bramble", "coyote", "acorn", "bramble", "coyote", "acorn", "dragoon")
"""By number. The last one wins here, but its games take the longest."""
TEAMS = [f"t{number:02}" for number in range(1, 25)]
LATE, LEAVING = "t24", "t05"
STAGES = """\
stages:
  - {name: swiss, format: {name: swiss, rounds: 7, seats: balanced}}
  - {name: finals, format: {name: double-elimination, best_of: 1, replays: 0}, teams: {from: swiss, top: 8}}
"""


def write(file: Path, teams: list[str], more: str = "") -> None:
    listed = "".join(f"  - {{team: {PROGRAMS[(int(name[1:]) - 1) % len(PROGRAMS)]}, name: {name}}}\n" for name in teams)
    file.write_text(f"title: Contest\ngame: tanks\nmaps: [duel.txt]\nworkers: 1\nteams:\n{listed}{more}{STAGES}")


def rows(file: Path, stage: str, table: str = "standings") -> list[dict[str, str]]:
    shown = call(standings.app, file, "--stage", stage, "--table", table, "--format", "csv")
    assert shown.exit_code == 0, shown.output
    return list(csv.DictReader(shown.stdout.splitlines()))


def test_from_the_first_round_to_the_closing_page(tmp_path: Path) -> None:
    file = tmp_path / "contest.yaml"
    (tmp_path / "duel.txt").write_text(map_text(DUEL, 20, 5))
    swiss, finals = (file.with_suffix("") / stage for stage in ("swiss", "finals"))

    # Round 1 and 2 without the late team; killed in round 2.
    write(file, TEAMS[:-1])
    kill_in(file, "swiss", 15)
    first = outcomes(swiss)
    assert len(first) == 15

    # The late team begins in round 3; another leaves before round 5. The plan says what stands before anything is played.
    write(file, TEAMS, f"late: {{{LATE}: {{from: 3, points: 0.5}}}}\nwithdraw: {{{LEAVING}: 5}}\n")
    shown = call(plan.app, file, "--stage", "swiss", "--trials", 0)
    assert shown.exit_code == 0, shown.output
    assert "rounds 1 to 2 stay as drawn" in shown.output
    assert f"{LATE} joins in round 3 with 0.5 points" in shown.output
    kill_in(file, "swiss", 40)
    second = outcomes(swiss)
    assert first.items() <= second.items()
    assert call(run.app, file, "--stage", "swiss").exit_code == 0
    played = outcomes(swiss)
    assert second.items() <= played.items()
    # 23 teams in rounds 1 and 2, with a bye, 24 in rounds 3 and 4, and 23 again.
    assert len(played) == 2 * 11 + 2 * 12 + 3 * 11
    table = {row["algorithm"]: row for row in rows(file, "swiss")}
    assert len(table) == 24
    assert int(table[LATE]["games"]) + int(table[LATE]["byes"]) == 5
    assert int(table[LEAVING]["games"]) + int(table[LEAVING]["byes"]) == 4

    # A protest is granted: shown first, then decided.
    games = rows(file, "swiss", "games")
    number, game = next((number, row) for number, row in enumerate(games, start=1) if row["winner"])
    (loser,) = {game["player 1"], game["player 2"]} - {game["winner"]}
    words = (file, loser, "--stage", "swiss", "--match", number, "--why", "the machine stood still")
    before = rows(file, "swiss")
    shown = call(award_app, *words)
    assert shown.exit_code == 0, shown.output
    assert rows(file, "swiss") == before
    assert call(award_app, *words, "--yes").exit_code == 0
    after = {row["algorithm"]: row for row in rows(file, "swiss")}
    assert float(after[loser]["points"]) > float(table[loser]["points"])
    assert "the machine stood still" in call(decisions_app, file, "--stage", "swiss").stdout

    # The best eight play the finals, by the table as decided; killed in the third round of it.
    best = [row["algorithm"] for row in rows(file, "swiss")][:8]
    kill_in(file, "finals", 7)
    third = outcomes(finals)
    assert third
    done = call(run.app, file)
    assert done.exit_code == 0, done.output
    assert third.items() <= outcomes(finals).items()
    assert played.items() <= outcomes(swiss).items()
    assert len(outcomes(finals)) in (14, 15)
    order = [row[1] for row in ranking(file)]
    assert sorted(order) == TEAMS
    assert sorted(order[:8]) == sorted(best)
    assert "done: 79 games, complete" in call(status.app, file).stdout

    # The closing page says who won, and leads to both stages, the bracket and what was decided.
    assert call(publish.app, file).exit_code == 0
    site = file.with_suffix("") / "site"
    page = (site / "index.html").read_text()
    assert order[0] in page
    assert "swiss/index.html" in page
    assert "finals/index.html" in page
    assert 'class="bracket' in (site / "finals" / "index.html").read_text()
    assert "the machine stood still" in (site / "swiss" / "decisions.html").read_text()
