"""Whether ``tiltyard why`` finds mistakes that were planted, and what that costs.

    .venv/bin/python benchmarks/why.py [--games 20] [--cpu-seconds 5] [--only tanks]

In a game that a team won or tied, one of its answers is replaced, at a turn and by an answer drawn by chance, so that it loses:
that is played to the end. The search gets the lost game alone, and as many CPU seconds as said. It prints how often the planted
turn is the first moment shown, and how often one of the three; moments whose answer helps nothing when it is played once more,
which must be none; and the CPU seconds of a game.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from measuring import command_line, told_times

from tiltyard_engine.registry import Trust
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_whatif.findings import MOST_MOMENTS, Findings
from tiltyard_whatif.playing import Changes, Point, Rematch
from tiltyard_whatif.search import one_by_one, search, turns_of

EXAMPLE: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "games" / "connect_four.py"
MOST_PLANTINGS: Final = 40
"""So many answers are drawn for a game before another one is taken."""


@dataclass(frozen=True)
class Pairs:
    """Which games are played."""

    game: str
    teams: Sequence[tuple[str, str]]
    maps: Sequence[str]


BOARDS: Final = [f"{width} {height}" for width in range(6, 10) for height in range(5, 9)]
"""Of connect four, whose sample teams play the same game on the same board whatever the seed."""
ALL: Final = {
    "tanks": Pairs(
        "tanks",
        [("acorn", "bramble"), ("bramble", "coyote"), ("coyote", "acorn")],
        ["back-yard", "narrow-pass", "city-blocks", "archipelago"],
    ),
    "connect-four": Pairs(
        "connect-four", [("four-careful", "four-random"), ("greedy", "four-careful"), ("greedy", "greedy")], BOARDS
    ),
    "advance": Pairs("advance", [("advance-level-5", "greedy"), ("greedy", "advance-level-4")], ["advance-start"]),
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
                other = rematch.play({decision.point: text})
                if other.value(seat) == 0.0 and not other.outcome.faults:
                    return decision.point, {decision.point: text}
    return None


def look_at(spec: MatchSpec, seat: int, point: Point, slips: Changes, cpu_seconds: float) -> Result:
    """Search a game with a planted mistake."""
    with Rematch(spec, seat, slips) as rematch:
        recorded = rematch.play(lists=True)
        findings = Findings(turns_of(recorded.decisions, rematch, spec.input.title), recorded.value(seat))
        used = search(findings, one_by_one(rematch, recorded.replay), cpu_seconds - recorded.cpu_seconds)
        moments = findings.moments()
        points = [moment.turn.decision.point for moment in moments]
        alarms = 0
        for moment in moments[:MOST_MOMENTS]:
            again = rematch.play({moment.turn.decision.point: moment.best.answer})
            alarms += again.value(seat) <= findings.value
        place = points.index(point) if point in points else None
        return Result(place, alarms, used + recorded.cpu_seconds, findings.trials, findings.possible)


def main() -> None:
    """Plant and search."""
    parser = command_line(__doc__)
    parser.add_argument("--games", type=int, default=20, help="of each kind")
    parser.add_argument("--cpu-seconds", type=float, default=5.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(ALL), action="append")
    options = parser.parse_args()
    policy = IsolationPolicy(None, trust=Trust.from_environment([str(EXAMPLE)]))
    finder = Finder(open_registry(policy))
    results: dict[str, list[Result]] = {}
    with TemporaryDirectory() as folder:
        for name in options.only or ALL:
            chance, own = Random(f"{options.seed} {name}"), results.setdefault(name, [])
            for spec, seat in matches(ALL[name], finder, policy, Path(folder)):
                if len(own) == options.games:
                    break
                plant = planted(spec, seat, chance)
                if plant is not None:
                    own.append(look_at(spec, seat, *plant, options.cpu_seconds))
            print(line(name, own), flush=True)
    print(line("all", [result for own in results.values() for result in own]))


def line(name: str, results: Sequence[Result]) -> str:
    """A line for some games."""
    first = sum(result.place == 0 for result in results) / len(results)
    shown = sum(result.place is not None and result.place < MOST_MOMENTS for result in results) / len(results)
    tried = sum(result.trials for result in results) / sum(result.possible for result in results)
    return (
        f"{name}: {len(results)} games, first {first:.0%}, among {MOST_MOMENTS} {shown:.0%},"
        f" false alarms {sum(result.false_alarms for result in results)}, {tried:.0%} of all answers tried,"
        f" CPU seconds a game: {told_times([result.cpu_seconds for result in results], 's')}"
    )


if __name__ == "__main__":
    main()
