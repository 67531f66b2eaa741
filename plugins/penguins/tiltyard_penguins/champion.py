"""The champion: places and moves by territory, and walks well once nobody else can come."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.search import WAIT, Budget, Search, Step
from tiltyard_penguins.solo import find_way
from tiltyard_penguins.territory import Ice, State, each_bit, nearer, read_position, region, spread

WORK: Final = 5000
"""Positions valued for a move; some 20 µs each."""
SECONDS: Final = 0.25
"""After which a slow machine stops all the same."""
NEXT_SHARE: Final = 0.5
"""In the value of a placement: what fish one slide away count, besides being territory."""
LATER_SHARE: Final = 0.3
"""In the value of a placement: what fish two slides away count, as far as they are territory."""


class Champion(TurnAlgorithm[PenguinsPosition, Move]):
    """Plays the same moves in the same match, unless the machine is too slow to think them to their end.

    Several rivals count as one: what they reach is lost, whoever of them takes it.
    """

    def __init__(self, seat: int = 1, work: int = WORK, seconds: float = SECONDS) -> None:
        self._work, self._seconds = work, seconds
        self._ways: dict[int, list[Step]] = {}
        """Of pieces of ice where nobody else can come: the way that was found, by the penguins that stand there."""

    def choose(self, position: PenguinsPosition) -> Move:
        """A placement or a move."""
        if not has_something_to_do(position, position.board()):
            return PASS
        ice, state = read_position(position)
        rivals = 0
        for penguins in state.penguins[1:]:
            rivals |= penguins
        if position.phase == PLACEMENT:
            return Move(ice.square(best_placement(ice, state.penguins[0], rivals, state.floes)))
        step = self._step(ice, state, rivals)
        return Move(ice.square(step[1]), ice.square(step[0]))

    def _step(self, ice: Ice, state: State, rivals: int) -> Step:
        own, floes = state.penguins[0], state.floes
        budget = Budget(self._work, self._seconds)
        if not region(own, floes, ice.stride) & region(rivals, floes, ice.stride):
            return self._step_alone(ice, own, floes, budget)
        safe, rivals_safe = _safe(own, rivals, floes, ice.stride), _safe(rivals, own, floes, ice.stride)
        spare, rivals_spare = (region(each, floes, ice.stride) if each else 0 for each in (safe, rivals_safe))
        search = Search(ice, budget, (spare > 0, rivals_spare > 0))
        step = search.best(own ^ safe, rivals ^ rivals_safe, floes & ~(spare | rivals_spare))
        if step is None:
            raise AssertionError("asked to move, but there is no move")
        return step if step != WAIT else self._step_alone(ice, safe, floes, Budget(self._work, self._seconds))

    def _step_alone(self, ice: Ice, own: int, floes: int, budget: Budget) -> Step:
        """The next step on the first piece of ice that has fish left: the pieces do not touch each other."""
        stride = ice.stride
        for penguin in each_bit(own):
            near = region(penguin, floes, stride)
            if near:
                friends = sum(bit for bit in each_bit(own) if region(bit, floes, stride) & near)
                old_way = self._ways.pop(friends, [])
                fish, way = find_way(ice, friends, near, budget)
                if old_way and sum(ice.fish(target) for _, target in old_way) >= fish:
                    way = old_way
                (origin, target), rest = way[0], way[1:]
                self._ways[friends ^ origin ^ target] = rest
                return origin, target
        raise AssertionError("asked to move, but there is no move")


def _safe(own: int, other: int, floes: int, stride: int) -> int:
    """The penguins of a side where the other one cannot come."""
    theirs = region(other, floes, stride) if other else 0
    return sum(bit for bit in each_bit(own) if not region(bit, floes, stride) & theirs)


def best_placement(ice: Ice, own: int, rivals: int, floes: int) -> int:
    """Where territory is gained, and where the next moves take many fish: the bit of a floe with one fish.

    There must be one.
    """
    stride = ice.stride
    best, best_value = 0, float("-inf")
    for target in each_bit(floes & ice.odd & ~ice.many):
        floes_left = floes ^ target
        mine, theirs = nearer(own | target, rivals, floes_left, stride)
        near = spread(target, floes_left, stride)
        later = spread(near, floes_left, stride) & mine
        value = ice.fish(mine) - ice.fish(theirs) + NEXT_SHARE * ice.fish(near) + LATER_SHARE * ice.fish(later)
        if value > best_value:
            best, best_value = target, value
    return best
