"""Seats for plugins' own commands: any algorithm of a turn-based game, held as in a match, without a match around it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from tiltyard_engine.records import Game
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME
from tiltyard_engine.seats import TurnSeat
from tiltyard_simulator.guard.confinement import Level
from tiltyard_simulator.guard.describing import open_registry
from tiltyard_simulator.guard.holding import Cells
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import DEFAULT_LIMITS
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.loading import load


@contextmanager
def open_player(text: str, game: str, seat: int, limits: Mapping[str, float]) -> Iterator[TurnSeat[Any, Any]]:
    """The project's own code in this process, any other in a cell; the environment may say otherwise. See engine's Host.

    Raises:
        UserError: there is no such algorithm, or it cannot be used.
    """
    holding = Holding.from_environment()
    registry = open_registry(holding)
    record = registry.find(GAME, game).reference
    reference = choose(text, ALGORITHM, registry, game)
    known: Game[Any] = load(record, Game)
    wanted = DEFAULT_LIMITS.changed(known.limits, "the game's limits").changed(limits)
    with Cells(preload=()) as cells:
        isolation = holding.of(reference)
        if isolation is Isolation.SANDBOX and cells.confinement.level is Level.C:
            print("note: this machine cannot confine programs; 'tiltyard doctor' tells more", file=sys.stderr)
        cells.foresee([record, reference])
        yield cells.open_turn_seat(seat, reference, record, wanted, isolation)
