"""Blocks: games between the same teams on a map, with each team in each seat. So differences of strength cancel out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.repeats import GameDigest, without_repeats
from tiltyard_tournaments.standings.scoring import finishes, was_played

Shares: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SeatBlock:
    """Games in which the teams went once round the seats, with one seed."""

    teams: tuple[str, ...]
    """As they sat in the first game."""
    games: tuple[tuple[int, ...], ...]
    """For each game and seat the place of its team in ``teams``."""
    shares: Shares
    """(games, seats): the share of its opponents that each seat was better than; equal ones count half."""

    @property
    def by_seat(self) -> Shares:
        """The sum of shares of each seat."""
        sums: Shares = self.shares.sum(axis=0)
        return sums


def shares_of(match: Outcome) -> list[float]:
    """For each seat, the share of its opponents that came after it; equal ones count half."""
    others = len(match.teams) - 1
    places = finishes(match)
    return [(others + 1 - each.place - (each.sharing - 1) / 2) / others for each in places]


def telling_games(outcomes: Iterable[Outcome], game_map: str) -> list[Outcome]:
    """The games of a map that tell something: played to their end, by at least two, and no mere repeat of another one.

    They are in the order of their seeds, so that of repeats those with the same seed stay, whichever were played first.
    """
    telling = [match for match in outcomes if match.map == game_map and len(match.teams) > 1 and was_played(match)]
    return without_repeats(
        sorted(telling, key=lambda match: match.seed), lambda match: GameDigest(match.teams, match.map, match.digest)
    )


def blocks_of(games: Sequence[Outcome]) -> list[SeatBlock]:
    """All complete blocks among the games of one map; a game of copies of one team is a block by itself."""
    groups: dict[tuple[tuple[str, ...], int], dict[tuple[str, ...], Outcome]] = {}
    for match in games:
        groups.setdefault((min(_rotations(match.teams)), match.seed), {})[match.teams] = match
    blocks = []
    for (first, _), members in groups.items():
        seatings = dict.fromkeys(_rotations(first))
        if all(seating in members for seating in seatings):
            shares = np.array([shares_of(members[seating]) for seating in seatings])
            blocks.append(SeatBlock(first, tuple(tuple(map(first.index, seating)) for seating in seatings), shares))
    return blocks


def _rotations(teams: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [teams[at:] + teams[:at] for at in range(len(teams))]
