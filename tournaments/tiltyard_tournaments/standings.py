"""What results mean: points, crosstable, points by map. Pure functions; the order of games does not matter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltyard_engine.results import Termination
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec
from tiltyard_simulator.tables import Cell

Games = Sequence[tuple[MatchSpec, MatchOutcome]]

WIN_POINTS = 3
TIE_POINTS = 1


@dataclass(slots=True)
class Score:
    """What one algorithm reached."""

    wins: int = 0
    ties: int = 0
    losses: int = 0
    faults: int = 0
    forfeits: int = 0
    """Games that were not played because the team is quarantined."""

    @property
    def games(self) -> int:
        """Games that counted."""
        return self.wins + self.ties + self.losses

    @property
    def points(self) -> int:
        """3 for a win, 1 for a tie (assignment 3)."""
        return WIN_POINTS * self.wins + TIE_POINTS * self.ties

    def add(self, winner: int, seat: int) -> None:
        """Count a game from the view of one seat."""
        if winner == seat:
            self.wins += 1
        elif winner == 0:
            self.ties += 1
        else:
            self.losses += 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be shown in any format."""

    title: str
    headers: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


def counted(games: Games) -> Iterable[tuple[MatchSpec, MatchOutcome]]:
    """The games that have a result: those whose GameManager did not fail, and that not everybody forfeited."""
    return (game for game in games if game[1].counts)


def scores(names: Sequence[str], games: Games) -> dict[str, Score]:
    """Each algorithm's score, best first: by points, then wins, then name."""
    table = {name: Score() for name in names}
    for spec, outcome in counted(games):
        for seat, name in enumerate(spec.names, start=1):
            table[name].add(outcome.winner, seat)
    for spec, outcome in games:
        for fault in outcome.faults:
            if fault.seat and fault.termination is Termination.FORFEIT:
                table[spec.names[fault.seat - 1]].forfeits += 1
            elif fault.seat and outcome.counts:
                table[spec.names[fault.seat - 1]].faults += 1
    return dict(sorted(table.items(), key=lambda line: (-line[1].points, -line[1].wins, line[0])))


def standings(names: Sequence[str], games: Games) -> Table:
    """The standings; equal points and wins share a place."""
    rows: list[tuple[Cell, ...]] = []
    place, last = 0, (-1, -1)
    for number, (name, score) in enumerate(scores(names, games).items(), start=1):
        key = (score.points, score.wins)
        place, last = (place if key == last else number), key
        numbers = (score.points, score.games, score.wins, score.ties, score.losses, score.faults, score.forfeits)
        rows.append((place, name, *numbers))
    headers = ("place", "algorithm", "points", "games", "wins", "ties", "losses", "faults", "forfeits")
    return Table("Standings", headers, tuple(rows))


def crosstable(names: Sequence[str], games: Games) -> Table:
    """Wins-ties-losses of each row against each column, both in the order of the standings."""
    order = list(scores(names, games))
    cells = {(row, column): Score() for row in order for column in order}
    for spec, outcome in counted(games):
        first, second = spec.names
        cells[first, second].add(outcome.winner, 1)
        cells[second, first].add(outcome.winner, 2)
    rows: list[tuple[Cell, ...]] = []
    for row in order:
        found = [cells[row, column] for column in order]
        texts = [f"{score.wins}-{score.ties}-{score.losses}" if score.games else "" for score in found]
        rows.append((row, *texts))
    return Table("Crosstable: wins-ties-losses of the row against the column", ("algorithm", *order), tuple(rows))


def by_map(names: Sequence[str], games: Games) -> Table:
    """Points of each algorithm on each map, maps in the order of play, algorithms in the order of the standings."""
    order = list(scores(names, games))
    on_maps: dict[MapSource, list[tuple[MatchSpec, MatchOutcome]]] = {}
    for spec, outcome in games:
        on_maps.setdefault(spec.map, []).append((spec, outcome))
    rows: list[tuple[Cell, ...]] = []
    for source, played in on_maps.items():
        on_map = scores(names, played)
        rows.append((source.name, *[on_map[algorithm].points for algorithm in order]))
    return Table("Points by map", ("map", *order), tuple(rows))


def all_games(games: Games) -> Table:
    """One row a game."""
    rows: list[tuple[Cell, ...]] = []
    for spec, outcome in games:
        faults = "; ".join(f"player {fault.seat}: {fault.termination.value}: {fault.message}" for fault in outcome.faults)
        claim = outcome.claim
        winner = spec.names[outcome.winner - 1] if outcome.winner else ""
        rows.append((spec.map.name, *spec.names, winner, claim.reason, claim.rounds, outcome.message, faults))
    headers = ("map", "player 1", "player 2", "winner", "reason", "rounds", "message", "faults")
    return Table("Games", headers, tuple(rows))
