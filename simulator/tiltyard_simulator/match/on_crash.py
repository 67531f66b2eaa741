"""What a crash of a team's code means for its match. It is a choice of a run, since simulators of the course differ in it."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game, TurnInterface
from tiltyard_engine.results import Fault, Termination


class OnCrash(StrEnum):
    """What a crash of a team's code means."""

    FORFEIT = "forfeit"
    """The team comes after all teams that did not fail."""
    IDLE = "idle"
    """The team does nothing from then on, and the GameManager's result counts."""
    VOID = "void"
    """The match counts for nobody."""


CRASHES: Final = (Termination.CRASH, Termination.OUT_OF_MEMORY)
"""What ends a team's code from within: an exception, a signal, an exit. What it answers and how long it takes is something else."""


def has_crashed(fault: Fault) -> bool:
    """Whether it is the crash of a team."""
    return fault.seat > 0 and fault.termination in CRASHES


def without_crashes(faults: Sequence[Fault]) -> list[Fault]:
    """The faults but for crashes of teams."""
    return [fault for fault in faults if not has_crashed(fault)]


def check_on_crash(on_crash: OnCrash, game: Game[Any]) -> None:
    """Check that the game can go on as wanted.

    Raises:
        UserError: teams are to idle in a game of turns.
    """
    if on_crash is OnCrash.IDLE and isinstance(game.interface, TurnInterface):
        raise UserError(f"a team can't idle in {game.name}, because every turn needs a move: use 'forfeit' or 'void' for crashes")
