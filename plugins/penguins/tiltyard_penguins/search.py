"""The champion's movement: alpha-beta over territories, by a budget of work; the clock is only looked at in case of need."""

from __future__ import annotations

import time
from typing import Final

from tiltyard_penguins.territory import Ice, State, each_bit, slides, territories

Step = tuple[int, int]
"""Bits of departure and arrival."""
INFINITE: Final = 1 << 30
DEEPEST: Final = 40


class OutOfWorkError(Exception):
    """The budget is used up."""


class Budget:
    """Positions that may be valued; and a time at which the search ends whatever is left of them."""

    def __init__(self, work: int, seconds: float) -> None:
        self.left = work
        self._until = time.monotonic() + seconds

    def take(self) -> None:
        """One position more.

        Raises:
            OutOfWorkError: there are no more.
        """
        self.left -= 1
        if self.left < 0 or (self.left & 31 == 0 and time.monotonic() > self._until):
            raise OutOfWorkError


def steps_of(penguins: int, floes: int, stride: int) -> list[Step]:
    """All moves of a player."""
    return [(origin, target) for origin in each_bit(penguins) for target in slides(origin, floes, stride)]


class Search:
    """Two sides: the player to move, and the strongest of the others or all of them, as the caller made it."""

    def __init__(self, ice: Ice, budget: Budget) -> None:
        self._ice = ice
        self._stride = ice.stride
        self._budget = budget
        self._replies: dict[int, Step] = {}
        """By depth: the move that was best there the last time; probably good again."""

    def best(self, state: State) -> Step | None:
        """The best move found for the first of two players; None where there is none."""
        floes, (own, other), (score, rival) = state.floes, state.penguins, state.scores
        steps = steps_of(own, floes, self._stride)
        if not steps:
            return None
        best = steps[0]
        difference = score - rival
        try:
            valued = sorted(
                ((-self._value_after(step, own, other, floes, difference), index) for index, step in enumerate(steps)),
            )
            steps = [steps[index] for _, index in valued]
            best = steps[0]
            for depth in range(2, DEEPEST):
                found, is_exact = self._root(steps, own, other, floes, difference, depth)
                steps.remove(found)
                steps.insert(0, found)
                best = found
                if is_exact:
                    break
        except OutOfWorkError as stop:
            if stop.args:
                best = stop.args[0]
        return best

    def _root(self, steps: list[Step], own: int, other: int, floes: int, difference: int, depth: int) -> tuple[Step, bool]:
        alpha, best = -INFINITE, steps[0]
        self._cut = False
        try:
            for step in steps:
                origin, target = step
                gained = difference + self._ice.fish(target)
                value = -self._negamax(other, own ^ origin ^ target, floes ^ target, -gained, depth - 1, -INFINITE, -alpha)
                if value > alpha:
                    alpha, best = value, step
        except OutOfWorkError:
            # The first one is what the last depth found; whatever was found better since then is.
            raise OutOfWorkError(best) from None
        return best, not self._cut

    def _value_after(self, step: Step, own: int, other: int, floes: int, difference: int) -> int:
        origin, target = step
        return -self._value(other, own ^ origin ^ target, floes ^ target, -difference - self._ice.fish(target))

    def _value(self, own: int, other: int, floes: int, difference: int) -> int:
        """How much more the player to move will have than the other, if both get what is nearer to them."""
        self._budget.take()
        mine, theirs = territories((own, other), floes, self._stride)
        return 2 * (difference + self._ice.fish(mine) - self._ice.fish(theirs))

    def _negamax(self, own: int, other: int, floes: int, difference: int, depth: int, alpha: int, beta: int) -> int:
        stride = self._stride
        steps = steps_of(own, floes, stride)
        if not steps:
            if not steps_of(other, floes, stride):
                return 2 * difference
            if depth <= 0:
                self._cut = True
                return self._value(own, other, floes, difference)
            return -self._negamax(other, own, floes, -difference, depth - 1, -beta, -alpha)
        if depth <= 0:
            self._cut = True
            return self._value(own, other, floes, difference)
        fish = self._ice.fish
        if depth == 1:
            self._cut = True
            killer = self._replies.get(depth)
            if killer in steps:
                steps.remove(killer)
                steps.insert(0, killer)
            best = -INFINITE
            for step in steps:
                value = self._value_after(step, own, other, floes, difference)
                if value > best:
                    best = value
                    if best >= beta:
                        self._replies[depth] = step
                        return best
            return best
        order = sorted(steps, key=lambda step: -self._value_after(step, own, other, floes, difference))
        best = -INFINITE
        for step in order:
            origin, target = step
            gained = difference + fish(target)
            value = -self._negamax(other, own ^ origin ^ target, floes ^ target, -gained, depth - 1, -beta, -max(alpha, best))
            if value > best:
                best = value
                if best >= beta:
                    break
        return best
