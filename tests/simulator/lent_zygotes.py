"""What cells are forked from goes from one command to the next, where tests call commands in their own process.

A command gets it from the descriptions of its plugins, by the handover. Here the first description gets that of the test before.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.fork_server import call_at_exit

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.registry.sources import is_of
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.zygote import PRELOADED
from tiltyard_simulator.guard.handover import HANDOVER
from tiltyard_simulator.guard.programs.program_paths import paths_for_build
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.play.arena import Arena

_kept: list[CellPool] = []
"""Between two tests: the pool that has it."""


@contextmanager
def lent_zygotes(registry: Registry, readable: tuple[str, ...]) -> Iterator[None]:
    """Within this block, commands that play in this process take the zygotes of earlier blocks, and leave them to later ones.

    Args:
        registry: its own games are imported by each zygote.
        readable: where all teams lie.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HANDOVER, "_is_open", True)
        patch.setattr(Arena, "close", _close_and_leave)
        HANDOVER.leave(_kept.pop() if _kept else _new(registry, readable))
        yield
        left = HANDOVER.take()
    if left is not None:
        # One that was started anew for what it couldn't see knows no folders.
        _kept.append(left) if left._zygotes._folders else left.close()


def _new(registry: Registry, readable: tuple[str, ...]) -> CellPool:
    games = [entry.reference.source for entry in registry.all(GAME) if is_of(entry.reference.source, OWN_DISTRIBUTIONS)]
    modules = dict.fromkeys([*PRELOADED, *(source.value.partition(":")[0] for source in games)])
    # Programs read the system's files.
    pool = CellPool(reserve=0, readable=(*readable, *paths_for_build([]).readable), preload=tuple(modules))
    call_at_exit(pool.close)
    return pool


def _close_and_leave(arena: Arena) -> None:
    if arena._native_hosts is not None:
        arena._native_hosts.close()
    cells, arena._cells = arena._cells, None
    if cells is not None:
        cells.end_match()
        for kind in list(cells._spare):
            cells._drop(kind)
        HANDOVER.leave(cells)
