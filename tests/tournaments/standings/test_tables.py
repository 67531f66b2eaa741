from __future__ import annotations

from collections import Counter
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.made_records import made_record
from tests.tournaments.made_matches import NAMES, NO_RESULT, duel, duels, fault, many

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import GameResult, Termination
from tiltyard_simulator.output.tables import render_all
from tiltyard_tournaments.standings import (
    TIE_BREAKS,
    Rules,
    Scoring,
    all_games,
    by_map,
    by_seat,
    crosstable,
    fault_kinds,
    standings,
    tally,
)

EVERYTHING = Rules(tie_breaks=tuple(name for name in TIE_BREAKS if name != "lots"))


@given(duels(), st.data())
@settings(deadline=None)
def test_the_order_of_games_does_not_matter(matches: list[Outcome], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(matches))
    for table in (standings, crosstable, by_map, by_seat, fault_kinds):
        assert table(NAMES, matches, EVERYTHING) == table(NAMES, shuffled, EVERYTHING)
    assert all_games(matches) == all_games(shuffled)


@given(duels(), st.permutations(NAMES))
@settings(deadline=None)
def test_names_do_not_matter(matches: list[Outcome], other_names: tuple[str, ...]) -> None:
    renamed = dict(zip(NAMES, other_names))
    changed = [replace(match, teams=tuple(renamed[team] for team in match.teams)) for match in matches]
    before, after = ({row[1]: row for row in standings(NAMES, played, EVERYTHING).rows} for played in (matches, changed))
    for name in NAMES:
        assert before[name][2:] == after[renamed[name]][2:]
        assert before[name][0] == after[renamed[name]][0]


@given(duels())
@settings(deadline=None)
def test_all_tables_stand_in_one_order_best_first(matches: list[Outcome]) -> None:
    rows = standings(NAMES, matches).rows
    order = [row[1] for row in rows]
    assert order == [row[0] for row in crosstable(NAMES, matches).rows] == list(crosstable(NAMES, matches).headers[1:])
    assert order == list(by_map(NAMES, matches).headers[1:]) == [row[0] for row in by_seat(NAMES, matches).rows[:-1]]
    byes = Counter(match.teams[0] for match in matches if len(match.teams) == 1)
    keys = [(-float(row[2]), -int(row[4]) - byes[str(row[1])], row[1]) for row in rows]
    assert keys == sorted(keys)


@given(duels())
@settings(deadline=None)
def test_the_crosstable_mirrors_itself(matches: list[Outcome]) -> None:
    table = crosstable(NAMES, matches)
    size = len(table.rows)
    for row in range(size):
        assert table.rows[row][row + 1] == ""
        for column in range(size):
            mirrored = "-".join(reversed(str(table.rows[column][row + 1]).split("-")))
            assert table.rows[row][column + 1] == mirrored


@given(duels(with_byes=False))
@settings(deadline=None)
def test_points_by_map_add_up(matches: list[Outcome]) -> None:
    totals = {name: score.points for name, score in tally(NAMES, matches, Scoring()).items()}
    table = by_map(NAMES, matches)
    for column, name in enumerate(table.headers[1:], start=1):
        assert sum(int(row[column]) for row in table.rows) == totals[name]


def test_the_columns_and_those_of_tie_breaks() -> None:
    plain = ("place", "algorithm", "points", "games", "wins", "ties", "losses", "faults", "forfeits")
    assert standings(NAMES, []).headers == plain
    rules = Rules(tie_breaks=("wins", "head-to-head", "faults", "buchholz"))
    table = standings(("ant", "bee", "cat"), [duel("ant", "bee", 1), duel("cat", "bee", 1)], rules)
    assert table.headers == (*plain, "head-to-head", "buchholz")
    assert table.rows == (
        (1, "ant", 3, 1, 1, 0, 0, 0, 0, 0, 0),
        (1, "cat", 3, 1, 1, 0, 0, 0, 0, 0, 0),
        (3, "bee", 0, 2, 0, 0, 2, 0, 0, "", 6),
    )


def test_equals_share_a_place() -> None:
    rows = standings(NAMES, [duel("bee", "ant", 0), duel("cat", "dog", 1)]).rows
    assert [row[:3] for row in rows] == [(1, "cat", 3), (2, "ant", 1), (2, "bee", 1), (4, "dog", 0)]


def test_nobody_has_a_place_before_a_game_has_a_result() -> None:
    failed = duel("ant", "bee", 0, "m", NO_RESULT)
    for matches, places in (([], ["-", "-"]), ([failed], ["-", "-"]), ([failed, duel("ant", "bee", 1)], [1, 2])):
        assert [row[0] for row in standings(("ant", "bee"), matches).rows] == places


def test_faults_are_counted_and_forfeits_apart() -> None:
    games = [duel("ant", "bee", 2, "m", fault(1)), duel("ant", "bee", 2, "m", fault(1, Termination.FORFEIT))]
    rows = standings(("ant", "bee"), games).rows
    assert [(row[1], *row[-2:]) for row in rows] == [("bee", 0, 0), ("ant", 1, 1)]
    kinds = fault_kinds(("ant", "bee"), [*games, duel("ant", "bee", 1, "m", fault(2, Termination.TIMEOUT))])
    assert kinds.headers == ("algorithm", "timeout", "crash", "faults", "forfeits")
    assert set(kinds.rows) == {("bee", 1, 0, 1, 0), ("ant", 0, 1, 1, 1)}


def test_a_match_that_all_forfeited_or_whose_manager_failed_counts_for_nothing() -> None:
    nobody = duel("ant", "bee", 0, "m", *(fault(seat, Termination.FORFEIT) for seat in (1, 2)))
    failed = duel("ant", "bee", 0, "m", NO_RESULT)
    rows = standings(("ant", "bee"), [nobody, failed]).rows
    assert [row[2:4] for row in rows] == [(0, 0), (0, 0)]
    assert [row[-2:] for row in rows] == [(0, 1), (0, 1)]


def test_byes_have_a_column_where_there_are_any() -> None:
    table = standings(("ant", "bee"), [bye("ant"), duel("ant", "bee", 1)])
    assert table.headers[2:10] == ("points", "games", "wins", "ties", "losses", "byes", "faults", "forfeits")
    assert [row[2:8] for row in table.rows] == [(6, 1, 1, 0, 0, 1), (0, 1, 0, 0, 1, 0)]
    assert "byes" not in standings(("ant", "bee"), [duel("ant", "bee", 1)]).headers


def test_maps_stand_in_the_order_of_the_schedule() -> None:
    games = [duel("ant", "bee", 1, "z", place=0), duel("ant", "bee", 2, "a", place=1)]
    assert by_map(("ant", "bee"), list(reversed(games))).rows == (("z", 3, 0), ("a", 0, 3))


def test_seats_are_told_apart_and_summed() -> None:
    table = by_seat(("ant", "bee"), [duel("ant", "bee", 1), duel("ant", "bee", 0), duel("bee", "ant", 1)])
    assert table.headers == ("algorithm", "seat 1", "seat 2")
    assert table.rows == (("ant", "1-1-0", "0-0-1"), ("bee", "1-0-0", "0-1-1"), ("all", "2-1-0", "0-1-2"))


def test_a_team_in_two_seats_of_a_match_gets_what_both_get() -> None:
    match = many(1, 2, 2, teams=("ant", "ant", "bee"))
    assert [row[:5] for row in standings(("ant", "bee"), [match]).rows] == [(1, "ant", 3, 2, 1), (2, "bee", 0, 1, 0)]
    assert by_seat(("ant", "bee"), [match]).rows[0] == ("ant", "1-0-0", "0-0-1", "")
    assert crosstable(("ant", "bee"), [match]).rows == (("ant", "", "1-1-0"), ("bee", "0-1-1", ""))


def test_every_match_but_byes_is_a_row() -> None:
    match = made_record(
        teams=("ant", "bee"),
        map="m",
        winner=1,
        ranks=(1, 2),
        faults=(fault(2),),
        claim=GameResult(winner=1, reason="x", rounds=9, final_state=(), message="said"),
    ).outcome
    (row,) = all_games([match, bye("ant", 1)]).rows
    assert row == ("m", "ant", "bee", "ant", "x", 9, "said (player 2: crash: boom)", "player 2: crash: boom")


def test_matches_of_different_size_fill_their_rows() -> None:
    table = all_games([many(1, 2, 3), duel("ant", "bee", 2, place=1)])
    assert table.headers[:5] == ("map", "player 1", "player 2", "player 3", "winner")
    assert [row[:5] for row in table.rows] == [("m", "ant", "bee", "cat", "ant"), ("m", "ant", "bee", "", "bee")]


def test_no_games_are_empty_tables() -> None:
    assert [row[2] for row in standings(NAMES, []).rows] == [0] * 4
    assert by_map(NAMES, []).rows == ()
    assert all_games([]).rows == ()
    assert by_seat(NAMES, []).headers == ("algorithm",)


def test_a_hostile_name_stays_text_in_html() -> None:
    evil = "<script>alert(1)</script>"
    matches = [duel(evil, "bee", 1, "<img src=x onerror=alert(2)>")]
    tables = [table((evil, "bee"), matches) for table in (standings, crosstable, by_map, by_seat)]
    text = render_all([*tables, all_games(matches)], "html")
    assert "<script" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
