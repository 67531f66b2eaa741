"""Parameters as maps, and what is said of wrong ones."""

from __future__ import annotations

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")

from tiltyard_engine.errors import MapError
from tiltyard_engine.registry import Registry
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.map_files import SpielMap, generate_map, options_of, read_map
from tiltyard_simulator.registry.finder import Finder


def test_the_number_of_players_is_that_of_the_match() -> None:
    assert read_map("yacht", "default", b"{}", 4) == SpielMap("yacht", (("players", 4),))
    assert read_map("chess", "default", b"{}", 2) == SpielMap("chess", ())


@pytest.mark.parametrize(
    ("game", "text", "seats", "message"),
    [
        (
            "chess",
            "pieces",
            2,
            "a map: Expecting value: line 1 column 1 (char 0); expected the game's parameters as an object in JSON, such as",
        ),
        ("chess", "[1]", 2, "a map: contains a list, expected the game's parameters as an object in JSON"),
        ("connect_four", '{"rowz": 5}', 2, "a map: no parameter of connect_four is called 'rowz'; did you mean rows?"),
        ("connect_four", '{"rows": "5"}', 2, "a map: rows is a string ('5'), expected an integer, such as 6"),
        ("go", '{"komi": true}', 2, "a map: komi is a boolean (True), expected a number, such as 7.5"),
        (
            "nim",
            '{"pile_sizes": "a"}',
            2,
            "a map: OpenSpiel's nim cannot be played with pile_sizes = \"a\": Could not parse size 'a'",
        ),
        ("yacht", '{"players": 3}', 2, "a map: yacht is for 3 players with players = 3, but 2 are to play"),
        ("snake", "{}", 3, "a map: OpenSpiel's snake cannot be played with players = 3: Snake supports 2 or 4 players, got 3"),
    ],
)
def test_what_is_wrong_is_named(game: str, text: str, seats: int, message: str) -> None:
    with pytest.raises(MapError) as caught:
        read_map(game, "a map", text.encode(), seats)
    assert str(caught.value).startswith(message)


def test_parameters_that_crash_openspiel_crash_nothing_else() -> None:
    with pytest.raises(
        MapError, match=r"^a map: OpenSpiel's universal_poker cannot be played with .*: OpenSpiel crashes in a random game"
    ):
        read_map("universal_poker", "a map", b'{"numPlayers": 3}', 3)


def test_a_generated_map_has_what_was_chosen() -> None:
    options = options_of(listings()["connect_four"])
    assert generate_map(options(rows=5), 1, 2) == b'{"rows": 5}\n'
    assert generate_map(options(), 1, 2) == b"{}\n"
    assert "seed" not in options_of(listings()["hanabi"]).__annotations__


def test_the_shipped_map_is_for_any_number_of_players_that_the_game_takes(registry: Registry) -> None:
    game = registry.game("openspiel/chinese_checkers")
    assert [found.name for found in Finder(registry).maps(["installed"], game, 4).maps] == ["default"]
    found = Finder(registry).maps(["installed"], game, 5)
    assert found.maps == []
    (reason,) = found.left_out
    assert reason.startswith("default: OpenSpiel's chinese_checkers cannot be played with players = 5: ")
