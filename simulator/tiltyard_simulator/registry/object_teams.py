"""Teams that a Python program gives as they are, a record, a class or a function, where others give the name of a plugin.

They are code of that program, which has loaded them already, so they play inline, in its own process. What is known of them goes
when the program ends, and so does what their matches are known by: whether the code behind an object has changed, nobody can tell.
"""

from __future__ import annotations

import inspect
import re
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError, show
from tiltyard_engine.match import GameManager
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Game, Manager, MapFile, TankInterface, TankTeam, TurnInterface, TurnTeam
from tiltyard_engine.registry import Reference, Registry, Source
from tiltyard_engine.registry.loading import give_records, take_back
from tiltyard_engine.tanks import BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_engine.turns import TurnAlgorithm

HOOKS: Final[Mapping[type[Any], str]] = {Game: "games", Manager: "game_managers", MapFile: "maps"}
EXPECTED: Final = "a name, a path, a TankTeam or TurnTeam, a class, or for games by turns a function"


class BoardInfo(BattleInfo):
    """What the Player of a team that is only a tank class tells its tanks: the rows of the board, as they were shown to it."""

    def __init__(self, rows: tuple[str, ...]) -> None:
        self.rows = rows


class BoardPlayer(Player):
    """Hands the whole board to whichever tank asks."""

    def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
        self._width, self._height = x, y

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Show it all there is."""
        tank.update_battle_info(BoardInfo(tuple(satellite_view.get_rows(self._width, self._height))))


class FunctionAlgorithm(TurnAlgorithm[Any, Any]):
    """A function from a position to the answer."""

    def __init__(self, function: Callable[[Any], Any], seat: int) -> None:
        self._function = function

    def choose(self, position: Any) -> Any:
        """What the function says."""
        return self._function(position)


@dataclass(slots=True, eq=False)
class ObjectTeam:
    """A team that was given as an object."""

    value: Any
    name: str
    owner: ObjectRecords
    source: Source | None = None
    """Its record's, once somebody has said for which game."""

    @property
    def game(self) -> str:
        """The game that it says it is for; a class of a tank is for the game that a TankTeam is for. Empty where it says none."""
        if isinstance(self.value, type) and issubclass(self.value, TankAlgorithm):
            return TankTeam("", BoardPlayer, _factory(self.value, 2)).game
        return self.value.game if isinstance(self.value, TankTeam | TurnTeam) else ""

    def reference(self, registry: Registry, game: Game[Any]) -> Reference:
        """The team in a registry.

        Raises:
            UserError: it is no team of the game.
        """
        if self.source is None:
            self.source = self.owner.give(self.name, [("algorithms", team_record(self.value, self.name, game))])
        reference = self.owner.reference(self.source, registry)
        if reference.game != game.name:
            raise UserError(f"'{self.name}' is a team for {reference.game}, but the game is {game.name}")
        return reference


class ObjectRecords:
    """All that a program gave as objects, for as long as somebody has this. Words stand for them, for a ``Finder`` to look up."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.teams: dict[str, ObjectTeam] = {}
        """By the words that stand for them in place of a name or a path."""
        weakref.finalize(self, take_back, self.sources)

    def give(self, name: str, records: list[tuple[str, Any]]) -> Source:
        """Make records known, and return the source under which a registry finds them."""
        source = give_records(name, records)
        self.sources.append(source)
        return source

    def team(self, value: Any, name: str = "") -> str:
        """What stands for a team: its name or path, or for an object a word that can be neither.

        The same object is one team, and another one of the same name gets a number.

        Raises:
            UserError: it cannot be a team of any game.
        """
        if is_named(value):
            return str(value)
        for word, team in self.teams.items():
            if team.value is value and name in ("", team.name):
                return word
        usual = name or _name_of(value)
        names = {team.name for team in self.teams.values()}
        free = usual
        number = 2
        while free in names:
            free = f"{usual} ({number})"
            number += 1
        self.teams[f"<{free}>"] = ObjectTeam(value, free, self)
        return f"<{free}>"

    def record(self, value: Any) -> str:
        """Make a Game, a Manager or a MapFile known, and return its name; a name or path is returned as it is.

        Raises:
            UserError: it is none of these.
        """
        if is_named(value):
            return str(value)
        hook = next((hook for kind, hook in HOOKS.items() if isinstance(value, kind)), "")
        if not hook:
            raise UserError(
                f"expected a name, a path, or a record such as {', '.join(kind.__name__ for kind in HOOKS)}, got {show(value)}"
            )
        self.give(value.name, [(hook, value)])
        return str(value.name)

    def manager(self, value: Any, game: str | None) -> str:
        """As ``record``, also for a GameManager class, which needs to know the game."""
        if isinstance(value, type) and issubclass(value, GameManager):
            if game is None:
                raise UserError(f"the GameManager {value.__name__} doesn't say which game it is for: name the game too")
            return self.record(Manager(name=value.__name__, game=game, create=value))
        return self.record(value)

    def add_to(self, registry: Registry) -> Registry:
        """Put the records into a registry, all but the teams, which come when the game is known.

        Raises:
            UserError: one of them cannot be used, or has a name that is taken.
        """
        for source in tuple(self.sources):
            registry.add([source])
            self.reference(source, registry)
        return registry

    def reference(self, source: Source, registry: Registry) -> Reference:
        """Of a given record, in a registry.

        Raises:
            UserError: it cannot be used, or its name is taken.
        """
        if not any(entry.reference.source == source for entry in registry.entries):
            registry.add([source])
        for entry in registry.entries:
            if entry.reference.source == source:
                return entry.reference
        reasons = "; ".join(row.reason for row in registry.rows if row.reason and row.name == source.name)
        raise UserError(f"{source}: {reasons or 'cannot be used'}")


def team_record(value: Any, name: str, game: Game[Any]) -> TankTeam | TurnTeam:
    """The record of a team that was given as a record, a class or a function.

    Raises:
        UserError: it is none of these, or not of a kind that the game is played with.
    """
    if isinstance(value, TankTeam):
        return TankTeam(name, value.player, value.tank, value.game, value.description)
    if isinstance(value, TurnTeam):
        return TurnTeam(name, value.game, value.create, value.description)
    if isinstance(game.interface, TankInterface):
        if isinstance(value, type) and issubclass(value, TankAlgorithm):
            return TankTeam(name, BoardPlayer, _factory(value, 2), game.name)
        raise UserError(
            f"'{name}' is {_kind(value)}, but {game.name} is played with tanks: give a TankAlgorithm class, or a TankTeam with a"
            " Player and a tank"
        )
    if isinstance(game.interface, TurnInterface):
        if isinstance(value, type) and issubclass(value, TurnAlgorithm):
            return TurnTeam(name, game.name, _factory(value, 1))
        if callable(value) and not isinstance(value, type):
            return TurnTeam(name, game.name, partial(FunctionAlgorithm, value))
        raise UserError(
            f"'{name}' is {_kind(value)}, but {game.name} is a game by turns: give a TurnAlgorithm class, a TurnTeam, or a function"
            " from a position to the answer"
        )
    raise UserError(f"{game.name} has seats of a kind of its own: give a record of a team for it, not {_kind(value)}")


def is_named(value: object) -> bool:
    """Whether it is a name or a path, which people write in files too."""
    return isinstance(value, str) or hasattr(value, "__fspath__")


def _factory(kind: type[Any], count: int) -> Any:
    """The class, or what makes one where its constructor takes none of the ``count`` arguments that factories get."""
    try:
        inspect.signature(kind).bind(*range(count))
    except (TypeError, ValueError):
        try:
            inspect.signature(kind).bind()
        except (TypeError, ValueError):
            return kind
        return _without_arguments(kind, count)
    return kind


def _without_arguments(kind: type[Any], count: int) -> Callable[..., Any]:
    if count == 1:
        return lambda seat: kind()
    return lambda player_index, tank_index: kind()


def _name_of(value: Any) -> str:
    if isinstance(value, ProgramTeam):
        raise UserError(f"'{value.name}' is a program: name its file or its folder instead")
    if isinstance(value, TankTeam | TurnTeam):
        return value.name
    if isinstance(value, TankAlgorithm | TurnAlgorithm):
        raise UserError(f"expected {EXPECTED}, got {_kind(value)}: each match makes one of its own, so give the class itself")
    if not callable(value):
        raise UserError(f"expected {EXPECTED}, got {show(value)}")
    function = value.func if isinstance(value, partial) else value
    name = getattr(function, "__name__", type(value).__name__)
    return re.sub(r"\W+", "", name)[:64] or "function"


def _kind(value: Any) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "a function" if inspect.isfunction(value) else f"an object of the class {type(value).__name__}"
