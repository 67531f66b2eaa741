"""A schedule for people: a row a match."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.formats import Field, Fixture
from tiltyard_simulator.tables import Cell


def schedule_table(field: Field, fixtures: Sequence[Fixture], first: int = 1) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Headers and rows for ``tables.render``: number (from ``first``), stage, map, game (from 1), and who sits where."""
    headers = ("match", "stage", "map", "game", *(f"player {seat}" for seat in range(1, field.seats + 1)))
    rows: list[tuple[Cell, ...]] = []
    for number, fixture in enumerate(fixtures, start=first):
        names = (field.teams[team] for team in fixture.seats)
        rows.append((number, fixture.stage, field.maps[fixture.map], fixture.game + 1, *names))
    return headers, rows
