from __future__ import annotations

import re

import pytest

from tiltyard_engine.records import MapFile
from tiltyard_tanks.files import shipped_map_files
from tiltyard_tanks.map_report import check_map
from tiltyard_tanks.maps import TankMap, count_players, read_map, write_map
from tiltyard_tanks.plugin import maps
from tiltyard_tanks.survey import lines_of_fire
from tiltyard_tanks.symmetry import fair_groups, find_symmetries

SHIPPED = list(maps())
FOR_FOUR = {"four-corners", "pinwheel"}


def board(shipped: MapFile) -> TankMap:
    return read_map(shipped.name, shipped.data, shipped.seats)


@pytest.fixture(params=SHIPPED, ids=lambda shipped: shipped.name)
def shipped(request: pytest.FixtureRequest) -> MapFile:
    found: MapFile = request.param
    return found


def test_there_is_a_choice() -> None:
    assert len(SHIPPED) >= 12
    assert [f"{found.name}.txt" for found in SHIPPED] == [file.name for file in shipped_map_files()]


def test_they_are_canonical(shipped: MapFile) -> None:
    assert write_map(board(shipped)).encode("ascii") == shipped.data
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", shipped.name)


def test_they_are_fair_to_all_players(shipped: MapFile) -> None:
    found = find_symmetries(board(shipped).grid, shipped.seats)
    assert found
    assert found[0].is_centred
    assert len(fair_groups(found[0].symmetry, shipped.seats)) == 1


def test_the_checker_finds_nothing_to_mend(shipped: MapFile) -> None:
    report = check_map(shipped.name, shipped.data)
    assert report.recovered == ()
    assert report.warnings == ()


def test_nobody_starts_in_a_line_of_fire_however_far(shipped: MapFile) -> None:
    assert lines_of_fire(board(shipped).grid) == []


def test_they_are_made_for_the_players_they_say(shipped: MapFile) -> None:
    assert shipped.game == "tanks"
    assert shipped.seats == count_players(shipped.name, shipped.data) == (4 if shipped.name in FOR_FOUR else 2)


def test_their_size_and_limits_leave_room_for_a_fight(shipped: MapFile) -> None:
    tank_map = board(shipped)
    tanks = "".join(tank_map.grid).count("1")
    assert 6 <= tank_map.height <= 60
    assert 10 <= tank_map.width <= 80
    assert 1 <= tanks <= 8
    assert 5 <= tank_map.num_shells <= 20
    assert 200 <= tank_map.max_steps <= 1500
    assert tank_map.max_steps >= 5 * (tank_map.height + tank_map.width)


def test_titles_belong_to_names(shipped: MapFile) -> None:
    assert shipped.description.lower().replace(" ", "-").startswith(shipped.name)


def test_they_differ() -> None:
    maps_by_size = {(board(found).height, board(found).width) for found in SHIPPED}
    assert len(maps_by_size) == len(SHIPPED)
    assert (6, 10) in maps_by_size
    assert (60, 80) in maps_by_size
    assert len({found.description for found in SHIPPED}) == len(SHIPPED)
    assert {sum("1" in character for row in board(found).grid for character in row) for found in SHIPPED} >= {1, 2, 3, 4, 5, 6, 8}
