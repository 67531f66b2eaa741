"""The ranking of a tournament of several stages: finalists by the finals, all others by the stage before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.lifecycle import Table
from tiltyard_tournaments.standings import Standing
from tiltyard_tournaments.standings.tables import NO_PLACE

TITLE: Final = "Final ranking"


@dataclass(frozen=True, slots=True)
class RankedStage:
    """A stage that was begun, and its standings so far."""

    name: str
    lines: Sequence[Standing]


@dataclass(frozen=True, slots=True)
class _Line:
    team: str
    stage: str
    group: tuple[int, int]
    """Equal for teams that nothing tells apart: the number of the stage and the place in it."""
    place: int


def final_ranking(stages: Iterable[RankedStage], is_over: bool = True) -> Table:
    """A line for each team: its place, and the last stage that it played with its place there.

    Teams of a later stage stand together, in its order, where the best of them stood before. So finalists come first, and matches
    for lower places decide only these. Teams that no stage tells apart share a place. The title says whether all ``is_over``.
    """
    ranking: list[_Line] = []
    for number, stage in enumerate(stages):
        lines = sorted(stage.lines, key=lambda line: (not line.place, line.place))  # those of groups come group by group
        own = [_Line(line.team, stage.name, (number, line.place), line.place) for line in lines]
        names = {line.team for line in own}
        best = next((line.group for line in ranking if line.team in names), None)
        # Who shared the place of the best of them, but does not go on, comes behind.
        at = next((place for place, line in enumerate(ranking) if line.group == best), len(ranking))
        others = [line for line in ranking if line.team not in names]
        ranking = [*others[:at], *own, *others[at:]]
    rows: list[tuple[int | str, str, str, int | str]] = []
    place, before = 0, (-1, 0)
    # Who was disqualified in any stage has no place, and those behind move up.
    for position, line in enumerate(sorted(ranking, key=lambda each: not each.place), start=1):
        if line.group != before:
            place, before = position, line.group
        rows.append((place, line.team, line.stage, line.place) if line.place else (NO_PLACE, line.team, line.stage, NO_PLACE))
    return Table(TITLE if is_over else f"{TITLE}, so far", ("place", "algorithm", "last stage", "place there"), tuple(rows))
