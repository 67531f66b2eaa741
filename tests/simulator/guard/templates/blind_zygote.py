"""Imported in a zygote, this makes it look at its templates only when their cells end."""

from __future__ import annotations

from tiltyard_simulator.guard.templates import keeper

keeper.REST_SECONDS = 1e6  # type: ignore[misc]
