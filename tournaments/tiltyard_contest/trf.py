"""A swiss as FIDE's tournament report file, TRF16 (FIDE Handbook C.04, annex 2): a line a team, ten columns a round.

A meeting of several games is one game there: who has more points of it has won. Whoever is in seat 1 of its first game has white.
So points are counted again, as 1 for a won meeting, 1/2 for a drawn one, 1 for a bye and 1/2 for a half-point bye.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import PairingEnding
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_tournaments.running.schedule import Schedule
from tiltyard_tournaments.running.tables import byes_of, standings
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import points
from tiltyard_tournaments.standings.scoring import without_tie_breaks

LONGEST_NAME: Final = 33
NO_OPPONENT: Final = {
    PairingEnding.BYE: "U",
    PairingEnding.HALF_POINT_BYE: "H",
    PairingEnding.LATE: "Z",
    PairingEnding.ABSENT: "Z",
}
"""Codes of rounds without an opponent: allotted by the pairing, half a point, none."""
WORTH: Final = {"1": 1.0, "+": 1.0, "U": 1.0, "=": 0.5, "H": 0.5}
"""Points of a code; all others give none."""


@dataclass(frozen=True, slots=True)
class RoundColumns:
    """What a line says of one round."""

    opponent: int = 0
    """Its number, from 1; 0: none."""
    colour: str = "-"
    code: str = "Z"

    def __str__(self) -> str:
        return f"{self.opponent:4d} {self.colour} {self.code}" if self.opponent else f"0000 {self.colour} {self.code}"


def trf_text(tournament: Tournament, schedule: Schedule) -> str:
    """The report as far as the tournament was played.

    Raises:
        UserError: it is no swiss, or teams bring points.
    """
    if tournament.format.draws != "rounds":
        raise UserError(f"a TRF file has the rounds of a swiss, but the format is {tournament.format_name}")
    if tournament.carried:
        raise UserError("a TRF file has no place for points of an earlier stage, so it can't have this swiss, which carries some")
    numbers = {name: number for number, name in enumerate(tournament.names, start=1)}
    rounds = _rounds(tournament, schedule, numbers)
    places = {line.team: line.place for line in standings(tournament, schedule)}
    lines = [f"012 {one_line(tournament.title)}", f"062 {len(numbers)}", "072 0", "092 Individual: Swiss-System"]
    for name, number in numbers.items():
        entries = [each.get(number, RoundColumns()) for each in rounds]
        own = sum(WORTH.get(entry.code, 0.0) for entry in entries)
        columns = "".join(f"  {entry}" for entry in entries)
        title = one_line(name, LONGEST_NAME)
        # Columns 10 to 13 are sex and title, 49 to 79 rating, federation, FIDE's number and date of birth: a program has none.
        lines.append(f"001 {number:4d}      {title:<33}{'':33}{own:4.1f} {places[name] or len(numbers):4d}{columns}")
    lines.append(f"XXR {getattr(tournament.format, 'rounds', len(rounds))}")
    return "\n".join(lines) + "\n"


def _rounds(tournament: Tournament, schedule: Schedule, numbers: Mapping[str, int]) -> list[dict[int, RoundColumns]]:
    """What each team did in each round, by its number."""
    stages: dict[str, list[Outcome]] = {}
    for outcome in without_tie_breaks(schedule.records):
        stages.setdefault(outcome.stage, []).append(outcome)
    rounds = {stage: _meetings(outcomes, tournament, numbers) for stage, outcomes in stages.items()}
    for bye in byes_of(tournament, schedule):
        if bye.stage in rounds:
            rounds[bye.stage][numbers[bye.teams[0]]] = RoundColumns(code=NO_OPPONENT[bye.ending])
    return list(rounds.values())


def _meetings(outcomes: Iterable[Outcome], tournament: Tournament, numbers: Mapping[str, int]) -> dict[int, RoundColumns]:
    games: dict[frozenset[str], list[Outcome]] = {}
    for outcome in outcomes:
        games.setdefault(frozenset(outcome.teams), []).append(outcome)
    entries: dict[int, RoundColumns] = {}
    for meeting in games.values():
        white, black = meeting[0].teams
        for own, other, colour in ((white, black, "w"), (black, white, "b")):
            code = _code(own, meeting, tournament)
            entries[numbers[own]] = RoundColumns(numbers[other], "-" if code in "+-" else colour, code)
    return entries


def _code(team: str, meeting: Sequence[Outcome], tournament: Tournament) -> str:
    own = others = 0.0
    for game in meeting:
        for name, worth in zip(game.teams, points(game, tournament.rules.scoring), strict=True):
            own, others = (own + float(worth), others) if name == team else (own, others + float(worth))
    if any(game.ending is PairingEnding.PLAYED for game in meeting):
        return "1" if own > others else "0" if own < others else "="
    return "+" if own > others else "-"
