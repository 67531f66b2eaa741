from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec
from tiltyard_tournaments.standings import all_games, by_map, crosstable, scores, standings

NAMES = ("ant", "bee", "cat", "dog")
Game = tuple[MatchSpec, MatchOutcome]


def named(name: str) -> Reference:
    return Reference("algorithm", name, "g", Source(name, Origin.FILE, f"/{name}.py"))


def game(first: str, second: str, winner: int, map_name: str = "m", *faults: Fault, data: bytes = b"") -> Game:
    spec = MatchSpec(named("g"), named("judge"), MapSource(map_name, data), (named(first), named(second)))
    return spec, MatchOutcome(GameResult(winner, "x", 9, (), message="said"), winner, (1, 1), faults)


LOST_MANAGER = Fault(0, Termination.CRASH, "boom")
PAIRS = [(first, second) for first in NAMES for second in NAMES if first != second]


@st.composite
def played(draw: st.DrawFn) -> list[Game]:
    games: list[Game] = []
    for first, second in draw(st.lists(st.sampled_from(PAIRS), max_size=20)):
        faults = draw(st.sampled_from([(), (), (LOST_MANAGER,), (Fault(1, Termination.TIMEOUT, "slow"),)]))
        games.append(game(first, second, draw(st.integers(0, 2)), draw(st.sampled_from("mn")), *faults))
    return games


@given(played())
def test_wins_are_losses(games: list[Game]) -> None:
    table = scores(NAMES, games).values()
    counted = [each for each in games if each[1].manager_fault is None]
    assert sum(score.wins for score in table) == sum(score.losses for score in table)
    assert sum(score.games for score in table) == 2 * len(counted)
    assert sum(score.points for score in table) == sum(3 if each[1].winner else 2 for each in counted)


@given(played(), st.data())
def test_the_order_of_games_does_not_matter(games: list[Game], data: st.DataObject) -> None:
    shuffled = data.draw(st.permutations(games))
    for table in (standings, crosstable):
        assert table(NAMES, games) == table(NAMES, shuffled)
    assert set(by_map(NAMES, games).rows) == set(by_map(NAMES, shuffled).rows)


@given(played())
def test_all_tables_stand_in_one_order_best_first(games: list[Game]) -> None:
    rows = standings(NAMES, games).rows
    order = [row[1] for row in rows]
    assert order == [row[0] for row in crosstable(NAMES, games).rows] == list(crosstable(NAMES, games).headers[1:])
    assert order == list(by_map(NAMES, games).headers[1:])
    keys = [(-int(row[2]), -int(row[4]), row[1]) for row in rows]
    assert keys == sorted(keys)


@given(played())
def test_the_crosstable_mirrors_itself(games: list[Game]) -> None:
    table = crosstable(NAMES, games)
    size = len(table.rows)
    for row in range(size):
        assert table.rows[row][row + 1] == ""
        for column in range(size):
            mirrored = "-".join(reversed(str(table.rows[column][row + 1]).split("-")))
            assert table.rows[row][column + 1] == mirrored


@given(played())
def test_points_by_map_add_up(games: list[Game]) -> None:
    totals = {name: score.points for name, score in scores(NAMES, games).items()}
    table = by_map(NAMES, games)
    for column, name in enumerate(table.headers[1:], start=1):
        assert sum(int(row[column]) for row in table.rows) == totals[name]


def test_equals_share_a_place() -> None:
    rows = standings(NAMES, [game("bee", "ant", 0), game("cat", "dog", 1)]).rows
    assert [row[:3] for row in rows] == [(1, "cat", 3), (2, "ant", 1), (2, "bee", 1), (4, "dog", 0)]


def test_faults_are_counted_and_forfeits_apart() -> None:
    crash, forfeit = (Fault(1, kind, "boom") for kind in (Termination.CRASH, Termination.FORFEIT))
    rows = standings(("ant", "bee"), [game("ant", "bee", 2, "m", crash), game("ant", "bee", 2, "m", forfeit)]).rows
    assert [(row[1], *row[-2:]) for row in rows] == [("bee", 0, 0), ("ant", 1, 1)]


def test_a_match_that_all_forfeited_gives_nobody_points() -> None:
    nobody = game("ant", "bee", 0, "m", *(Fault(seat, Termination.FORFEIT, "boom") for seat in (1, 2)))
    assert [row[2:4] for row in standings(("ant", "bee"), [nobody]).rows] == [(0, 0), (0, 0)]


def test_two_maps_of_one_name_stay_apart() -> None:
    games = [game("ant", "bee", 1, "m", data=b"1"), game("ant", "bee", 2, "m", data=b"2")]
    assert by_map(("ant", "bee"), games).rows == (("m", 3, 0), ("m", 0, 3))


def test_every_game_is_a_row() -> None:
    fault = Fault(2, Termination.CRASH, "boom", 3)
    (row,) = all_games([game("ant", "bee", 1, "m", fault)]).rows
    assert row == ("m", "ant", "bee", "ant", "x", 9, "said (player 2: crash: boom)", "player 2: crash: boom")


def test_no_games_are_empty_tables() -> None:
    assert [row[2] for row in standings(NAMES, []).rows] == [0] * 4
    assert by_map(NAMES, []).rows == ()
    assert all_games([]).rows == ()
