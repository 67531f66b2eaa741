"""Whole matches for a plugin's own command: who plays, on what, and what came of it, as plain values.

A game's command that lets players play asks its Host for them by name, and for the matches with ``Host.play``; they are then
confined, limited, judged and spread over the machine's cores as those of any tournament.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tiltyard_engine.registry.registry import Reference
from tiltyard_engine.results import Fault, GameResult


@dataclass(frozen=True, slots=True)
class HostPlayer:
    """Somebody who can be given a seat."""

    label: str
    """What people called it; unique among those that a folder holds."""
    reference: Reference


@dataclass(frozen=True, slots=True)
class HostMatch:
    """One match."""

    game: str
    manager: str
    map_name: str
    map_data: bytes
    """The bytes of a map file."""
    players: tuple[HostPlayer, ...]
    """Seat 1 first."""
    seed: int = 0


@dataclass(frozen=True, slots=True)
class HostOutcome:
    """What came of a match."""

    key: str
    """A hash over everything that the result depends on, all code and files included: equal keys, equal results."""
    claim: GameResult
    """The GameManager's."""
    winner: int
    """After judging what the players did wrong; 0 is a tie."""
    faults: tuple[Fault, ...] = ()
    is_void: bool = False
    """Whether the machine spoilt it: it says nothing of anybody, and is to be played again."""
    seconds: tuple[float, ...] = ()
    """Wall time that each player used in all; empty where that is not known."""
    outputs: tuple[bytes, ...] = field(default=(), compare=False)
    """What each player's code printed, up to a limit."""
