from __future__ import annotations

from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import Play, ended, tournament_of

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import PairingEnding
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_site.pages.data import RatedTeams
from tiltyard_site.pages.site_data import rated_teams
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tables import SHOWN, TABLES, byes_of, matches_with_byes, standings, tables_of
from tiltyard_tournaments.running.tournament import Tournament


def first_name_wins(spec: MatchSpec) -> MatchRecord:
    return ended(spec.input.names.index(min(spec.input.names)) + 1)


def played(tournament: Tournament, play: Play = first_name_wins) -> Schedule:
    schedule = Schedule(tournament=tournament)
    while batch := schedule.next_batch():
        schedule.end_batch([play(spec).outcome for spec in batch])
    return schedule


def places(tournament: Tournament, schedule: Schedule) -> list[tuple[int, str]]:
    return [(line.place, line.team) for line in standings(tournament, schedule)]


def test_points_decide_where_the_format_has_no_order_of_its_own(registry: Registry) -> None:
    tournament = tournament_of(registry)
    assert places(tournament, played(tournament)) == [(1, "ann"), (2, "bob"), (3, "cat"), (4, "dan")]
    ties = played(tournament, lambda spec: ended(0))
    assert places(tournament, ties) == [(1, "ann"), (1, "bob"), (1, "cat"), (1, "dan")]


def test_the_placings_of_a_knockout(registry: Registry) -> None:
    tournament = tournament_of(registry, "knockout", 8, options={"best_of": 1})
    schedule = played(tournament)
    found = places(tournament, schedule)
    assert found[:4] == [(1, "ann"), (2, "bob"), (3, "cat"), (4, "dan")]
    assert found[4:] == [(5, "eve"), (5, "fay"), (5, "gus"), (5, "hal")]
    (table,) = tables_of(tournament, schedule, ["standings"])
    assert [row[:2] for row in table.rows] == found


def test_the_placings_beat_points(registry: Registry) -> None:
    """bob wins more games on his way to a lost final than ann, who had no opponent in the first round."""
    tournament = tournament_of(registry, "knockout", 3, options={"best_of": 1})
    schedule = played(tournament)
    points = {line.team: line.score.points for line in standings(tournament, schedule)}
    assert points["bob"] == points["ann"]
    assert places(tournament, schedule)[0] == (1, "ann")


def test_placings_of_a_knockout_that_goes_on(registry: Registry) -> None:
    tournament = tournament_of(registry, "knockout", 4, options={"best_of": 1})
    assert len(standings(tournament, Schedule(tournament=tournament))) == 4
    first = Schedule(tournament=tournament).next_batch()[0].place.key
    progress = follow(tournament, lambda spec: ended(1).outcome if spec.place.key == first else None)
    assert sorted(team for _, team in places(tournament, progress.schedule)) == ["ann", "bob", "cat", "dan"]
    assert tables_of(tournament, progress.schedule, list(TABLES))


def test_a_bye_counts_as_the_wins_that_it_stands_for(registry: Registry) -> None:
    tournament = tournament_of(registry, "swiss", 5, options={"rounds": 2, "seats": "both"})
    schedule = played(tournament)
    matches = matches_with_byes(tournament, schedule)
    byes = [match for match in matches if len(match.teams) == 1]
    assert [(match.teams, match.stage) for match in byes] == [(("eve",), "round 1")] * 2 + [((byes[-1].teams[0],), "round 2")] * 2
    assert byes[-1].teams != ("eve",)
    assert len(matches) == len(schedule.matches) + 4
    games = {line.team: line.score.games for line in standings(tournament, schedule)}
    assert games == {team: 2 if (team,) in {match.teams for match in byes} else 4 for team in tournament.names}
    assert [(each.teams, each.stage, each.ending) for each in byes_of(tournament, schedule)] == [
        (("eve",), "round 1", PairingEnding.BYE),
        (byes[-1].teams, "round 2", PairingEnding.BYE),
    ]
    (games_table,) = tables_of(tournament, schedule, ["games"])
    assert len(games_table.rows) == len(schedule.matches)


def test_all_tables_of_any_moment(registry: Registry) -> None:
    for format_name in ("round-robin", "swiss", "knockout", "double-elimination", "gauntlet", "until-settled"):
        tournament = tournament_of(registry, format_name, 5, options={"budget": 40} if format_name == "until-settled" else {})
        for schedule in (Schedule(tournament=tournament), played(tournament)):
            tables = tables_of(tournament, schedule, list(TABLES))
            assert len(tables) == len(TABLES)
            assert [table.title for table in tables_of(tournament, schedule)] == [
                table.title for name, table in zip(TABLES, tables) if name in SHOWN
            ]


def test_a_table_that_there_is_not(registry: Registry) -> None:
    tournament = tournament_of(registry)
    with pytest.raises(NotFoundError, match="did you mean standings"):
        tables_of(tournament, Schedule(tournament=tournament), ["standing"])


def test_ratings_say_whether_one_number_fits(registry: Registry) -> None:
    """ann beats bob beats cat beats ann, on all maps."""
    tournament = tournament_of(registry, teams=3, maps=6)

    def in_a_circle(spec: MatchSpec) -> MatchRecord:
        one, other = ("ann", "bob", "cat").index(spec.input.names[0]), ("ann", "bob", "cat").index(spec.input.names[1])
        return ended(1 if (one + 1) % 3 == other else 2)

    schedule = played(tournament, in_a_circle)
    (ratings, fit) = tables_of(tournament, schedule, ["ratings", "fit"])
    assert ratings.note.startswith("One number does not tell it all: ann beats bob (12 of 12)")
    assert fit.note == ratings.note
    assert fit.rows[0] == ("ann", "bob", 12, 12, 6, 3.2)
    page = rated_teams(schedule.records)
    assert (page.fit, page.hardest["ann"]) == (ratings.note, ("cat", "won 0 of 12"))


def test_ratings_that_cannot_be_computed_cost_no_table(registry: Registry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Where a different test has left these games' ratings, nothing is computed.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("tiltyard_tournaments.ratings.newton.MOST_STEPS", 1)
    tournament = tournament_of(registry)
    schedule = played(tournament)
    (ratings,) = tables_of(tournament, schedule, ["ratings"])
    why = "he ratings can't be computed: ArithmeticError: no maximum found in 1 steps"
    assert ratings.title.endswith(f"; t{why}")
    assert [row[:2] for row in ratings.rows] == [("ann", ""), ("bob", ""), ("cat", ""), ("dan", "")]
    assert len(tables_of(tournament, schedule)) == len(SHOWN)
    assert rated_teams(schedule.records) == RatedTeams((), f"T{why}.")
