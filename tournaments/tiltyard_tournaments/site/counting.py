"""Wins, ties and losses between teams, against opponents and on maps, with how sure one can be of them.

With more than two seats a match counts as one game between each two of its teams, won by the better rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import permutations

from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.ratings.shares import share_interval


@dataclass(slots=True)
class Tally:
    """Results of one team, from its view."""

    wins: int = 0
    ties: int = 0
    losses: int = 0

    @property
    def games(self) -> int:
        """Games that counted."""
        return self.wins + self.ties + self.losses

    @property
    def share(self) -> float:
        """Wins and half the ties, of all games; 0.5 where there are none."""
        return (self.wins + self.ties / 2) / self.games if self.games else 0.5

    def add(self, own: int, other: int) -> None:
        """Count a game by the two ranks."""
        if own < other:
            self.wins += 1
        elif own == other:
            self.ties += 1
        else:
            self.losses += 1

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of ``share``."""
        if not self.games:
            return 0.0, 1.0
        found = share_interval(self.wins, self.ties, self.losses)
        return found.low, found.high


def meetings(match: PlayedMatch) -> Iterator[tuple[str, str, int, int]]:
    """(team, opponent, its rank, the opponent's) for each ordered pair of seats of a match that counts."""
    if match.counts:
        for one, other in permutations(range(len(match.teams)), 2):
            if match.teams[one] != match.teams[other]:
                yield match.teams[one], match.teams[other], match.ranks[one], match.ranks[other]


def against(matches: Iterable[PlayedMatch]) -> dict[tuple[str, str], Tally]:
    """(team, opponent) to its results."""
    found: dict[tuple[str, str], Tally] = {}
    for match in matches:
        for team, opponent, own, other in meetings(match):
            found.setdefault((team, opponent), Tally()).add(own, other)
    return found


def on_maps(matches: Iterable[PlayedMatch]) -> dict[tuple[str, str], Tally]:
    """(team, map) to its results."""
    found: dict[tuple[str, str], Tally] = {}
    for match in matches:
        for team, _, own, other in meetings(match):
            found.setdefault((team, match.map), Tally()).add(own, other)
    return found


def overall(matches: Iterable[PlayedMatch]) -> dict[str, Tally]:
    """Team to its results."""
    found: dict[str, Tally] = {}
    for match in matches:
        for team, _, own, other in meetings(match):
            found.setdefault(team, Tally()).add(own, other)
    return found


def in_seats(matches: Iterable[PlayedMatch]) -> dict[tuple[str, int], Tally]:
    """(team, seat from 1) to its results."""
    found: dict[tuple[str, int], Tally] = {}
    for match in matches:
        if not match.counts:
            continue
        for one, other in permutations(range(len(match.teams)), 2):
            if match.teams[one] != match.teams[other]:
                found.setdefault((match.teams[one], one + 1), Tally()).add(match.ranks[one], match.ranks[other])
    return found
