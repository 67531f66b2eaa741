"""A format for a field from which teams were struck after it was drawn up."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from tiltyard_engine.formats import Field, Fixture, Format, TournamentFormat
from tiltyard_tournaments.formats.conditions import OneBatchFormat


def create_without(
    record: Format, options: Any, field: Field, order: Sequence[str] = (), struck: Set[str] = frozenset()
) -> TournamentFormat:
    """The format for ``field``, whose other teams play as before where the format allows it.

    If all matches are known before the first result, the struck teams' own are left out, and all others stay as they were. If later
    matches depend on results, the format draws for the field alone.

    Args:
        record: the format.
        options: its options.
        field: without the struck teams.
        order: the names of all teams, those of the field and the struck ones among them.
        struck: names.

    Raises:
        UserError: the format cannot be played so.
    """
    if struck:
        teams = tuple(name for name in order if name in struck or name in field.teams)
        whole = record.create(replace(field, teams=teams), options)
        if isinstance(whole, OneBatchFormat):
            return _WithoutTeams(whole, [teams.index(name) for name in field.teams])
    return record.create(field, options)


class _WithoutTeams(OneBatchFormat):
    """The fixtures of a whole field among the teams ``kept``, which are places there."""

    def __init__(self, whole: OneBatchFormat, teams: Sequence[int]) -> None:
        self._whole = whole
        self._places = {team: place for place, team in enumerate(teams)}

    def fixtures(self) -> list[Fixture]:
        places = self._places
        return [
            replace(each, seats=tuple(places[team] for team in each.seats))
            for each in self._whole.fixtures()
            if places.keys() >= set(each.seats)
        ]
