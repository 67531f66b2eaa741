"""Whether ``tiltyard why`` finds mistakes that were planted, and what that costs.

    .venv/bin/python benchmarks/why.py [--games 20] [--cpu-seconds 5] [--only tanks]

In a game that a team won or tied, one of its answers is replaced, at a turn and by an answer drawn by chance, so that it loses:
that is played to the end. The search gets the lost game alone, and as many CPU seconds as said. It prints how often the planted
turn is the first moment shown, and how often one of the three, with exact intervals of 95 %; moments whose answer helps nothing
when it is played once more, which must be none; and the CPU seconds of a game, with all that was played to search it and to
confirm the moments.

Beside the figures of all games stand those of games that the planted answer decided. In some it didn't: after it, other answers
help as often as before it, and the planted turn is one of many. Whether it did is known before the search, from a sample of its
own: at the four turns up to it and the four after it, six other answers each are played to the end. It decided if less than half
as many help after it.

Seed 2 is for reports. The rule of the search was chosen by seeds 1 and 3.

The pairs are such that a match takes less than half a second and that one answer can lose it. Where Advance's random movers meet
players that look ahead, they lose by 40 pieces, and no answer loses that for the winner: with those pairs nothing was planted.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final, Literal, get_args

from measuring import run, told_times

from tiltyard_engine.registry import Trust
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_whatif.findings import MOST_MOMENTS, Findings, Turn
from tiltyard_whatif.playing import Changes, Course, Point, Rematch
from tiltyard_whatif.search import one_by_one, search, turns_of

EXAMPLE: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "games" / "connect_four.py"
MOST_PLANTINGS: Final = 40
"""So many answers are drawn for a game before another one is taken."""
SEARCH_SHARE: Final = 0.9
"""Of the time of a game; courses that are played once more may be longer than the match was."""
NEAR_TURNS: Final = 4
"""So many of the team's turns up to the planted one, and after it, say whether it decided the game."""
NEAR_ANSWERS: Final = 6
"""So many other answers are played at each of these."""


@dataclass(frozen=True)
class Pairs:
    """Which games are played."""

    game: str
    teams: Sequence[tuple[str, str]]
    maps: Sequence[str]


BOARDS: Final = [f"{width} {height}" for width in range(6, 10) for height in range(5, 9)]
"""Of connect four, whose sample teams play the same game on the same board whatever the seed."""
Game = Literal["tanks", "connect-four", "advance", "penguins"]
ALL: Final[Mapping[Game, Pairs]] = {
    "tanks": Pairs(
        "tanks",
        [("acorn", "bramble"), ("bramble", "coyote"), ("coyote", "acorn")],
        ["back-yard", "narrow-pass", "city-blocks", "archipelago"],
    ),
    "connect-four": Pairs(
        "connect-four", [("four-careful", "four-random"), ("greedy", "four-careful"), ("greedy", "greedy")], BOARDS
    ),
    "advance": Pairs(
        "advance",
        [("advance-level-6", "advance-level-6"), ("greedy", "advance-level-6"), ("advance-level-6", "greedy")],
        ["advance-start"],
    ),
    "penguins": Pairs(
        "penguins", [("greedy", "penguins-greedy"), ("penguins-greedy", "greedy")], ["small-bay", "rookery", "north-shelf"]
    ),
}


@dataclass
class Result:
    """What came of one planted mistake."""

    place: int | None
    """Of the planted turn among the moments, from 0."""
    false_alarms: int
    cpu_seconds: float
    trials: int
    possible: int
    is_decisive: bool
    """Whether the planted answer decided the game."""


def matches(pairs: Pairs, finder: Finder, policy: IsolationPolicy, folder: Path) -> Iterator[tuple[MatchSpec, int]]:
    """Matches without end, each with the seat to look at; boards that are no shipped maps are written to a folder."""
    seed = 0
    while True:
        for board in pairs.maps:
            for teams in pairs.teams:
                file = folder / f"{board.replace(' ', 'x')}.txt"
                if board in BOARDS:
                    file.write_text(board, encoding="utf-8")
                spec = finder.match(teams, str(file) if board in BOARDS else board, None, pairs.game)
                for seat in (1, 2):
                    yield policy.apply(replace(spec, input=replace(spec.input, seed=seed))), seat
        seed += 1


def planted(spec: MatchSpec, seat: int, chance: Random) -> tuple[Point, Changes] | None:
    """A turn and an answer with which the team loses what it won or tied; None if none was drawn."""
    with Rematch(spec, seat) as rematch:
        course = rematch.play(lists=True)
        if course.outcome.faults or course.value(seat) < 0.5:
            return None
        for _ in range(MOST_PLANTINGS):
            decision = chance.choice(course.decisions)
            text = chance.choice(rematch.choices.texts(decision.view, seat))
            if text != decision.answer:
                other = rematch.play({decision.point: text}, shows=False)
                if other.value(seat) == 0.0 and not other.outcome.faults:
                    return decision.point, {decision.point: text}
    return None


def share_of_helping(rematch: Rematch, turns: Sequence[Turn], value: float, chance: Random) -> float:
    """The mean share of some other answers at these turns that are worth more than a value."""
    shares = []
    for turn in turns:
        answers = chance.sample(turn.others, min(NEAR_ANSWERS, len(turn.others)))
        gains = [max(0.0, rematch.play({turn.decision.point: text}, shows=False).value(rematch.seat) - value) for text in answers]
        shares += [sum(gains) / len(gains)] if gains else []
    return sum(shares) / len(shares) if shares else 0.0


def is_decisive(rematch: Rematch, recorded: Course, point: Point, title: str) -> bool:
    """Whether less than half as many answers help after a planted one as up to it."""
    turns, chance, value = turns_of(recorded.decisions, rematch, title), Random(f"decisive {title}"), recorded.value(rematch.seat)
    before = [turn for turn in turns if turn.decision.point <= point][-NEAR_TURNS:]
    after = [turn for turn in turns if turn.decision.point > point][:NEAR_TURNS]
    up_to = share_of_helping(rematch, before, value, chance)
    return share_of_helping(rematch, after, value, chance) < up_to / 2


def look_at(spec: MatchSpec, seat: int, point: Point, slips: Changes, cpu_seconds: float) -> Result:
    """Search a game with a planted mistake."""
    title = spec.input.title
    with Rematch(spec, seat, slips) as rematch:
        decided = is_decisive(rematch, rematch.play(lists=True), point, title)
        start = time.process_time()
        recorded = rematch.play(lists=True)
        value = recorded.value(seat)
        findings = Findings(turns_of(recorded.decisions, rematch, title), value, recorded.margin(seat))
        # The moments are played once more.
        left = SEARCH_SHARE * cpu_seconds - (1 + MOST_MOMENTS) * recorded.cpu_seconds
        search(findings, one_by_one(rematch, recorded.replay), left)
        moments = findings.moments()
        alarms = 0
        for moment in moments[:MOST_MOMENTS]:
            again = rematch.play({moment.turn.decision.point: moment.best.answer})
            alarms += again.value(seat) <= value
        seconds = time.process_time() - start
        points = [moment.turn.decision.point for moment in moments]
        place = points.index(point) if point in points else None
        return Result(place, alarms, seconds, findings.trials, findings.possible, decided)


def main(*, games: int = 20, cpu_seconds: float = 5.0, seed: int = 1, only: tuple[Game, ...] = ()) -> None:
    """Plant and search."""
    policy = IsolationPolicy(None, trust=Trust.from_environment([str(EXAMPLE)]))
    finder = Finder(open_registry(policy))
    results: dict[str, list[Result]] = {}
    with TemporaryDirectory() as folder:
        for name in only or get_args(Game):
            chance, own = Random(f"{seed} {name}"), results.setdefault(name, [])
            for spec, seat in matches(ALL[name], finder, policy, Path(folder)):
                if len(own) == games:
                    break
                plant = planted(spec, seat, chance)
                if plant is not None:
                    own.append(look_at(spec, seat, *plant, cpu_seconds))
            print(line(name, own), flush=True)
    print(line("all", [result for own in results.values() for result in own]))


def line(name: str, results: Sequence[Result]) -> str:
    """Some lines for some games."""
    if not results:
        return f"{name}: no games"
    decisive = [result for result in results if result.is_decisive]
    tried = sum(result.trials for result in results) / sum(result.possible for result in results)
    return (
        f"{name}: {shares(results)}; false alarms {sum(result.false_alarms for result in results)},"
        f" {tried:.0%} of all answers tried, CPU seconds a game: {told_times([result.cpu_seconds for result in results], 's')}\n"
        f"  of these, decided by the planted answer: {shares(decisive)}"
    )


def shares(results: Sequence[Result]) -> str:
    """How many games, and how often the planted turn was the first moment and among those shown."""
    first = sum(result.place == 0 for result in results)
    shown = sum(result.place is not None and result.place < MOST_MOMENTS for result in results)
    return f"{len(results)} games, first {share(first, len(results))}, among {MOST_MOMENTS} {share(shown, len(results))}"


def share(part: int, whole: int) -> str:
    """A share with its exact interval (Clopper and Pearson, 1934)."""
    if not whole:
        return "-"

    def at_most(number: int, chance: float) -> float:
        return sum(math.comb(whole, each) * chance**each * (1 - chance) ** (whole - each) for each in range(number + 1))

    def where(number: int, wanted: float) -> float:
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if at_most(number, middle) > wanted else (low, middle)
        return low

    low = where(part - 1, 0.975) if part else 0.0
    high = where(part, 0.025) if part < whole else 1.0
    return f"{part / whole:.0%} ({low:.0%} to {high:.0%})"


if __name__ == "__main__":
    run(__doc__, main=main)
