"""Finds out, in a cell, whether a tank keeps its BattleInfo. Only used when a team is checked, never in ordinary matches.

A tank may keep what it copied from the info, not the info itself (assignment 2, API note 5). So when its
``update_battle_info`` has returned, the info must not be reachable from the tank any more.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, Final

from tiltyard_engine.tanks import BattleInfo, Player, TankAlgorithm

MOST_OBJECTS: Final = 100_000
"""How many of a tank's objects are searched. A BattleInfo that is hidden deeper is not found."""
_PASSED_BY: Final = (type, ModuleType, BuiltinFunctionType)
"""These are not searched, because everything can be reached from them."""


class InfoWatch:
    """Watches the tanks of one team."""

    def __init__(self, player: Player | None) -> None:
        self.problem = ""
        """Which tank keeps a BattleInfo, and where; empty while none does."""
        self._player = player
        self._watched: set[type[TankAlgorithm]] = set()
        self._numbers: dict[int, int] = {}
        self._depth = 0

    def add(self, tank: TankAlgorithm, index: int) -> None:
        """Watch a tank. A class that cannot be changed is left alone."""
        self._numbers[id(tank)] = index
        kind = type(tank)
        if kind in self._watched:
            return
        self._watched.add(kind)
        original = kind.update_battle_info

        def update_battle_info(tank: TankAlgorithm, info: BattleInfo) -> None:
            self._depth += 1
            try:
                original(tank, info)
            finally:
                self._depth -= 1
            # A method that calls its base class's has not returned before the outermost has.
            if self._depth == 0 and not self.problem:
                self._look(tank, info)

        try:
            setattr(kind, "update_battle_info", update_battle_info)  # noqa: B010 -- mypy knows no such assignment
        except (AttributeError, TypeError):
            return

    def _look(self, tank: TankAlgorithm, info: BattleInfo) -> None:
        where = where_it_is(tank, info, self._player)
        if where:
            number = self._numbers.get(id(tank))
            who = "a tank" if number is None else f"tank {number}"
            self.problem = f"{who} keeps its BattleInfo after update_battle_info returned: {where}"


def where_it_is(tank: object, info: object, player: object = None) -> str:
    """The attribute of the tank that leads to the info; empty if none was found.

    The search leaves out modules, classes, globals of functions, and the Player, which may keep the info.
    """
    visited = {id(tank), id(player)}
    left = MOST_OBJECTS
    for name, value in _attributes(tank):
        waiting: deque[Any] = deque([value])
        while waiting and left:
            node = waiting.popleft()
            if node is info:
                return name
            if id(node) in visited or not gc.is_tracked(node) or isinstance(node, _PASSED_BY):
                continue
            visited.add(id(node))
            left -= 1
            waiting.extend(_referents(node))
    return ""


def _attributes(tank: object) -> Iterator[tuple[str, object]]:
    """The tank's attributes by name, then everything else that it refers to."""
    for name, value in getattr(tank, "__dict__", {}).items():
        yield f"self.{name}", value
    for kind in type(tank).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            mangled = f"_{kind.__name__.lstrip('_')}{name}" if name.startswith("__") and not name.endswith("__") else name
            descriptor = kind.__dict__.get(mangled)
            if descriptor is not None and name not in ("__dict__", "__weakref__"):
                try:
                    yield f"self.{name}", descriptor.__get__(tank, kind)
                except AttributeError:
                    continue
    for value in gc.get_referents(tank):
        yield "the tank itself", value


def _referents(value: object) -> Iterable[object]:
    if isinstance(value, FunctionType):
        return [value.__closure__, value.__defaults__, value.__kwdefaults__]
    return gc.get_referents(value)
