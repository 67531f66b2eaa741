"""The figures of docs/explanation. Their numbers come from the code that they explain: verdicts, ratings, rounds, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, exp, log10, pi, sin, sqrt
from pathlib import Path

import numpy as np
from pictures.svg_drawing import Drawing

from tiltyard_engine.results import Fault, GameResult, Termination, judge
from tiltyard_simulator.match.limits import Limits
from tiltyard_tournaments.formats.conditions import Condition, seated_pair
from tiltyard_tournaments.formats.round_robin import circle_rounds
from tiltyard_tournaments.ratings.davidson import fit_pairs
from tiltyard_tournaments.ratings.model import ELO, PRIOR

FOLDER = Path(__file__).resolve().parent
Z = 1.959964
"""Standard errors on either side that a 95 % interval has."""


def judging() -> Drawing:
    """From what happens in a match to who won."""
    made = Drawing(
        860, 330, "From a match to its verdict: the GameManager's claim and the faults that the host saw go into one judgement"
    )
    made.box((20, 40, 190, 62), ["team's code", "its own process"], "warm")
    made.box((20, 190, 190, 62), ["GameManager", "the rules of the game"], "warm")
    made.box((330, 40, 220, 62), ["faults", "seen by the host: seat, kind, round"])
    made.box((330, 190, 220, 62), ["claim", "winner, ranks, reason, last board"])
    made.box((650, 115, 190, 62), ["verdict", "winner and ranks that count"], "strong")
    made.arrow((210, 71), (330, 71), label="crash, time, ...")
    made.arrow((210, 221), (330, 221), label="run() returns")
    made.arrow((115, 190), (115, 102), both=True)
    made.words(127, 151, "asks, answers", "small")
    made.arrow((550, 71), (600, 71), (650, 135))
    made.arrow((550, 221), (600, 221), (650, 157))
    claim = GameResult(1, "ALL_TANKS_DEAD", 40, ())
    examples: Mapping[str, tuple[Fault, ...]] = {
        "nobody failed": (),
        "seat 1 crashed": (Fault(1, Termination.CRASH, "", 12),),
        "seat 1 crashed in round 12, seat 2 in round 30": (
            Fault(1, Termination.CRASH, "", 12),
            Fault(2, Termination.CRASH, "", 30),
        ),
    }
    for number, (what, faults) in enumerate(examples.items()):
        winner, _ = judge(claim, faults, 2)
        made.words(20, 285 + number * 17, f"The GameManager claims that seat 1 won; {what}: seat {winner} wins.", "small")
    return made


def intervals() -> Drawing:
    """How the interval of a rating narrows as games are played."""
    made = Drawing(760, 380, "The uncertainty of a rating falls with the square root of the number of games")
    left, top, width, height, most = 70, 30, 660, 270, 600.0

    def place(games: float, error: float) -> tuple[float, float]:
        return left + width * log10(games / 4) / log10(1000 / 4), top + height * (1 - min(error, most) / most)

    for error in range(0, int(most) + 1, 100):
        y = place(4, error)[1]
        made.curve([(left, y), (left + width, y)], "grid")
        made.words(left - 8, y + 4, f"± {error}", "small", "end")
    for games in (4, 10, 20, 50, 100, 200, 500, 1000):
        x = place(games, 0)[0]
        made.curve([(x, top), (x, top + height)], "grid")
        made.words(x, top + height + 18, str(games), "small", "middle")
    made.words(left + width / 2, top + height + 40, "games between two teams", "", "middle")
    made.words(left, top - 10, "95 % interval of the difference, in Elo points", "small")
    numbers = [4, 8, 12, 16, 20, 32, 48, 72, 100, 140, 200, 300, 500, 700, 1000]
    for y, kind, share, words in (
        (top + 24, "first", 0.5, "equal teams"),
        (top + 44, "second", 0.75, "one wins three games of four"),
    ):
        made.curve([place(games, interval(games, share)) for games in numbers], kind)
        made.curve([(left + width - 230, y), (left + width - 200, y)], kind)
        made.words(left + width - 192, y + 4, words, "small")
    return made


def interval(games: int, share: float) -> float:
    """Half the width of the 95 % interval of the difference of two teams, of which one won that share; no ties."""
    won = round(games * share)
    precision = np.eye(2) * (ELO / PRIOR) ** 2
    covariance = fit_pairs(["one", "other"], {("one", "other"): (won, 0, games - won)}, precision).covariance
    return ELO * Z * sqrt(float(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]))


def isolation() -> Drawing:
    """Which processes a sandboxed match has, and what each may do."""
    limits = Limits()
    made = Drawing(
        860, 400, "The processes of a match: the coordinator and the workers are trusted, each team has a confined process"
    )
    made.frame(15, 15, 330, 370, "trusted: tiltyard's own code")
    made.box((40, 50, 280, 56), ["coordinator", "schedule, store, tables"])
    made.box((40, 160, 280, 74), ["match worker, one a core", "runs the GameManager of the game,", "judges, keeps the clock"])
    made.box((40, 300, 280, 60), ["zygote", "forks cells; checks that nothing is shared"])
    made.frame(400, 15, 445, 370, "confined by the kernel before the first line of a team runs")
    made.box((425, 50, 190, 62), ["template of team 1", "has imported its code"], "warm")
    made.box((425, 290, 190, 62), ["template of team 2", "has imported its code"], "warm")
    made.box(
        (650, 50, 175, 92),
        [
            "cell of team 1",
            f"{limits.move_seconds:g} s CPU a move",
            f"{limits.memory_bytes >> 20} MiB, no network",
            "its own files only",
        ],
        "warm",
    )
    made.box(
        (650, 260, 175, 92),
        [
            "cell of team 2",
            f"{limits.move_seconds:g} s CPU a move",
            f"{limits.memory_bytes >> 20} MiB, no network",
            "its own files only",
        ],
        "warm",
    )
    made.arrow((180, 106), (180, 160), both=True)
    made.words(192, 138, "matches, results", "small")
    made.arrow((180, 300), (180, 234), both=True)
    made.arrow((615, 81), (650, 81))
    made.arrow((615, 321), (650, 321))
    made.words(632, 72, "fork", "small", "middle")
    made.words(632, 312, "fork", "small", "middle")
    made.arrow((320, 190), (735, 190), (735, 142), both=True)
    made.arrow((320, 206), (735, 206), (735, 260), both=True)
    made.words(500, 182, "one question, one answer: plain messages", "small", "middle")
    made.arrow((320, 330), (425, 330))
    made.arrow((320, 330), (372, 330), (372, 81), (425, 81))
    return made


def same_bytes() -> Drawing:
    """What a match's key is made of, and what it is used for."""
    made = Drawing(860, 300, "Everything that a result depends on goes into a key; results are stored under it and can be checked")
    parts = [
        "game, GameManager: their code",
        "map, byte by byte",
        "teams in their seats: their code",
        "seed",
        "limits and isolation",
        "what a crash means",
    ]
    for number, part in enumerate(parts):
        made.box((20, 20 + number * 44, 270, 34), [part])
        made.arrow((290, 37 + number * 44), (350, 122 + number * 10))
    made.box((350, 115, 130, 64), ["key", "32 hex digits"], "strong")
    made.box((560, 30, 280, 56), ["resume", "a key that is in the store is not played"])
    made.box((560, 119, 280, 56), ["replace", "new code, new key: only that is played"])
    made.box((560, 208, 280, 56), ["verify", "play again, compare every byte"])
    for y in (58, 147, 236):
        made.arrow((480, 147), (560, y))
    return made


def circle() -> Drawing:
    """The rounds of a round robin of six, with who sits first."""
    teams = "ABCDEF"
    rounds = circle_rounds(len(teams))
    made = Drawing(860, 260, "The circle method: six teams, five rounds; each pair meets once and everybody plays in each round")
    firsts = dict.fromkeys(teams, 0)
    for number, pairs in enumerate(rounds):
        middle, centre = 95 + number * 168, 110
        made.words(middle, 22, f"round {number + 1}", "bold", "middle")
        spots = {
            team: (middle + 56 * sin(2 * pi * place / 6), centre - 56 * cos(2 * pi * place / 6)) for place, team in enumerate(teams)
        }
        for one, other in pairs:
            first, second = seated_pair(one, other, Condition(0, 0))
            firsts[teams[first]] += 1
            (x, y), (there, under) = spots[teams[first]], spots[teams[second]]
            reach = sqrt((there - x) ** 2 + (under - y) ** 2)
            cut = 15 / reach
            made.arrow((x + (there - x) * cut, y + (under - y) * cut), (there - (there - x) * cut, under - (under - y) * cut))
        for team, (x, y) in spots.items():
            made.words(x, y + 5, team, "bold", "middle")
    told = ", ".join(f"{team} {count}" for team, count in firsts.items())
    made.words(430, 212, "An arrow leads from player 1 to player 2.", "small", "middle")
    made.words(430, 234, f"How often each is player 1 in these five games: {told}", "small", "middle")
    return made


def choosing() -> Drawing:
    """How much a game tells, by the distance of two ratings."""
    made = Drawing(760, 330, "A game between equals tells most; at 400 points apart it tells about a third of that")
    left, top, width, height = 60, 40, 660, 220
    for share in (0, 25, 50, 75, 100):
        y = top + height * (1 - share / 100)
        made.curve([(left, y), (left + width, y)], "grid")
        made.words(left - 8, y + 4, f"{share} %", "small", "end")
    for distance in range(0, 1001, 200):
        x = left + width * distance / 1000
        made.curve([(x, top), (x, top + height)], "grid")
        made.words(x, top + height + 18, str(distance), "small", "middle")

    def worth(distance: float) -> float:
        chance = 1 / (1 + exp(distance / ELO))
        return 4 * chance * (1 - chance)

    made.curve([(left + width * distance / 1000, top + height * (1 - worth(distance))) for distance in range(0, 1001, 20)])
    for distance in (0, 200, 400, 800):
        x, y = left + width * distance / 1000, top + height * (1 - worth(distance))
        made.dot(x, y)
        made.words(x + 8, y - 8 if distance else y + 18, f"{100 * worth(distance):.0f} %", "small")
    made.words(left + width / 2, top + height + 42, "distance of the two ratings, in Elo points", "", "middle")
    made.words(left, top - 14, "how much one game tells, compared with a game between equals", "small")
    return made


FIGURES: Mapping[str, Callable[[], Drawing]] = {
    "judging.svg": judging,
    "intervals.svg": intervals,
    "isolation.svg": isolation,
    "same-bytes.svg": same_bytes,
    "circle.svg": circle,
    "choosing.svg": choosing,
}


def files() -> Mapping[Path, str]:
    """Each figure."""
    return {FOLDER / name: draw().svg() for name, draw in FIGURES.items()}
