"""The champion's movement: alpha-beta over territories, by a budget of work; the clock is only looked at in case of need."""

from __future__ import annotations

import time
from typing import Final

from tiltyard_penguins.territory import Ice, each_bit, nearer, slides

Step = tuple[int, int]
"""Bits of departure and arrival."""
WAIT: Final[Step] = (0, 0)
"""No step on the ice that is searched: the side steps somewhere else, where nobody else can come, and loses nothing by it."""
INFINITE: Final = 1 << 30
DEEPEST: Final = 40
WIDTH: Final = 10
"""How many steps are looked into at each position but the first, the most promising ones."""


ROOT_WIDTH: Final = 16
"""How many steps are looked into at the first position, from the second search on."""


class OutOfWorkError(Exception):
    """The budget is used up."""


class _StoppedError(Exception):
    """The budget was used up in the middle of a depth."""

    def __init__(self, best: Step) -> None:
        super().__init__()
        self.best = best


class Budget:
    """Positions that may be valued; and a time at which the search ends whatever is left of them."""

    def __init__(self, work: int, seconds: float) -> None:
        self.budget = work
        self._until = time.monotonic() + seconds

    def take(self) -> None:
        """One position more.

        Raises:
            OutOfWorkError: there are no more.
        """
        self.budget -= 1
        if self.budget < 0 or (self.budget & 31 == 0 and time.monotonic() > self._until):
            raise OutOfWorkError


def steps_of(penguins: int, floes: int, stride: int) -> list[Step]:
    """All moves of a player."""
    return [(origin, target) for origin in each_bit(penguins) for target in slides(origin, floes, stride)]


class Search:
    """Two sides, each with its penguins; several players may be one side.

    Args:
        ice: where fish are.
        budget: how many positions may be valued.
        spares: whether the side to move, and the other one, can step where nobody else can come; such penguins are not searched.
    """

    def __init__(self, ice: Ice, budget: Budget, spares: tuple[bool, bool] = (False, False)) -> None:
        self._ice = ice
        self._stride = ice.stride
        self._budget = budget
        self._spares = spares
        self._reply: Step | None = None
        """The last move that refuted another one; probably good again."""
        self._cut = False
        """Whether a position was valued before the game's end."""

    def best(self, own: int, other: int, floes: int) -> Step | None:
        """The best move found for the side to move; None where there is none. What was taken before makes no difference."""
        steps = self._steps(own, floes, 0)
        if not steps:
            return None
        best = steps[0]
        try:
            steps = self._ordered(steps, own, other, floes, 0)
            best = steps[0]
            # The other side always has the last word: without it, threats count as if they were carried out already.
            for depth in range(2, DEEPEST, 2):
                step, is_exact = self._root(steps if depth == 2 else steps[:ROOT_WIDTH], own, other, floes, depth)
                steps.remove(step)
                steps.insert(0, step)
                best = step
                if is_exact:
                    break
        except _StoppedError as stop:
            best = stop.best
        except OutOfWorkError:
            pass
        return best

    def _steps(self, penguins: int, floes: int, ply: int) -> list[Step]:
        steps = steps_of(penguins, floes, self._stride)
        if self._spares[ply & 1]:
            steps.append(WAIT)
        return steps

    def _root(self, steps: list[Step], own: int, other: int, floes: int, depth: int) -> tuple[Step, bool]:
        alpha, best = -INFINITE, steps[0]
        self._cut = False
        try:
            for step in steps:
                origin, target = step
                gained = self._ice.fish(target)
                value = -self._negamax(other, own ^ origin ^ target, floes ^ target, -gained, depth - 1, -INFINITE, -alpha, 1)
                if value > alpha:
                    alpha, best = value, step
        except OutOfWorkError:
            # The first one is what the last depth found; whatever was found better since then is.
            raise _StoppedError(best) from None
        return best, not self._cut

    def _value_after(self, step: Step, own: int, other: int, floes: int, difference: int) -> int:
        origin, target = step
        return -self._value(other, own ^ origin ^ target, floes ^ target, -difference - self._ice.fish(target))

    def _value(self, own: int, other: int, floes: int, difference: int) -> int:
        """How much more the player to move will have than the other, if each gets what is nearer."""
        self._budget.take()
        mine, theirs = nearer(own, other, floes, self._stride)
        return difference + self._ice.fish(mine) - self._ice.fish(theirs)

    def _negamax(  # noqa: PLR0917 -- keywords would slow the search
        self, own: int, other: int, floes: int, difference: int, depth: int, alpha: int, beta: int, ply: int
    ) -> int:
        steps = self._steps(own, floes, ply)
        if not steps or steps == [WAIT]:
            if not steps_of(other, floes, self._stride):
                return difference
            if depth <= 0:
                self._cut = True
                return self._value(own, other, floes, difference)
            return -self._negamax(other, own, floes, -difference, depth - 1, -beta, -alpha, ply + 1)
        if depth <= 0:
            self._cut = True
            return self._value(own, other, floes, difference)
        if depth == 1:
            return self._last_ply(steps, own, other, floes, difference, beta)
        best = -INFINITE
        for step in self._ordered(steps, own, other, floes, difference)[:WIDTH]:
            origin, target = step
            gained = difference + self._ice.fish(target)
            value = -self._negamax(
                other, own ^ origin ^ target, floes ^ target, -gained, depth - 1, -beta, -max(alpha, best), ply + 1
            )
            if value > best:
                best = value
                if best >= beta:
                    break
        return best

    def _last_ply(self, steps: list[Step], own: int, other: int, floes: int, difference: int, beta: int) -> int:  # noqa: PLR0917
        """The best of the positions after one move, each valued as it is."""
        self._cut = True
        if self._reply in steps:
            steps.remove(self._reply)
            steps.insert(0, self._reply)
        best = -INFINITE
        for step in steps:
            value = self._value_after(step, own, other, floes, difference)
            if value > best:
                best = value
                if best >= beta:
                    self._reply = step
                    break
        return best

    def _ordered(self, steps: list[Step], own: int, other: int, floes: int, difference: int) -> list[Step]:
        """The steps in order, the most promising ones first."""
        return sorted(steps, key=lambda step: -self._value_after(step, own, other, floes, difference))
