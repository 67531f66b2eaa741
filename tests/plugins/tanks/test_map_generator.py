from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tiltyard_engine.errors import MapError
from tiltyard_tanks.battle import DO_NOTHING, SHOOT, Battle
from tiltyard_tanks.map_generator import MapOptions, generate_map, generate_map_file
from tiltyard_tanks.maps import MAX_SQUARES, TankMap, count_players, read_map, write_map
from tiltyard_tanks.rules import REFERENCE
from tiltyard_tanks.survey import LAST_DEADLY_ROUND, find_regions, hit_round, lines_of_fire, parts_with_tanks
from tiltyard_tanks.symmetry import FAIR, Symmetry, fair_groups, find_symmetries, orbit, player_images

WISHES = st.tuples(
    st.sampled_from([(players, symmetry) for players in range(2, 10) for symmetry in Symmetry if player_images(symmetry, players)]),
    st.integers(8, 14),
    st.integers(8, 14),
    st.integers(1, 2),
    st.floats(0, 0.3),
    st.floats(0, 0.1),
    st.integers(),
)


def make(*, seed: int, players: int = 2, title: str = "", **options: Any) -> TankMap:
    return generate_map(MapOptions(**options), seed, players, title)


def generated(wish: tuple[tuple[int, Symmetry], int, int, int, float, float, int]) -> TankMap:
    (players, symmetry), rows, cols, tanks, walls, mines, seed = wish
    cols = rows if symmetry is Symmetry.QUARTER_TURN else cols
    try:
        return make(rows=rows, cols=cols, tanks=tanks, walls=walls, mines=mines, symmetry=symmetry, seed=seed, players=players)
    except MapError:
        # Many tanks on a small board may find no place; that this is rare is tested below.
        assume(False)
        raise


@settings(deadline=None, max_examples=60)
@given(WISHES)
def test_a_generated_map_keeps_its_promises(wish: tuple[tuple[int, Symmetry], int, int, int, float, float, int]) -> None:
    (players, symmetry), rows, cols, tanks, walls, mines, _ = wish
    tank_map = generated(wish)
    cells = "".join(tank_map.grid)
    assert tank_map.height == rows
    assert tank_map.width == (rows if symmetry is Symmetry.QUARTER_TURN else cols)
    assert [cells.count(str(player)) for player in range(1, 10)] == [tanks] * players + [0] * (9 - players)
    assert 0 <= round(len(cells) * walls) - cells.count("#") <= 3
    assert 0 <= round(len(cells) * mines) - cells.count("@") <= 3
    if symmetry is not Symmetry.NONE:
        assert any(found.symmetry is symmetry and found.is_centred for found in find_symmetries(tank_map.grid, players))
    assert len(parts_with_tanks(tank_map.grid, find_regions(tank_map.grid))) == 1
    assert not any(line.is_deadly for line in lines_of_fire(tank_map.grid))
    data = write_map(tank_map).encode()
    assert read_map("any", data, players) == tank_map
    assert count_players("any", data) == players


def play_round(battle: Battle, tank: int, request: int) -> None:
    battle.begin_round()
    battle.judge([tank], [request])
    battle.first_half()
    battle.second_half()


@settings(deadline=None, max_examples=25)
@given(WISHES)
def test_nobody_dies_of_first_shots_before_it_could_know_and_leave(
    wish: tuple[tuple[int, Symmetry], int, int, int, float, float, int],
) -> None:
    """By the rules themselves; only an own tank may be hit that early."""
    tank_map = generated(wish)
    for shooter in range(sum(row.count(digit) for row in tank_map.grid for digit in "123456789")):
        battle = Battle(tank_map.grid, tank_map.num_shells, tank_map.players, REFERENCE)
        for number in range(1, LAST_DEADLY_ROUND + 1):
            play_round(battle, shooter, SHOOT if number == 1 else DO_NOTHING)
            assert all(battle.owner[dead] == battle.owner[shooter] for dead in battle.deaths)


@pytest.mark.parametrize("distance", range(1, 12))
def test_the_round_of_a_hit_is_that_of_the_rules(distance: int) -> None:
    battle = Battle(("2" + " " * (distance - 1) + "1" + "#",), 1, 2, REFERENCE)
    for number in range(1, 20):
        play_round(battle, 1, SHOOT if number == 1 else DO_NOTHING)
        if battle.deaths:
            assert number == hit_round(distance)
            return
    pytest.fail("the shell never arrived")


def test_the_same_seed_gives_the_same_map_and_another_seed_another_one() -> None:
    maps = [
        make(rows=12, cols=20, tanks=3, walls=0.2, mines=0.05, symmetry=Symmetry.HALF_TURN, seed=seed).grid for seed in (7, 7, 8)
    ]
    assert maps[0] == maps[1] != maps[2]


def test_a_seed_means_the_same_map_for_ever() -> None:
    """Organisers publish seeds: a change of this board breaks a promise."""
    grid = make(rows=5, cols=9, tanks=1, walls=0.2, mines=0.05, symmetry=Symmetry.HALF_TURN, seed=3).grid
    assert grid == (" # @ 1#  ", "   ##    ", "    #    ", "    ##   ", "  #2 @ # ")


def test_ordinary_wishes_are_met_whatever_the_seed() -> None:
    for seed in range(40):
        make(rows=10, cols=14, tanks=3, walls=0.3, mines=0.05, symmetry=Symmetry.HALF_TURN, seed=seed)


def test_the_title_tells_how_the_map_was_made_unless_one_is_given() -> None:
    assert (
        make(rows=8, cols=9, tanks=1, walls=0, mines=0, symmetry=Symmetry.MIRROR, seed=4).title == "Generated 8 x 9, mirror, seed 4"
    )
    assert make(rows=8, cols=9, tanks=1, walls=0, mines=0, symmetry=Symmetry.MIRROR, seed=4, title="Höhle").title == "Höhle"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": 0}, "rows must be from 1"),
        ({"cols": -3}, "cols must be from 1"),
        ({"tanks": 0}, "tanks must be from 1"),
        ({"shells": -1}, "shells must be from 0"),
        ({"steps": 10**12}, "steps must be from 0 to 999,999,999,999"),
        ({"players": 1}, "players must be from 2 to 9"),
        ({"players": 10}, "players must be from 2 to 9"),
        ({"rows": MAX_SQUARES}, "too large; the limit is"),
        ({"walls": 1.5}, "walls must be a share from 0 to 1, not 1.5"),
        ({"mines": math.nan}, "mines must be a share from 0 to 1, not nan"),
        ({"tanks": 41}, "82 tanks need more than the 80 squares"),
        ({"walls": 0.6, "mines": 0.5}, "48 walls, 40 mines and 2 tanks need more than the 80 squares"),
        ({"rows": 20, "walls": 0.8, "tanks": 9}, "found no board in 60 tries .* use fewer walls"),
        ({"rows": 1, "cols": 4, "walls": 0, "mines": 0}, "none is shot at once"),
        ({"title": "two\nlines"}, "one line of printable characters"),
        ({"symmetry": Symmetry.MIRROR, "players": 4}, "mirror is not fair to 4 players.* none or quarter-turn or half-turn"),
        ({"symmetry": Symmetry.HALF_TURN, "players": 3}, "for 3 players, use none"),
        ({"symmetry": Symmetry.QUARTER_TURN}, "for 2 players, use none or half-turn or mirror"),
        ({"symmetry": Symmetry.QUARTER_TURN, "players": 4}, "as many rows as columns, not 8 x 10"),
    ],
)
def test_impossible_wishes_are_refused_with_what_to_change(change: dict[str, Any], message: str) -> None:
    wish: dict[str, Any] = {"rows": 8, "cols": 10, "tanks": 1, "walls": 0.1, "mines": 0.1}
    wish |= {"symmetry": Symmetry.HALF_TURN, "seed": 1} | change
    with pytest.raises(MapError, match=message):
        make(**wish)


def test_who_is_treated_like_whom() -> None:
    assert fair_groups(Symmetry.HALF_TURN, 4) == [[1, 2], [3, 4]]
    assert fair_groups(Symmetry.QUARTER_TURN, 4) == [[1, 3, 2, 4]]
    assert fair_groups(Symmetry.MIRROR, 2) == [[1, 2]]
    assert fair_groups(Symmetry.NONE, 3) == [[1], [2], [3]]
    assert {players: [str(symmetry) for symmetry in FAIR if player_images(symmetry, players)] for players in range(2, 10)} == {
        2: ["half-turn", "mirror"],
        3: [],
        4: ["quarter-turn", "half-turn"],
        5: [],
        6: ["half-turn"],
        7: [],
        8: ["quarter-turn", "half-turn"],
        9: [],
    }


@given(st.sampled_from(list(Symmetry)), st.integers(1, 7), st.integers(1, 7), st.data())
def test_orbits_cut_the_board_into_parts(symmetry: Symmetry, width: int, height: int, data: st.DataObject) -> None:
    height = width if symmetry is Symmetry.QUARTER_TURN else height
    square = data.draw(st.integers(0, width * height - 1))
    squares = orbit(symmetry, square, width, height)
    assert len(squares) == len(set(squares)) <= 4
    assert all(set(orbit(symmetry, image, width, height)) == set(squares) for image in squares)


@settings(max_examples=50)
@given(st.sampled_from(FAIR), st.integers(0, 9), st.integers(0, 9), st.integers())
def test_symmetry_is_found_wherever_its_centre_lies(symmetry: Symmetry, right: int, down: int, seed: int) -> None:
    players = 4 if symmetry is Symmetry.QUARTER_TURN else 2
    grid = make(rows=10, cols=10, tanks=2, walls=0.2, mines=0.05, symmetry=symmetry, seed=seed, players=players).grid
    moved = tuple(row[right:] + row[:right] for row in grid[down:] + grid[:down])
    assert symmetry in [found.symmetry for found in find_symmetries(moved, players)]


def test_one_changed_square_breaks_a_symmetry() -> None:
    grid = make(rows=9, cols=12, tanks=2, walls=0.2, mines=0.05, symmetry=Symmetry.HALF_TURN, seed=1).grid
    place = grid[2].index(" ")
    broken = (*grid[:2], grid[2][:place] + "#" + grid[2][place + 1 :], *grid[3:])
    assert find_symmetries(grid, 2)
    assert not find_symmetries(broken, 2)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_maps_by_a_tournaments_wishes(players: int) -> None:
    wishes = MapOptions(rows=12, cols=14, tanks=2, walls=0.1)
    data = generate_map_file(wishes, 7, players)
    assert data == generate_map_file(wishes, 7, players) != generate_map_file(wishes, 8, players)
    made = read_map("generated", data, players)
    assert (made.height, made.width, made.players) == (12, 14, players)
