"""What the command line's words for teams and maps become."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.engine.making import team_source, write
from tests.made_records import made_record

from tiltyard_checks.command.games import MatchupOptions, round_robin_of
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import by_map


@pytest.fixture
def maps(tmp_path: Path, write_map: WriteMap) -> list[str]:
    """Two maps that differ and share a name, and the first of them once more elsewhere."""
    return [str(write_map(f"{folder}/m.txt", steps=steps)) for folder, steps in (("a", 2), ("b", 3), ("c", 2))]


def tournament(registry: Registry, algorithms: list[str], maps: list[str], game: str | None = None) -> Tournament:
    return round_robin_of(algorithms, MatchupOptions(maps, None, game), registry, IsolationPolicy())


def won(winner: int) -> MatchRecord:
    return made_record(winner=winner, ranks=(1, 1))


def test_two_maps_of_one_name_stay_apart(registry: Registry, maps: list[str]) -> None:
    found = tournament(registry, ["acorn", "bramble"], maps)
    assert [source.name for source in found.maps] == list(found.field.maps) == ["m", "m (2)"]
    assert found.maps[0].data != found.maps[1].data
    schedule = Schedule(tournament=found)
    batch = schedule.next_batch()
    assert [(spec.place.number, spec.input.map.name, *spec.input.names) for spec in batch] == [
        (0, "m", "acorn", "bramble"),
        (1, "m", "bramble", "acorn"),
        (2, "m (2)", "acorn", "bramble"),
        (3, "m (2)", "bramble", "acorn"),
    ]
    assert len({spec.place.key for spec in batch}) == 4
    winners = (1, 2, 2, 0)
    records = [spec.label(won(winner).outcome) for spec, winner in zip(batch, winners, strict=True)]
    assert by_map(("acorn", "bramble"), records).rows == (("m", 6, 0), ("m (2)", 1, 4))


def test_a_map_that_is_called_like_the_second_of_two(registry: Registry, maps: list[str], write_map: WriteMap) -> None:
    third = str(write_map("d/m (2).txt", steps=4))
    names = [source.name for source in tournament(registry, ["acorn", "bramble"], [maps[0], third, maps[1]]).maps]
    assert names == ["m", "m (2)", "m (3)"]


def test_it_is_of_all_that_is_installed_for_a_game_that_is_named(registry: Registry) -> None:
    found = tournament(registry, [], [], "filler")
    assert (found.game.name, found.manager.name) == ("filler", "filler")
    assert {"heat", "nearest"} <= set(found.names)
    assert {"map00", "map01"} <= set(found.field.maps)


def test_without_any_word_the_game_has_to_be_named(registry: Registry) -> None:
    with pytest.raises(UserError, match=r"name the game, advance, .* or a GameManager$"):
        tournament(registry, [], [])


def test_a_file_stands_for_all_teams_in_it(registry: Registry, maps: list[str], tmp_path: Path) -> None:
    many = write(tmp_path / "many.py", team_source("one", "two", "three"))
    found = tournament(registry, [str(many), "acorn"], maps)
    assert [team.label for team in found.teams] == ["one", "two", "three", "acorn"]
    assert [team.label for team in tournament(registry, [f"{many}:*"], maps, "tanks").teams] == ["one", "two", "three"]
    with pytest.raises(UserError, match="contributes nothing"):
        tournament(registry, [str(write(tmp_path / "none.py", "")), "acorn", "bramble"], maps)
