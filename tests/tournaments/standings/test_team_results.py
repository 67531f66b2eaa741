from __future__ import annotations

from tests.tournaments.made_matches import duel

from tiltyard_tournaments.played import bye
from tiltyard_tournaments.standings.team_results import team_results, team_tables

MATCHES = [
    duel("ant", "bee", 1, "m", number=3),
    duel("cat", "ant", 1, "n", number=1),
    duel("bee", "ant", 0, "n", number=2),
    duel("bee", "cat", 1, "n", number=0),
    bye("ant", 4),
]


def test_a_teams_own_results() -> None:
    results = team_results("ant", MATCHES)
    assert [match.number for match in results.matches] == [1, 2, 3, 4]
    assert results.total.record == "2-1-1"
    assert {name: score.record for name, score in results.by_map.items()} == {"n": "0-1-1", "m": "1-0-0"}
    assert {name: meeting.record for name, meeting in results.by_opponent.items()} == {"bee": "1-1-0", "cat": "0-0-1"}
    assert {seat: score.record for seat, score in results.by_seat.items()} == {1: "1-0-0", 2: "0-1-1"}


def test_tables_have_shares_with_limits() -> None:
    by_map, by_opponent, by_seat = team_tables(team_results("ant", MATCHES))
    assert by_map.title == "ant by map"
    assert [row[:7] for row in by_map.rows] == [("n", 1, 2, 0, 1, 1, 25.0), ("m", 3, 1, 1, 0, 0, 100.0)]
    assert [row[:7] for row in by_opponent.rows] == [("bee", 4, 2, 1, 1, 0, 75.0), ("cat", 0, 1, 0, 0, 1, 0.0)]
    assert [row[0] for row in by_seat.rows] == ["1", "2"]
    for row in (*by_map.rows, *by_opponent.rows, *by_seat.rows):
        assert 0 <= float(row[7]) <= float(row[6]) <= float(row[8]) <= 100


def test_a_team_without_matches() -> None:
    assert [table.rows for table in team_tables(team_results("emu", MATCHES))] == [(), (), ()]
