"""The game that a file means."""

from __future__ import annotations

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_tournaments.tournament_file.which_game import which_game


@pytest.mark.parametrize(
    ("teams", "maps", "game"),
    [
        (["acorn", "bramble"], ["installed"], "tanks"),
        (["acorn", "submissions/"], ["all installed"], "tanks"),
        (["installed"], ["narrow-pass", "maps/*.txt"], "tanks"),
        (["champion"], ["map01"], "filler"),
        (["champion", "heat"], ["installed"], "filler"),
    ],
)
def test_teams_and_maps_tell(registry: Registry, teams: list[str], maps: list[str], game: str) -> None:
    assert which_game(registry, teams, maps) == game


@pytest.mark.parametrize(
    ("teams", "maps", "message"),
    [
        (["installed"], ["installed"], r"do not tell which; write game: .*filler or game: .*tanks"),
        (["./mine", "./theirs"], ["maps/"], "do not tell which"),
        (["acorn"], ["map00"], r"not all of one game; games: .*tanks"),
    ],
)
def test_where_they_do_not(registry: Registry, teams: list[str], maps: list[str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        which_game(registry, teams, maps)


def test_without_any_game() -> None:
    with pytest.raises(UserError, match="no game is installed"):
        which_game(Registry(), ["acorn"], ["map00"])
