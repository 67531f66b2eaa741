"""What follows from a game's rules, and how a plugin says that it has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engine.rules.small_games import Bids, Hand, Nim, Pile, Table

from tiltyard_engine.errors import MapError
from tiltyard_engine.records import Game, GameMaps, Manager, TurnInterface, TurnTeam
from tiltyard_engine.registry import Registry
from tiltyard_engine.rules import game_hooks, whole_numbers
from tiltyard_engine.rules.derived import position_and_answer, view_type, with_derived
from tiltyard_engine.rules.referee import RulesGameManager, ShortMatch

NIM: Game[Any] = Game(name="nim", seats=range(2, 4), maps=GameMaps(whole_numbers("stones")), rules=Nim())


def test_types_are_read_from_the_class() -> None:
    assert position_and_answer(Nim()) == (Pile, int)
    assert view_type(Nim()) is Pile
    assert position_and_answer(Bids()) == (Table, int)
    assert view_type(Bids()) is Hand


def test_a_game_gets_what_it_does_not_say_itself() -> None:
    game, referee, *partners = with_derived([NIM])
    assert isinstance(game, Game)
    assert game.interface == TurnInterface(Pile, int)
    assert game.maps.truncate is ShortMatch
    assert isinstance(referee, Manager)
    assert isinstance(referee.create(), RulesGameManager)
    assert [(each.name, each.is_partner) for each in partners if isinstance(each, TurnTeam)] == [
        ("random", True),
        ("greedy", True),
        ("mcts", True),
    ]


def test_what_a_plugin_has_itself_stays() -> None:
    own = Manager(name="own", game="nim", create=lambda: RulesGameManager(Nim()))
    team = TurnTeam("random", "nim", lambda seat: None)  # type: ignore[arg-type, return-value]
    told = Game(name="nim", seats=range(2, 3), maps=NIM.maps, rules=Nim(), interface=TurnInterface(Pile, object))
    records = with_derived([told, own, team])
    # Its GameManager knows nothing of maps that end early, so none are made for it.
    assert records[:3] == [told, own, team]
    assert [record.name for record in records[3:]] == ["greedy", "mcts"]


def test_a_file_with_a_whole_game(tmp_path: Path) -> None:
    file = tmp_path / "nim.py"
    file.write_text(
        "from tests.engine.rules.small_games import Nim\n"
        "from tiltyard_engine.rules import game_hooks, whole_numbers\n"
        "from tiltyard_engine.rules.sparring import RandomPlayer\n"
        "def any_take(seat):\n    return RandomPlayer(Nim(), seat)\n"
        "games, algorithms, maps = game_hooks('nim', Nim(), read=whole_numbers('stones'), maps={'few': b'9'}, "
        "players={'any': any_take})\n"
    )
    registry = Registry.from_paths([file])
    assert registry.failures() == []
    assert [(entry.reference.kind, entry.name) for entry in registry.entries] == [
        ("game", "nim"),
        ("algorithm", "any"),
        ("map", "few"),
        ("game manager", "referee"),
        ("algorithm", "random"),
        ("algorithm", "greedy"),
        ("algorithm", "mcts"),
    ]


def test_hooks_of_a_game_for_any_number_of_players() -> None:
    games, _, maps = game_hooks("nim", Nim(), seats=range(2, 4), read=whole_numbers("stones"), maps={"few": b"9"}, players={})
    (game,) = games()
    (shipped,) = maps()
    assert (game.seats, shipped.seats) == (range(2, 4), 0)
    assert game.display.theme is not None
    assert set(game.display.theme.styles) == {".", "1", "2", "3"}


@pytest.mark.parametrize(("data", "numbers"), [(b"7 6\n", (7, 6)), (b" 1\t20 ", (1, 20))])
def test_whole_numbers_are_read(data: bytes, numbers: tuple[int, int]) -> None:
    assert whole_numbers("width", "height", most=20)("m", data, 2) == numbers


@pytest.mark.parametrize("data", [b"", b"7", b"7 6 5", b"7 x", b"0 5", b"5 21", b"\xff \xfe"])
def test_other_texts_are_no_maps(data: bytes) -> None:
    with pytest.raises(MapError, match=r"^m: expected 2 whole numbers from 1 to 20: width, height$"):
        whole_numbers("width", "height", most=20)("m", data, 2)


@pytest.mark.parametrize("seats", [3, range(0)])
def test_how_many_players_there_are_is_said_by_a_range(seats: Any) -> None:
    with pytest.raises(TypeError, match=r"seats is .*, expected a range such as range\(2, 10\)"):
        game_hooks("nim", Nim(), seats=seats, read=whole_numbers("stones"), maps={})
