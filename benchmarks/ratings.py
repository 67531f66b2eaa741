"""How long ratings take, and how near they come to the truth: in made-up tournaments, and in made-up seasons of a league.

    .venv/bin/python benchmarks/ratings.py [TOURNAMENTS]
    OMP_NUM_THREADS=1 nice -n 19 .venv/bin/python benchmarks/ratings.py season [--seeds 30] [--games 7000] [--games 20000]

The first says whether 95 % intervals hold the truth 95 times of 100: round robins of games drawn from the model itself, strengths
drawn anew for each. What breaks the model (games that are not independent) is not measured.

``season`` compares rules for who meets whom in a league: how good, how quick and how even each is. A season has 60 teams, 72
uploads at any time, and 12 maps. Strengths are normal with a standard deviation of 250 Elo points, a new version is 40 ± 110
better than the one before, and each pair of versions has an effect of its own of 60. Teams are deterministic: two versions on the
same map in the same seats play the same game again. All rules play the same seasons, and are compared season by season: the mean
of the differences, with its standard error.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import exp
from pathlib import Path

import numpy as np
from league_course import finding
from measuring import command_line, words_with_part
from numpy.typing import NDArray

from tiltyard_engine.match_record import Outcome
from tiltyard_league.matchmaking.need import Situation, choose_group
from tiltyard_simulator.output.tables import render
from tiltyard_tournaments.ratings.davidson import fit_davidson
from tiltyard_tournaments.ratings.model import ELO, Ratings
from tiltyard_tournaments.ratings.plackett_luce import fit_plackett_luce
from tiltyard_tournaments.standings import TIE_BREAKS, Rules, standings

TIE = 0.7
Values = NDArray[np.float64]
SCALE = 400 / np.log(10)
TEAMS, UPLOADS, MAPS = 60, 72, 12
FIRST_SD, NEXT_SD = 400.0, 150.0
REFIT = 200
RULES = {"round robin": -1.0, "need": 0.0, "need, spread 0.25": 0.25, "need, spread 0.5": 0.5}
"""Each rule's spread; -1: pairs are taken from a round robin, as aiarena does it."""


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


def show_coverage(options: argparse.Namespace) -> None:
    """Print how long ratings take, and how often their intervals hold the truth."""
    tournaments = options.tournaments
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


@dataclass(slots=True)
class Season:
    """What is true of a season, unknown to the rules."""

    seed: int
    games: int
    team: list[int] = field(default_factory=list)
    when: list[int] = field(default_factory=list)
    before: list[int] = field(default_factory=list)
    strength: Values = field(default_factory=lambda: np.zeros(0))
    effect: Values = field(default_factory=lambda: np.zeros((0, 0)))
    played: dict[tuple[int, int, int], bool] = field(default_factory=dict)
    luck: Values = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        draw = np.random.default_rng(self.seed)
        now = draw.normal(0, 250, TEAMS)
        strengths = list(now)
        self.team, self.when, self.before = list(range(TEAMS)), [0] * TEAMS, [-1] * TEAMS
        last = list(range(TEAMS))
        for moment in sorted(draw.integers(self.games * 3 // 40, int(self.games * 0.95), UPLOADS)):
            which = int(draw.integers(TEAMS))
            now[which] += draw.normal(40, 110)
            self.before.append(last[which])
            last[which] = len(strengths)
            strengths.append(now[which])
            self.team.append(which)
            self.when.append(int(moment))
        self.strength = np.array(strengths)
        effects = np.triu(draw.normal(0, 60, (len(strengths),) * 2), 1)
        self.effect = effects - effects.T
        self.luck = np.random.default_rng(self.seed + 1000).random((len(strengths), len(strengths), MAPS))

    def expected(self, versions: NDArray[np.int64]) -> Values:
        """What each would score against all the others: the true order of the standing."""
        apart = self.strength[versions][:, None] - self.strength[versions] + self.effect[np.ix_(versions, versions)]
        chances = 1 / (1 + np.exp(-apart / SCALE))
        np.fill_diagonal(chances, 0)
        return np.asarray(chances.sum(axis=1))

    def play(self, one: int, other: int, game_map: int) -> tuple[bool, bool]:
        """Whether the one wins, and whether the game is no repeat."""
        key = one, other, game_map
        known = self.played.get(key)
        if known is not None:
            return known, False
        chance = 1 / (1 + np.exp(-(self.strength[one] - self.strength[other] + self.effect[one, other]) / SCALE))
        self.played[key] = bool(self.luck[one, other, game_map] < chance)
        return self.played[key], True


def fit(wins: Values, before: list[int], start: Values) -> tuple[Values, Values]:
    """Strengths of greatest posterior probability, and their covariance; each version's prior is around the one before."""
    number = len(start)
    games = wins + wins.T
    prior = np.zeros((number, number))
    for version, earlier in enumerate(before[:number]):
        weight = (SCALE / (FIRST_SD if earlier < 0 else NEXT_SD)) ** 2
        prior[version, version] += weight
        if earlier >= 0:
            prior[earlier, earlier] += weight
            prior[version, earlier] -= weight
            prior[earlier, version] -= weight
    point = start.copy()
    for _ in range(12):
        chance = 1 / (1 + np.exp(point - point[:, None]))
        weights = games * chance * (1 - chance)
        information = np.diag(weights.sum(axis=1)) - weights + prior
        step = np.linalg.solve(information, (wins - games * chance).sum(axis=1) - prior @ point)
        point = point + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-4:
            break
    return point, np.asarray(np.linalg.inv(information), dtype=np.float64)


def run(rule: str, seed: int, games: int) -> dict[str, float]:
    """One season by one rule."""
    season = Season(seed, games)
    number = len(season.team)
    spread = RULES[rule]
    draw = np.random.default_rng(seed + 77)
    wins = np.zeros((number, number))
    strengths, covariance = np.zeros(number), np.eye(number) * (FIRST_SD / SCALE) ** 2
    met = np.zeros((number, number), dtype=np.int64)
    count, pending, waited = (np.zeros(number, dtype=np.int64) for _ in range(3))
    active = np.arange(TEAMS)
    coming, done, repeats, since, fixtures = TEAMS, 0, 0, 0, 0
    queue: list[tuple[int, int]] = []
    first: list[int] = []
    off: list[float] = []
    top: list[float] = []
    alike: list[float] = []
    longest = 0
    while done < games:
        while coming < number and season.when[coming] <= done:
            old = season.before[coming]
            active[season.team[coming]] = coming
            strengths[coming] = strengths[old]
            covariance[coming, :coming] = covariance[:coming, coming] = covariance[old, :coming]
            covariance[coming, coming] = covariance[old, old] + (NEXT_SD / SCALE) ** 2
            waited[coming] = 0
            coming += 1
        if spread < 0:
            if not queue:
                order = active[np.argsort(-strengths[active])]
                queue = [(int(order[one]), int(order[other])) for one in range(TEAMS) for other in range(one)]
                draw.shuffle(queue)
                queue = [pair if draw.random() < 0.5 else pair[::-1] for pair in map(tuple, queue)]  # type: ignore[misc]
            one, other = (int(active[season.team[version]]) for version in queue.pop())
            play = [(one, other, int(draw.integers(MAPS)))]
        else:
            grid = np.ix_(active, active)
            here = Situation(
                strengths=strengths[active],
                covariance=covariance[grid],
                met=met[grid],
                pending=pending[active],
                waited=waited[active],
                left=MAPS - met[grid],
            )
            chosen = choose_group(here, np.random.default_rng((seed, fixtures)), spread)
            if chosen is None:
                break
            one, other = int(active[chosen[0]]), int(active[chosen[1]])
            game_map = (met[one, other] + 7 * (one + other)) % MAPS
            play = [(one, other, int(game_map)), (other, one, int(game_map))]
        fixtures += 1
        met[one, other] += 1
        met[other, one] += 1
        waited[active] += 1
        waited[[one, other]] = 0
        longest = max(longest, int(waited[active].max()))
        pending[[one, other]] += 1
        for white, black, game_map in play:
            won, new = season.play(white, black, game_map)
            done += 1
            since += 1
            repeats += not new
            if new:
                wins[(white, black) if won else (black, white)] += 1
            for version in (white, black):
                if count[version] == 0 and version >= TEAMS:
                    first.append(done - season.when[version])
                count[version] += 1
        if since >= REFIT:
            since = 0
            strengths[:coming], covariance[:coming, :coming] = fit(wins[:coming, :coming], season.before, strengths[:coming])
            pending[:] = 0
            if done > games * 0.3:
                true = np.argsort(np.argsort(-season.expected(active)))
                shown = np.argsort(np.argsort(-strengths[active]))
                off.append(float(np.abs(true - shown).mean()))
                alike.append(float(np.corrcoef(true, shown)[0, 1]))
                top.append(float(((true < 10) & (shown < 10)).sum()) / 10)
    return {
        "places off": float(np.mean(off)),
        "Spearman": float(np.mean(alike)),
        "top ten": float(np.mean(top)),
        "repeats, %": 100 * repeats / done,
        "first game": float(np.mean(first)),
        "worst first": float(max(first)),
        "fewest games": float(count[active].min()),
        "longest wait": longest / (TEAMS / 2),
    }


def season(parent: Path, small: bool) -> list[bool]:
    """Whether the order that is shown comes near the true one, and nearer than a round robin's."""
    seeds = 1 if small else 10
    rules = {rule: means(play_seasons(rule, seeds, 20_000)) for rule in ("round robin", "need")}
    need, robin = rules["need"], rules["round robin"]
    off, alike = need["places off"], need["Spearman"]
    return [
        finding(f"shown places are {off:.2f} off, in the mean of {seeds} seasons (at most 2.0)", off <= 2),
        finding(f"Spearman's correlation of shown and true places is {alike:.3f} (at least 0.98)", alike >= 0.98),
        finding(f"a round robin's are {robin['places off']:.2f} off (not less)", off <= robin["places off"]),
    ]


def play_seasons(rule: str, seeds: int, games: int) -> list[dict[str, float]]:
    """So many seasons by one rule."""
    return [run(rule, seed, games) for seed in range(seeds)]


def means(seasons: list[dict[str, float]]) -> dict[str, float]:
    """Of each figure."""
    return {name: float(np.mean([each[name] for each in seasons])) for name in seasons[0]}


def show_seasons(options: argparse.Namespace) -> None:
    """Print a line for each rule and length of a season."""
    for games in options.games or [7000, 20000]:
        results: dict[str, list[dict[str, float]]] = {}
        for rule in options.rule or RULES:
            begun = time.process_time()
            results[rule] = play_seasons(rule, options.seeds, games)
            words = "  ".join(f"{name} {mean:.2f}" for name, mean in means(results[rule]).items())
            print(f"{games:6} games, {rule:18} {words}  ({time.process_time() - begun:.0f} s)", flush=True)
        for base, rule in combinations(results, 2):
            for name in ("places off", "top ten"):
                pairs = zip(results[rule], results[base], strict=True)
                apart = np.array([mine[name] - theirs[name] for mine, theirs in pairs])
                error = apart.std(ddof=1) / np.sqrt(len(apart))
                print(f"       {name}: {rule} less {base}: {apart.mean():+.3f} ± {error:.3f} (standard error)", flush=True)


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    coverage_part = parts.add_parser("coverage", help="time and intervals of ratings")
    coverage_part.add_argument("tournaments", type=int, nargs="?", default=300)
    coverage_part.set_defaults(show=show_coverage)
    seasons = parts.add_parser("season", help="rules for who meets whom in a league")
    seasons.add_argument("--seeds", type=int, default=30, help="seasons of each length (30)")
    seasons.add_argument("--games", type=int, action="append", help="in a season (7000 and 20000)")
    seasons.add_argument("--rule", action="append", choices=list(RULES), help="only these rules")
    seasons.set_defaults(show=show_seasons)
    options = parser.parse_args(words_with_part(parts.choices, "coverage"))
    options.show(options)


if __name__ == "__main__":
    main()
