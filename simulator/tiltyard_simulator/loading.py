"""From references to the records behind them, of the kind that is expected there."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import TankTeam, TurnTeam
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.file_loaders import needs_of

R = TypeVar("R")


def load(reference: Reference, kind: type[R]) -> R:
    """The record behind a reference, of the kind that is expected there."""
    record = reference.load()
    if not isinstance(record, kind):
        raise UserError(f"'{reference.name}' is a {reference.kind}, not a {kind.__name__}")
    return record


def with_needs(reference: Reference) -> Reference:
    """The reference with the files of this machine that running it takes; of one that came from another machine they are made now.

    Raises:
        UserError: they cannot be made here.
    """
    source = reference.source
    if not source.loader or source.needs:
        return reference
    return replace(reference, source=replace(source, needs=needs_of(source.loader)))


def load_team(reference: Reference) -> TankTeam | TurnTeam:
    """The algorithm behind a reference."""
    record = reference.load()
    if not isinstance(record, TankTeam | TurnTeam):
        raise UserError(f"'{reference.name}' is a {reference.kind}, not an algorithm")
    return record
