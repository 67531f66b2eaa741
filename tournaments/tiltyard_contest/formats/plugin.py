"""The formats of this room, by an entry point of the distribution ``tiltyard``."""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_contest.formats.double_elimination import DoubleElimination, DoubleEliminationOptions
from tiltyard_contest.formats.groups import DrawnGroups, GroupsOptions
from tiltyard_contest.formats.knockout import Knockout, KnockoutOptions
from tiltyard_engine.formats import Format
from tiltyard_engine.hooks import hookimpl

TILTYARD_API = 1


@hookimpl
def formats() -> Iterator[Format]:
    """In the order of the reference page."""
    yield Format("groups", DrawnGroups, GroupsOptions, "teams are drawn into groups; in each group, all teams meet")
    yield Format("knockout", Knockout, KnockoutOptions, "the loser of a meeting is out")
    yield Format("double-elimination", DoubleElimination, DoubleEliminationOptions, "a team that has lost two meetings is out")
