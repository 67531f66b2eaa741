"""How long ratings take, and how near they come to the truth: in made-up tournaments, and in made-up seasons of a league.

    .venv/bin/python benchmarks/ratings.py [TOURNAMENTS]
    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/ratings.py season [--seeds 20] [--games 7000]
    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/ratings.py groups [--seeds 20] [--games 100] [--players 4]

The first says whether 95 % intervals hold the truth 95 times of 100: round robins of games drawn from the model itself, strengths
drawn anew for each. What breaks the model (games that are not independent) is not measured.

The others play made-up seasons by the league's own fit, which is made again every 200 games; made_seasons.py says what is true of
them. ``season`` compares rules for who meets whom: how good, how quick and how even each is. Strengths have a standard deviation of
250 Elo points, each of 72 uploads is 40 ± 110 better than the version before, and each pair of versions has an effect of their own
of 60. All rules play the same seasons, and are compared season by season: the mean of the differences, with its standard error.

``groups`` plays games of two to nine by the league's own chooser: how often intervals hold, of games that were chosen by earlier
ratings, who waits, and how even seats come out. The truth of a difference is how often the one finishes before the other, of games
in which they don't share a place. It can be told exactly.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import exp
from statistics import NormalDist
from typing import get_args

import numpy as np
from made_seasons import TEAMS, Rule, Season, Truth, Way
from measuring import run

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


def show_coverage(tournaments: int = 300) -> None:
    """Print how long ratings take, and how often their intervals hold the truth."""
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


def standing_figures(season: Season) -> dict[str, float]:
    """Play a season; how near the order that is shown comes to the true one, how soon versions play, and how even it is."""
    off, alike, top = [], [], []
    for fit in season.fits():
        if len(season.played) > season.truth.games * 0.3:
            true = np.argsort(np.argsort(-season.expected()))
            shown = np.argsort(np.argsort(-fit.strengths[[fit.place[version] for version in season.active]]))
            off.append(np.abs(true - shown).mean())
            alike.append(np.corrcoef(true, shown)[0, 1])
            top.append(((true < 10) & (shown < 10)).sum() / 10)
    games = Counter(version for game in season.played for version in game.versions)
    return {
        "places off": float(np.mean(off)),
        "Spearman": float(np.mean(alike)),
        "top ten": float(np.mean(top)),
        "repeats, %": 100 * season.repeats / len(season.played),
        "first game": float(np.mean(season.first_games)),
        "worst first": max(season.first_games),
        "fewest games": min(games[version] for version in season.active),
        "longest wait": season.longest_wait,
    }


def interval_figures(season: Season) -> dict[str, float]:
    """Play a season; how often intervals of differences hold the truth, how far off they are, and how seats and places come out."""
    *_, fit = season.fits()
    places, versions = np.array([fit.place[version] for version in season.active]), np.array(season.active)
    pairs = np.triu_indices(len(places), 1)
    one, other = (places[each] for each in pairs)
    variance = fit.covariance[one, one] + fit.covariance[other, other] - 2 * fit.covariance[one, other]
    half = NormalDist().inv_cdf(0.975) * ELO * np.sqrt(variance)
    miss = ELO * (fit.strengths[one] - fit.strengths[other]) - season.difference(*(versions[each] for each in pairs))
    seats = Counter((version, seat) for game in season.played for seat, version in enumerate(game.versions))
    own_seats = [[seats[version, seat] for seat in range(season.truth.players)] for version in season.before]
    shared = sum(count for order, count in season.orders.items() if len(order) < season.truth.players)
    return {
        "places shared, %": 100 * shared / len(season.played),
        "held, %": 100 * float(np.mean(np.abs(miss) <= half)),
        "interval": float(np.mean(half)),
        "off": float(np.sqrt(np.mean(miss**2))),
        "seats": max(max(own) - min(own) for own in own_seats),
        "longest wait": season.longest_wait,
        "ms a choice": 1000 * season.seconds / season.fixtures.count,
    }


def rule_seasons(rule: Rule, seeds: int, games: int) -> list[dict[str, float]]:
    """The figures of so many seasons of two by one rule."""
    truth = Truth(games=games, uploads=72, spread=250.0, better=40.0, change=110.0, effect=60.0)
    return [standing_figures(Season(truth, seed, rule)) for seed in range(seeds)]


def means(seasons: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of each figure."""
    return {name: float(np.mean([each[name] for each in seasons])) for name in seasons[0]}


def show_rules(*, seeds: int = 20, games: int = 7000, rule: tuple[Rule, ...] = ()) -> None:
    """Print a line for each rule, and how they differ."""
    results: dict[Rule, list[dict[str, float]]] = {}
    for each in rule or get_args(Rule):
        results[each] = rule_seasons(each, seeds, games)
        words = "  ".join(f"{name} {mean:.2f}" for name, mean in means(results[each]).items())
        print(f"{games:6} games, {each:18} {words}", flush=True)
    for base, other in combinations(results, 2):
        for name in ("places off", "top ten"):
            apart = [mine[name] - theirs[name] for mine, theirs in zip(results[other], results[base], strict=True)]
            print(f"       {name}: {other} less {base}: {np.mean(apart):+.3f} ± {standard_error(apart):.3f} (standard error)")


def show_groups(*, seeds: int = 20, games: int = 100, players: tuple[int, ...] = (), way: tuple[Way, ...] = ()) -> None:
    """Print a line for each number of players and way to share places."""
    rows: dict[str, list[str]] = {}
    for size in players or (2, 3, 4, 9):
        for each in way or (get_args(Way) if size > 2 else ("strict",)):
            truth = Truth(players=size, games=games * TEAMS // size, way=each)
            seasons = [interval_figures(Season(truth, seed)) for seed in range(seeds)]
            figures = means(seasons)
            cells = {name: f"{value:.1f}" for name, value in figures.items()}
            cells["held, %"] += f" ± {standard_error([season['held, %'] for season in seasons]):.1f}"
            rows[f"{size} players, {truth.games} games, {each}"] = list(cells.values())
    print(render((f"{seeds} seasons of", *figures), [(name, *cells) for name, cells in rows.items()]))


def standard_error(values: Sequence[float]) -> float:
    """Of the mean of values."""
    return float(np.std(values, ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


if __name__ == "__main__":
    run(__doc__, coverage=show_coverage, season=show_rules, groups=show_groups)
