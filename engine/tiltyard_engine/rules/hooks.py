"""A whole game in one call: the hooks of a plugin that contributes a game by its rules, its players and its maps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from tiltyard_engine.errors import MapError
from tiltyard_engine.hooks import hookimpl
from tiltyard_engine.records import Game, GameDisplay, GameMaps, MapFile, TurnTeam
from tiltyard_engine.replay import SquareStyle, Theme
from tiltyard_engine.rules.contract import Rules
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.turns import TurnAlgorithm

SEAT_COLORS: Final = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#b79f00", "#56b4e9", "#7f3c8d", "#a0522d", "#6e6e6e")
"""Colours that people tell apart who see few: those of Okabe and Ito (2008), and three more."""
ReadMap: TypeAlias = Callable[[str, bytes, int], Any]
Hooks: TypeAlias = tuple[Callable[[], Iterator[Game[Any]]], Callable[[], Iterator[TurnTeam]], Callable[[], Iterator[MapFile]]]


def game_hooks(
    name: str,
    rules: Rules[Any, Any],
    *,
    seats: range = range(2, 3),
    read: ReadMap,
    maps: Mapping[str, bytes],
    players: Mapping[str, Callable[[int], TurnAlgorithm[Any, Any]]] = MappingProxyType({}),
    squares: Mapping[str, SquareStyle] | None = None,
    description: str = "",
) -> Hooks:
    """Three hooks of a plugin that has one game, in the order ``games``, ``algorithms``, ``maps``.

    A module names them so: ``games, algorithms, maps = game_hooks("my-game", MyRules(), ...)``.
    A game that needs more than this yields a ``Game`` with ``rules`` from its own hooks.

    Args:
        name: the game's name.
        rules: its rules.
        seats: how many players a match may have.
        read: ``read(name, data, seats)`` makes of a map file what ``rules.start`` gets; see ``whole_numbers``.
        maps: the bytes of map files, by name.
        players: algorithms by name, beside the sparring partners. Each is called with its seat.
        squares: how the tokens of ``rules.draw`` look. A player's number is a disc and ``.`` an empty square, unless this says
            something else.
        description: a line about the game.
    """
    theme = _theme(seats, squares or {})

    @hookimpl
    def games() -> Iterator[Game[Any]]:
        yield Game(name=name, seats=seats, maps=GameMaps(read), rules=rules, display=GameDisplay(theme), description=description)

    @hookimpl
    def algorithms() -> Iterator[TurnTeam]:
        yield from (TurnTeam(player, name, create) for player, create in players.items())

    @hookimpl
    def map_files() -> Iterator[MapFile]:
        yield from (MapFile(each, name, data, 0 if len(seats) > 1 else seats[0]) for each, data in maps.items())

    return games, algorithms, map_files


def whole_numbers(*names: str, least: int = 1, most: int = 1_000) -> ReadMap:
    """How to read a map file that is a few whole numbers, each from ``least`` to ``most``: one number, or a tuple of several.

    Args:
        names: what each number is, such as ``"width", "height"``.
        least: the smallest that is allowed.
        most: the largest.
    """

    def read(name: str, data: bytes, seats: int) -> Any:
        try:
            numbers = tuple(map(int, data.split()))
        except ValueError:
            numbers = ()
        if len(numbers) != len(names) or not all(least <= number <= most for number in numbers):
            expected = f"{counted(len(names), 'whole number')} from {least} to {most}: {', '.join(names)}"
            raise MapError(f"{name}: expected {expected}")
        return numbers if len(names) > 1 else numbers[0]

    return read


def _theme(seats: Any, squares: Mapping[str, SquareStyle]) -> Theme:
    """How boards look if squares have players' numbers and nothing else, but for the squares that are given."""
    if not isinstance(seats, range) or not seats:
        raise TypeError(f"seats is {seats!r}, expected a range such as range(2, 10)")
    styles = {".": SquareStyle(glyph="· ", plain=". ", label="empty", shape="nothing")}
    for seat in range(1, min(seats[-1], len(SEAT_COLORS)) + 1):
        text = f"{seat} "
        styles[str(seat)] = SquareStyle(glyph=text, plain=text, label=f"player {seat}", shape="disc", mark=str(seat), seat=seat)
    return Theme(styles={**styles, **squares}, seat_colors=SEAT_COLORS[: seats[-1]])
