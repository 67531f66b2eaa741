"""The champion: places by territory, moves by search."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do
from tiltyard_penguins.search import Budget, Search, Step
from tiltyard_penguins.solo import find_way
from tiltyard_penguins.territory import Ice, State, each_bit, read_position, region, spread, territories

WORK: Final = 4000
"""Positions valued for a move; some 40 µs each."""
SECONDS: Final = 0.4
"""After which a slow machine stops all the same."""


SOLO = True


class Champion(TurnAlgorithm[PenguinsPosition, Move]):
    """Plays the same move in the same position, unless the machine is too slow to think it to its end."""

    def __init__(self, work: int = WORK, seconds: float = SECONDS) -> None:
        self._work, self._seconds = work, seconds

    def choose(self, position: PenguinsPosition) -> Move:
        """A placement or a move."""
        if not has_something_to_do(position, position.board()):
            return PASS
        ice, state = read_position(position)
        if position.phase == PLACEMENT:
            return Move(self._place(position))
        rivals = 0
        for penguins in state.penguins[1:]:
            rivals |= penguins
        if SOLO and not region(state.penguins[0], state.floes, ice.stride) & region(rivals, state.floes, ice.stride):
            step = self._alone(ice, state)
            return Move(ice.square(step[1]), ice.square(step[0]))
        step = Search(ice, Budget(self._work, self._seconds)).best(
            State(state.floes, (state.penguins[0], rivals), (state.scores[0], max(state.scores[1:], default=0)))
        )
        assert step is not None
        return Move(ice.square(step[1]), ice.square(step[0]))

    def _alone(self, ice: Ice, state: State) -> Step:
        own = state.penguins[0]
        for penguin in each_bit(own):
            near = region(penguin, state.floes, ice.stride)
            if near:
                friends = sum(bit for bit in each_bit(own) if region(bit, state.floes, ice.stride) & near)
                way = find_way(ice, friends, near, Budget(self._work, self._seconds))
                return way[1][0]
        raise AssertionError

    def _place(self, position: PenguinsPosition) -> int:
        ice, state = read_position(position)
        best, best_value = 0, -1e9
        for target in each_bit(state.floes & ice.odd & ~ice.many):
            floes = state.floes ^ target
            penguins = (*state.penguins[1:], state.penguins[0] | target)
            claims = territories(penguins, floes, ice.stride)
            own = ice.fish(claims[-1])
            others = max((ice.fish(claim) for claim in claims[:-1]), default=0)
            near = spread(target, floes, ice.stride)
            value = own - others + 0.5 * ice.fish(near) + 0.3 * ice.fish(spread(near, floes, ice.stride) & claims[-1])
            if value > best_value:
                best, best_value = target, value
        return ice.square(best)


def create_champion(seat: int) -> Champion:
    """For a seat of a match."""
    return Champion()
