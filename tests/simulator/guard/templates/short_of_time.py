"""Imported in a zygote, this makes it take a tenth of the time of its own for a long import."""

from __future__ import annotations

from tiltyard_simulator.guard.templates import family

family.LONG_IMPORT /= 10  # type: ignore[misc]
