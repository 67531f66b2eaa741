"""Points that teams bring from an earlier stage or another tournament: they are added to those of the next table."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import TournamentFormat
from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import PairingEnding
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tables import standings
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import tally
from tiltyard_tournaments.standings.scoring import number, without_tie_breaks
from tiltyard_tournaments.tournament_file.lookup import Lookup


def check_carry(lookup: Lookup, tournament_format: TournamentFormat) -> None:
    """Note it where points are brought to a format that knows none."""
    if tournament_format.placings(()) is None:
        return
    instead = "leave out 'carry', or choose a format in which points decide, such as round-robin"
    for place, entry in enumerate(lookup.keys.teams):
        if entry.carry != "none":
            what = f"points decide nothing in a {lookup.keys.format.name}, so there is nothing to add them to"
            lookup.problem(("teams", place, "carry"), f"{what}; {instead}")


def check_earlier(earlier: Tournament, source: str, by: Literal["result", "score"]) -> None:
    """Whether the points of an earlier tournament can be added to points for results, or by the game's own scores.

    Raises:
        UserError: they can't.
    """
    if earlier.format.placings(()) is not None:
        raise UserError(f"points decide nothing in {source}, which is a {earlier.format_name}; leave out 'carry'")
    own = earlier.rules.scoring.by
    if own != by:
        raise UserError(f"the points of {source} are by {own}, but here by {by}; leave out 'carry', or write 'scoring: {own}'")


def points_of(carry: str, earlier: Tournament, schedule: Schedule, names: Collection[str]) -> dict[str, Fraction]:
    """The points of teams in an earlier tournament, as decisions, byes and walkovers have made them.

    Args:
        carry: ``points`` for all of them, in a tournament with groups those of the own group; ``head-to-head`` for those from games
            among ``names``.
        earlier: as it was played.
        schedule: its matches.
        names: of the teams that have gone on. Those that are not in it have none.
    """
    own = [name for name in names if name in earlier.names]
    if carry == "points":
        return {line.team: line.score.points for line in standings(earlier, schedule) if line.team in own}
    among = [match for match in without_tie_breaks(schedule.records) if set(own).issuperset(match.teams)]
    return {name: score.points for name, score in tally(own, among, earlier.rules.scoring).items()}


def as_bye(name: str, points: Fraction, source: str) -> Outcome:
    """A team's points as a round without an opponent; exact, as its scores are a fraction's two numbers."""
    return replace(
        bye(name, stage=source, ending=PairingEnding.CARRIED),
        scores=points.as_integer_ratio(),
        message=f"{name} brings {number(points)} points from {source}",
    )
