"""Imported in a zygote, this makes its templates wait as on Linux before 5.19: a signal may end their wait."""

from __future__ import annotations

from tiltyard_simulator.guard.confinement.kernel import seccomp

seccomp._WAIT_KILLABLE = 0  # type: ignore[misc]
