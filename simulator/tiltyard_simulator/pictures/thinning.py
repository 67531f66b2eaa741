"""Which rounds a film shows, and how long each stays."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay

DEFAULT_SPEED: Final = 8.0
"""Rounds a second."""
MOST_FRAMES: Final = 400
"""Of a film; 50 seconds at the default speed. Longer ones nobody watches to the end, and they are megabytes."""
MOST_FRAMES_A_SECOND: Final = 25
"""Viewers of GIF slow down what changes much quicker than this."""
RESULT_SECONDS: Final = 3.0
"""How long the last frame stays."""


@dataclass(frozen=True, slots=True)
class FilmPlan:
    """The frames of a film."""

    rounds: tuple[int, ...]
    """In order; 0 is the start board."""
    seconds: float
    """How long each of them stays."""
    every: int
    """Only each such round is shown; 1: all."""
    whole: bool
    """Whether the game's end is among them, so that the film ends with the result."""


def film_rounds(replay: Replay, speed: float = DEFAULT_SPEED, first: int = 0, last: int | None = None) -> FilmPlan:
    """The rounds from ``first`` to ``last``, by default all, at ``speed`` rounds a second; of too many each second, third, ...

    Raises:
        UserError: there are no such rounds, or the speed is not above 0.
    """
    if not speed > 0:
        raise UserError(f"a film of {speed:g} rounds a second: expected more than 0")
    end = len(replay.frames)
    last = end if last is None else last
    if not 0 <= first <= last <= end:
        raise UserError(f"no rounds {first} to {last}: the game has rounds 0, its start, to {end}")
    every = max(ceil((last - first + 1) / MOST_FRAMES), ceil(speed / MOST_FRAMES_A_SECOND))
    rounds = list(range(first, last + 1, every))
    if rounds[-1] != last:
        rounds.append(last)
    return FilmPlan(tuple(rounds), max(1 / speed, 1 / MOST_FRAMES_A_SECOND), every, last == end)
