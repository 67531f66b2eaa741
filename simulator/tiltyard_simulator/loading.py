"""From references to the records behind them, of the kind that is expected there."""

from __future__ import annotations

from typing import TypeVar

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam, TurnTeam
from tiltyard_engine.registry import Reference

R = TypeVar("R")


def load(reference: Reference, kind: type[R]) -> R:
    """The record behind a reference, of the kind that is expected there."""
    record = reference.load()
    if not isinstance(record, kind):
        raise UserError(f"'{reference.name}' is a {reference.kind}, not a {kind.__name__}")
    return record


def load_team(reference: Reference) -> TankTeam | TurnTeam:
    """The algorithm behind a reference."""
    record = reference.load()
    if not isinstance(record, TankTeam | TurnTeam):
        raise UserError(f"'{reference.name}' is a {reference.kind}, not an algorithm")
    return record
