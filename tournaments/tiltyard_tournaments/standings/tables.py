"""Results as tables: standings, crosstable, points by map and seat, faults by kind, all games."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Final

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Termination
from tiltyard_simulator.output.tables import Cell, Table
from tiltyard_tournaments.standings.ranking import ASSIGNMENT_RULES, Rules, Standing, rank
from tiltyard_tournaments.standings.scoring import number
from tiltyard_tournaments.standings.tally import Score, match_order, meetings, tally_by
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS

NO_PLACE: Final = "DSQ"
"""Stands for the place of a disqualified team, as in the results of races."""
WHERE_ANY: Final = ("group", "carried", "byes")
"""Columns that there are only where anybody has something in them."""


def standings(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """The standings with a column for each tie-break whose values do not stand in another column."""
    return standings_table(rank(teams, matches, rules), rules)


def standings_table(lines: Sequence[Standing], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """Standings that are known already."""
    # Before any game has a result, everybody would share the first place.
    has_places = any(line.score.games or line.score.carried for line in lines)
    columns: dict[str, Callable[[Standing], Cell]] = {
        "group": lambda line: line.group,
        "place": lambda line: NO_PLACE if not line.place else line.place if has_places else "-",
        "algorithm": lambda line: line.team,
        "points": lambda line: number(line.score.points),
        "carried": lambda line: number(line.score.carried),
        "games": lambda line: line.score.games,
        "wins": lambda line: line.score.wins,
        "ties": lambda line: line.score.ties,
        "losses": lambda line: line.score.losses,
        "byes": lambda line: line.score.byes,
        "faults": lambda line: line.score.all_faults,
        "forfeits": lambda line: line.score.forfeits,
    }
    names = [name for name in dict.fromkeys(rules.tie_breaks) if TIE_BREAKS[name].has_column]
    own = [name for name in columns if name not in WHERE_ANY or any(columns[name](line) for line in lines)]
    rows = [
        (*[columns[each](line) for each in own], *[_number_or_nothing(line.tie_breaks[each]) for each in names]) for line in lines
    ]
    return Table("Standings", (*own, *names), tuple(rows))


def crosstable(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """Wins-ties-losses of each row against each column, both in the order of the standings.

    ``meetings`` has the same as data, with the matches of each cell.
    """
    order = _order(teams, matches, rules)
    met = meetings(matches)
    rows: list[tuple[Cell, ...]] = [
        (row, *[met[row, column].record if (row, column) in met else "" for column in order]) for row in order
    ]
    return Table("Crosstable: wins-ties-losses of the row against the column", ("algorithm", *order), tuple(rows))


def by_map(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """Points of each algorithm on each map, maps in the order of the schedule, algorithms in the order of the standings.

    Matches without a map, which byes are, are left out.
    """
    order = _order(teams, matches, rules)
    on_maps = [match for match in sorted(matches, key=match_order) if match.map]
    scores = tally_by(lambda match, seat: (match.map, match.teams[seat - 1]), on_maps, rules.scoring)
    rows: list[tuple[Cell, ...]] = [
        (name, *[number(scores[name, team].points) if (name, team) in scores else 0 for team in order])
        for name in dict.fromkeys(match.map for match in on_maps)
    ]
    return Table("Points by map", ("map", *order), tuple(rows))


def by_seat(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """Wins-ties-losses of each algorithm in each seat, and of all together: whether a seat is worth something."""
    order = _order(teams, matches, rules)
    opposed = [match for match in matches if len(match.teams) > 1]
    scores = tally_by(lambda match, seat: (match.teams[seat - 1], seat), opposed, rules.scoring)
    together = tally_by(lambda match, seat: seat, opposed, rules.scoring)
    seats = sorted(together)
    rows: list[tuple[Cell, ...]] = [(team, *[_record(scores.get((team, seat))) for seat in seats]) for team in order]
    rows.append(("all", *[_record(together[seat]) for seat in seats]))
    headers = ("algorithm", *[f"seat {seat}" for seat in seats])
    return Table("Wins-ties-losses by seat", headers, tuple(rows))


def fault_kinds(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules = ASSIGNMENT_RULES) -> Table:
    """Faults of each algorithm by kind; kinds that nobody had are left out."""
    lines = rank(teams, matches, rules)
    kinds = [kind for kind in Termination if any(line.score.faults[kind] for line in lines)]
    rows: list[tuple[Cell, ...]] = [
        (line.team, *[line.score.faults[kind] for kind in kinds], line.score.all_faults, line.score.forfeits) for line in lines
    ]
    headers = ("algorithm", *[kind.value for kind in kinds], "faults", "forfeits")
    return Table("Faults by kind", headers, tuple(rows))


def all_games(matches: Iterable[Outcome]) -> Table:
    """One row a match, in the order of the schedule; byes are left out."""
    ordered = [match for match in sorted(matches, key=match_order) if len(match.teams) > 1]
    seats = max((len(match.teams) for match in ordered), default=2)
    rows: list[tuple[Cell, ...]] = []
    for match in ordered:
        faults = "; ".join(f"player {fault.seat}: {fault.termination.value}: {fault.message}" for fault in match.faults)
        winner = match.teams[match.winner - 1] if match.winner else ""
        players = (*match.teams, *[""] * (seats - len(match.teams)))
        rows.append((match.map, *players, winner, match.reason, match.rounds, match.message, faults))
    headers = ("map", *[f"player {seat}" for seat in range(1, seats + 1)], "winner", "reason", "rounds", "message", "faults")
    return Table("Games", headers, tuple(rows))


def _order(teams: Iterable[str], matches: Sequence[Outcome], rules: Rules) -> list[str]:
    return [line.team for line in rank(teams, matches, rules)]


def _number_or_nothing(value: Fraction | None) -> Cell:
    return "" if value is None else number(value)


def _record(score: Score | None) -> str:
    return score.record if score is not None and score.games else ""
