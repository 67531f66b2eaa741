"""What games say of each map: whether a seat is worth something there, and whether the map tells strong teams from weak ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Final

import numpy as np

from tiltyard_engine.match_record import Outcome
from tiltyard_fairness.blocks import SeatBlock, Shares, blocks_of, telling_games
from tiltyard_fairness.seat_test import holm_correction, least_p_value, seat_p_value
from tiltyard_tournaments.ratings.shares import share_interval

LEVEL: Final = 0.05
"""The risk that any of all maps is called unfair although none is."""
FEWEST: Final = 6
"""Blocks of different teams below which nothing is said of how well a map tells them apart."""


class SeatVerdict(Enum):
    """What is known of the seats of a map."""

    UNFAIR = "unfair"
    """A seat is worth something."""
    NO_DIFFERENCE = "no difference seen"
    TOO_FEW = "too few different games"
    """Even if one seat had won them all, it could be chance."""
    ONE_GAME = "always the same game"
    """Whoever plays in whichever seat, all games went the same way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapFairness:
    """What is known of a map."""

    map: str
    verdict: SeatVerdict
    games: int
    """All that were played."""
    different: int
    """Those that did not only repeat others."""
    seat: int
    """The one that did best, from 1; 0 where nothing can be said."""
    share: float
    """Of the points that the seat got in blocks, 0.5 where seats are worth nothing."""
    low: float
    """The lower end of the share's 95 % interval."""
    high: float
    p_value: float
    """Of the test that no seat is worth anything, corrected for the number of maps."""
    separation: float | None
    """How much the teams decide who is better: 1 if the same team is better from every seat, 0 if chance decides or nobody is ever
    better, below 0 if the seat decides. None: too few blocks of different teams."""


def fairness_of(outcomes: Sequence[Outcome]) -> list[MapFairness]:
    """What games say of the maps that they were played on, in the order of their first games.

    Only games of complete blocks count, in which every team played from every seat with the same seed, and games of copies of one
    team. Of games that only repeat each other, one counts.
    """
    maps = list(dict.fromkeys(match.map for match in outcomes if len(match.teams) > 1))
    games = {name: telling_games(outcomes, name) for name in maps}
    blocks = {name: blocks_of(games[name]) for name in maps}
    p_values = holm_correction([seat_p_value(blocks[name]) for name in maps])
    counts = {name: sum(match.map == name and len(match.teams) > 1 for match in outcomes) for name in maps}
    return [
        _fairness(name, games[name], blocks[name], count=counts[name], p_value=p_value, maps=len(maps))
        for name, p_value in zip(maps, p_values, strict=True)
    ]


def _fairness(
    name: str, games: Sequence[Outcome], blocks: Sequence[SeatBlock], *, count: int, p_value: float, maps: int
) -> MapFairness:
    seat, share, low, high = 0, 0.5, 0.0, 1.0
    if blocks:
        shares = np.concatenate([block.shares for block in blocks])
        means = shares.mean(axis=0)
        seat = int(means.argmax()) + 1
        share = float(means.max())
        # Shares of points vary less than wins and losses with the same mean, so the interval is never too narrow.
        low, high = share_interval(share * len(shares), 0, (1 - share) * len(shares))
    digests = {match.digest for match in games}
    if len(games) > 1 and len(digests) == 1 and "" not in digests:
        verdict = SeatVerdict.ONE_GAME
    elif p_value <= LEVEL:
        verdict = SeatVerdict.UNFAIR
    elif least_p_value(blocks) * maps > LEVEL:
        verdict = SeatVerdict.TOO_FEW
    else:
        verdict = SeatVerdict.NO_DIFFERENCE
    return MapFairness(
        map=name,
        verdict=verdict,
        games=count,
        different=len(games),
        seat=seat,
        share=share,
        low=low,
        high=high,
        p_value=p_value,
        separation=_separation(blocks),
    )


def _separation(blocks: Sequence[SeatBlock]) -> float | None:
    """The mean over pairs of teams of the product of who was better in one game and in another game of the same block.

    A product of independent games is 0 on average where chance decides, so that few games don't look like strength.
    """
    products: list[float] = []
    pairs = 0
    for block in blocks:
        before = len(products)
        for one, other in combinations(sorted(set(block.games[0])), 2):
            better = [
                float(np.sign(_share_of(one, game, shares) - _share_of(other, game, shares)))
                for game, shares in zip(block.games, block.shares)
            ]
            products += [first * second for first, second in combinations(better, 2)]
        pairs += len(products) > before
    return sum(products) / len(products) if pairs >= FEWEST else None


def _share_of(team: int, game: Sequence[int], shares: Shares) -> float:
    """Of a team in a game: the mean of its seats."""
    return float(np.mean([share for place, share in zip(game, shares) if place == team]))
