"""How a game says what its players must not see, so that tests can tell whether they do.

A game that hides something makes what a seat is shown in one function of the state and the seat, and says beside it how a state
changes that this seat must not be able to tell from the first::

    def with_other_hands(table: Table, seat: int, chance: Random) -> Table:
        ...  # the same table, with all cards dealt again that this seat does not see


    @hides(with_other_hands)
    def view_of(table: Table, seat: int) -> Hand:
        return Hand(table.hands[seat], table.led)

In a match this costs next to nothing: the function is what it was. ``check_game`` watches every call of it, changes the state as
it is told, and compares what the seat is shown.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from tiltyard_engine.data_classes import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

State = TypeVar("State")
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class ViewCall:
    """One call of a function that shows a state to a seat."""

    view: Callable[[Any, int], Any]
    """The function as the game wrote it."""
    change: Callable[[Any, int, Random], Any]
    state: Any
    seat: int
    result: Any


_watchers: list[Callable[[ViewCall], None]] = []


def hides(
    change: Callable[[State, int, Random], State],
) -> Callable[[Callable[[State, int], Shown]], Callable[[State, int], Shown]]:
    """Mark a function that makes what a seat is shown. The seat must not see what ``change`` changes.

    Args:
        change: ``change(state, seat, chance)`` returns another state and leaves its own as it is: all that is hidden from the seat
            is another at random, all that it may know is the same. It is called by tests alone.
    """

    def mark(view: Callable[[State, int], Shown]) -> Callable[[State, int], Shown]:
        @functools.wraps(view)
        def show(state: State, seat: int) -> Shown:
            result = view(state, seat)
            for watch in _watchers:
                watch(ViewCall(view, change, state, seat, result))
            return result

        return show

    return mark


@contextmanager
def watching(watch: Callable[[ViewCall], None]) -> Iterator[None]:
    """Have every call in this process told while the context is open; ``watch`` may call the function itself."""
    _watchers.append(watch)
    try:
        yield
    finally:
        _watchers.remove(watch)
