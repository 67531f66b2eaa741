"""How long ratings take, and whether 95 % intervals hold the truth 95 times of 100.

    .venv/bin/python benchmarks/ratings.py [TOURNAMENTS]

Coverage is that of made-up tournaments whose true strengths are known: round robins of games drawn from the model itself, strengths
drawn anew for each. What breaks the model (games that are not independent) is not measured here.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import exp

from measuring import command_line

from tiltyard_engine.match_record import Outcome
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import ELO, Ratings
from tiltyard_tournaments.ratings.plackett_luce import fit_plackett_luce
from tiltyard_tournaments.standings import TIE_BREAKS, Rules, standings

TIE = 0.7


def duel(chance: random.Random, teams: Sequence[str], strengths: dict[str, float]) -> Outcome:
    """A game of two after Davidson."""
    one, other = teams
    half = (strengths[one] - strengths[other]) / 2 / ELO
    winner = chance.choices((1, 0, 2), (exp(half), TIE, exp(-half)))[0]
    return Outcome(teams=(one, other), map="m", winner=winner, ranks=(1, 1))


def ranking(chance: random.Random, teams: Sequence[str], strengths: dict[str, float]) -> Outcome:
    """A game of several after Plackett and Luce."""
    drawn = {team: chance.expovariate(exp(strengths[team] / ELO)) for team in teams}
    places = tuple(1 + sum(drawn[other] < drawn[team] for other in teams) for team in teams)
    return Outcome(teams=tuple(teams), map="m", winner=places.index(1) + 1, ranks=places)


def shared_last(chance: random.Random, teams: Sequence[str], strengths: dict[str, float]) -> Outcome:
    """As ``ranking``, but only the first place or the first two are told; the others share the last one."""
    match = ranking(chance, teams, strengths)
    last = chance.choice((2, 3))
    return replace(match, ranks=tuple(min(place, last) for place in match.ranks))


def seeded_strengths(chance: random.Random, teams: Sequence[str], spread: float) -> dict[str, float]:
    """Normal, with the average taken off."""
    drawn = [chance.gauss(0, spread) for _ in teams]
    return {team: value - sum(drawn) / len(drawn) for team, value in zip(teams, drawn)}


def timed() -> list[tuple[str, str]]:
    """50 teams and 100,000 games."""
    chance = random.Random(1)
    teams = [f"team{number:02}" for number in range(50)]
    strengths = seeded_strengths(chance, teams, 200)
    duels = [duel(chance, chance.sample(teams, 2), strengths) for _ in range(100_000)]
    fours = [ranking(chance, chance.sample(teams, 4), strengths) for _ in range(100_000)]
    rows = []
    works: dict[str, Callable[[], object]] = {
        "Davidson, 100,000 games of two": lambda: fit_davidson(duels),
        "Plackett-Luce, 100,000 games of four": lambda: fit_plackett_luce(fours),
        "standings with all tie-breaks, 100,000 games of two": lambda: standings(teams, duels, Rules(tie_breaks=tuple(TIE_BREAKS))),
    }
    for name, work in works.items():
        started = time.perf_counter()
        work()
        rows.append((name, f"{time.perf_counter() - started:.2f} s"))
    return rows


def coverage(
    tournaments: int, size: int, games: int, spread: float, play: Callable[..., Outcome] = duel
) -> tuple[str, str, str, str, str]:
    """How often intervals held the truth, and how often the likelier of two was the better one.

    The intervals are those of ratings, among them of teams that won or lost all their games, and of differences.
    """
    chance = random.Random(7)
    seats = 2 if play is duel else 4
    teams = [f"t{number}" for number in range(size)]
    held, differences, right, expected, pairs = 0, 0, 0, 0.0, 0
    sweeps: list[bool] = []
    for _ in range(tournaments):
        strengths = seeded_strengths(chance, teams, spread)
        groups = [group for group in combinations(teams, seats) for _ in range(games)]
        matches = [play(chance, group, strengths) for group in groups]
        ratings: Ratings = fit_davidson(matches) if seats == 2 else fit_plackett_luce(matches)
        for team in teams:
            rating = ratings.rating(team)
            held += rating.low <= strengths[team] <= rating.high
            if len({match.winner and match.teams[match.winner - 1] == team for match in matches if team in match.teams}) == 1:
                sweeps.append(rating.low <= strengths[team] <= rating.high)
        for place, one in enumerate(ratings.teams):
            for other in ratings.teams[place + 1 :]:
                difference = ratings.difference(one, other)
                truth = strengths[one] - strengths[other]
                differences += difference.low <= truth <= difference.high
                right += truth > 0
                expected += ratings.superiority(one, other)
                pairs += 1
    name = f"{size} teams, {seats} a game, {games} of each group, strengths spread {spread:g} Elo"
    name += ", shared last places" * (play is shared_last)
    swept = f"{100 * sum(sweeps) / len(sweeps):.1f} % of {len(sweeps)}" if sweeps else ""
    sure = f"{100 * expected / pairs:.1f} % said, {100 * right / pairs:.1f} % true"
    return name, f"{100 * held / (tournaments * size):.1f} %", swept, f"{100 * differences / pairs:.1f} %", sure


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("tournaments", type=int, nargs="?", default=300)
    tournaments = parser.parse_args().tournaments
    print(render(("what", "time"), timed()))
    print()
    settings = [
        *((6, 4, 100.0, duel), (6, 10, 200.0, duel), (10, 2, 200.0, duel), (4, 4, 400.0, duel), (12, 20, 200.0, duel)),
        *((2, 5, 200.0, duel), (4, 5, 200.0, duel), (4, 5, 600.0, duel), (6, 1, 400.0, duel)),
        *((6, 2, 200.0, ranking), (6, 2, 200.0, shared_last)),
    ]
    rows = [coverage(tournaments, *setting) for setting in settings]
    headers = (f"{tournaments} tournaments of", "rating held", "of a sweep", "difference held", "the better one")
    print(render(headers, rows))


if __name__ == "__main__":
    main()
