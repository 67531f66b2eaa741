"""Random numbers in a template's cells: a team that seeded them in its import has its own sequence, others a new one each."""

from __future__ import annotations

import random
import sys
from typing import Any


class RandomStates:
    """The states of the random generators that modules share, before and after a team was imported.

    A template forks without Python's hooks, so nobody seeds them again. In a cell of its own, a team that seeds ``random`` when
    it is imported gets the same numbers in each match; so it must here. A generator whose table is a different one than before was
    seeded, or has drawn a few hundred numbers; then it goes on from there. If only its place in the table changed, the team has
    just drawn a few. If nobody knew that the team would import numpy, its generator goes on from there in any case.
    """

    def __init__(self) -> None:
        # As it is before a team could replace it.
        self._seed = random.seed
        # The first number after seeding makes a new table.
        random.random()
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].random()
        self._before = random.getstate()[1][:-1]
        self._state: Any = None
        self._numpy_before = _numpy_table()
        self._numpy_kept = False

    def keep(self) -> None:
        """The team has been imported."""
        state = random.getstate()
        self._state = state if state[1][:-1] != self._before else None
        self._numpy_kept = _numpy_table() != self._numpy_before

    def restore(self) -> None:
        """In a new cell: continue where the team's import ended, or begin again."""
        if self._state is not None:
            random.setstate(self._state)
        else:
            self._seed()
        if not self._numpy_kept:
            reseed_numpy()


def reseed_numpy() -> None:
    """Python reseeds its own generator after a fork; numpy's would be the same in both teams' cells."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is not None:
        numpy_random.seed()


def _numpy_table() -> bytes | None:
    """The table of numpy's shared generator; None if numpy has not been imported, or has another kind of generator."""
    numpy_random = sys.modules.get("numpy.random")
    if numpy_random is None:
        return None
    kind, table, *_ = numpy_random.get_state()
    return bytes(table.tobytes()) if kind == "MT19937" else None
