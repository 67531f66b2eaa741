"""Who stands where: points first, then the tie-breaks in their order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.standings.scoring import Scoring
from tiltyard_tournaments.standings.tally import Score
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS, Results, TieBreak, collect

DEFAULT_TIE_BREAKS: Final = ("wins",)


@dataclass(frozen=True, slots=True)
class Rules:
    """How results become a table.

    Raises:
        NotFoundError: there is no such tie-break.
    """

    scoring: Scoring = field(default_factory=Scoring)
    tie_breaks: tuple[str, ...] = DEFAULT_TIE_BREAKS
    """Names from ``TIE_BREAKS``, in the order in which they decide."""
    seed: int = 0
    """By which lots are drawn."""
    order: tuple[str, ...] = ()
    """The organiser's order of teams, best first."""
    cuts: tuple[int, ...] = (1,)
    """The last places that matter, where teams that are tied with the next place play, if the tie-breaks have ``match``."""
    are_default: bool = False
    """Whether nobody has chosen the tie-breaks: a tournament that was begun with others keeps those."""

    def __post_init__(self) -> None:
        for name in self.tie_breaks:
            if name not in TIE_BREAKS:
                raise NotFoundError("tie-break", name, TIE_BREAKS)


SWISS_TIE_BREAKS: Final = ("buchholz", "buchholz-cut-1", "sonneborn-berger")
"""The default of a swiss, where opponents differ in strength."""
ASSIGNMENT_RULES = Rules()
"""Those of the course: 3 for a win, 1 for a tie, then the number of wins."""


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    place: int
    """Shared by teams that neither points nor tie-breaks tell apart (1, 2, 2, 4). 0: none, as it was disqualified."""
    team: str
    score: Score
    tie_breaks: Mapping[str, Fraction | None]
    """Value by name of tie-break; None where it says nothing: head-to-head of a team that shares its points with nobody."""
    group: str = ""
    """The group in which it has this place; empty: the tournament has none."""


def rank(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> tuple[Standing, ...]:
    """The standings, best first, equal teams by name. Every team of a match must be among ``teams``.

    A tie-break that leaves parts of a group tied hands each part on to the next one; head-to-head is first asked again about
    each part, because the games among them are fewer now.
    """
    results = collect(teams, matches, rules.scoring, rules.seed, rules.order)
    tie_breaks = [TIE_BREAKS[name] for name in rules.tie_breaks]
    by_points: dict[Fraction, list[str]] = {}
    for team in sorted(results.scores):
        by_points.setdefault(results.scores[team].points, []).append(team)
    standings: list[Standing] = []
    for points in sorted(by_points, reverse=True):
        group = by_points[points]
        values = {each.name: _values(each, results, group) for each in tie_breaks}
        for equals in _split(group, tie_breaks, results):
            place = len(standings) + 1
            standings += [
                Standing(place, team, results.scores[team], {name: values[name][team] for name in values}) for team in equals
            ]
    return tuple(standings)


def _values(tie_break: TieBreak, results: Results, group: Sequence[str]) -> Mapping[str, Fraction | None]:
    if tie_break.among_tied and len(group) == 1:
        return dict.fromkeys(group)
    return tie_break.values(results, group)


def _split(group: list[str], tie_breaks: Sequence[TieBreak], results: Results) -> list[list[str]]:
    if len(group) == 1:
        return [group]
    for number, tie_break in enumerate(tie_breaks):
        parts = tie_break.split(results, group)
        if len(parts) > 1:
            left = tie_breaks[number:] if tie_break.among_tied else tie_breaks[number + 1 :]
            return [equals for part in parts for equals in _split(part, left, results)]
    return [group]
