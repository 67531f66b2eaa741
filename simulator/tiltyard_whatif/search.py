"""Which answers are tried, in which order.

First a few at turns that lie evenly over the match, the last one first. Then between two turns where much was lost from the one to
the other, until it is known at which answer; then wherever the figures are least certain, until all was tried or the time is over.
With enough time all orders come to the same; with little, this one finds the decisive turn of a long game with few continuations.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from random import Random
from typing import Final, TypeAlias

from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.replays.encoding import decode, encode
from tiltyard_whatif.findings import Findings, Trial, Turn
from tiltyard_whatif.playing import Changes, Point, Rematch, TeamAnswer, check_same, first_difference

AT_ONCE: Final = 2
"""How many answers are tried at a turn before it is looked where the next ones are needed."""
FIRST_TURNS: Final = 6
"""How many turns are looked at first."""
GAP_WEIGHT: Final = 0.02
"""What it is worth to look into a gap of the whole match in which nothing seems to be lost."""

Task: TypeAlias = tuple[Point, str]
"""An answer, and where it is put in."""
Result: TypeAlias = tuple[Point, Trial, float]
TryAnswers: TypeAlias = Callable[[Sequence[Task]], Iterator[Result]]
"""Puts answers in; the result of each, and the CPU seconds that it took."""


def turns_of(decisions: Sequence[TeamAnswer], rematch: Rematch, seed: str) -> list[Turn]:
    """A team's turns with all other answers, each in an order by chance that is the same for the same ``seed``."""
    turns = []
    for decision in decisions:
        others = [text for text in rematch.choices.texts(decision.view, rematch.seat) if text != decision.answer]
        Random(f"{seed} {decision.point}").shuffle(others)
        turns.append(Turn(decision, tuple(others)))
    return turns


def trial_of(rematch: Rematch, recorded: Replay, point: Point, answer: str) -> tuple[Trial, float]:
    """Put an answer in at a point; the result, and the CPU seconds that it took.

    Raises:
        OtherwiseError: the match went another way before that.
    """
    course = rematch.play({point: answer}, shows=False)
    check_same(recorded, course, before=point[0])
    outcome = course.outcome
    trial = Trial(
        answer=answer,
        value=course.value(rematch.seat),
        margin=course.margin(rematch.seat),
        rounds=len(course.replay.frames),
        differs=first_difference(recorded, course.replay) or 0,
        rank=outcome.ranks[rematch.seat - 1],
        failed=next((fault.termination.value for fault in outcome.faults if fault.seat == rematch.seat), ""),
        reason=outcome.reason,
        message=outcome.message,
    )
    return trial, course.cpu_seconds


def next_trials(findings: Findings, at_once: int = AT_ONCE) -> list[tuple[Turn, str]]:
    """What is to be tried next, at most ``at_once`` answers of one turn; empty if all was."""
    turns = [turn for turn in findings.turns if turn.others]
    step = max(1, len(turns) // FIRST_TURNS)
    places = [*range(len(turns) - 1, 0, -step), *([0] if turns else [])]
    first = next((turns[place] for place in places if not turns[place].trials), None)
    turn = first or _most_promising(turns, findings.value)
    return [] if turn is None else [(turn, text) for text in turn.untried[:at_once]]


def _most_promising(turns: Sequence[Turn], value: float) -> Turn | None:
    """The turn where another trial tells most; None if all was tried."""
    places = [place for place, turn in enumerate(turns) if turn.trials]
    best: Turn | None = None
    most = 0.0
    # What comes before the first turn and after the last one is a gap as well.
    for left, right in zip([-1, *places], [*places, len(turns)]):
        after = turns[right].chance(value) if right < len(turns) else 0.0
        loss = max(0.0, turns[left].chance(value) - after) if left >= 0 else 0.0
        if right - left > 1:
            promise, turn = loss + GAP_WEIGHT * (right - left) / len(turns), turns[(left + right) // 2]
        else:
            sides = [turns[place] for place in (left, right) if 0 <= place < len(turns) and turns[place].untried]
            if not sides:
                continue
            turn = min(sides, key=lambda side: len(side.trials))
            promise = (loss + GAP_WEIGHT / len(turns)) * len(turn.untried) / (len(turn.others) * (1 + len(turn.trials)))
        if promise >= most:
            best, most = turn, promise
    return best


def search(
    findings: Findings,
    try_answers: TryAnswers,
    cpu_seconds: float,
    tell: Callable[[Result], object] = lambda result: None,
    at_once: int = AT_ONCE,
) -> float:
    """Try answers until all were tried or the time is over; the CPU seconds that it took.

    Args:
        findings: get the results.
        try_answers: puts answers in, several at once if it can.
        cpu_seconds: no answer is tried any more where those so far say that it would take more.
        tell: hears of each result.
        at_once: how many answers are tried before it is looked where the next ones are needed.
    """
    spent, count = 0.0, 0
    by_point = {turn.decision.point: turn for turn in findings.turns}
    while spent < cpu_seconds and (trials := next_trials(findings, at_once)):
        if count and spent + spent / count * len(trials) > cpu_seconds:
            break
        for point, trial, seconds in try_answers([(turn.decision.point, text) for turn, text in trials]):
            by_point[point].trials[trial.answer] = trial
            spent += seconds
            count += 1
            tell((point, trial, seconds))
    return spent


def one_by_one(rematch: Rematch, recorded: Replay) -> TryAnswers:
    """Tries answers in this process, one after the other."""

    def try_answers(answers: Sequence[Task]) -> Iterator[Result]:
        for point, text in answers:
            yield point, *trial_of(rematch, recorded, point, text)

    return try_answers


@contextmanager
def in_processes(rematch: Rematch, recorded: Replay, workers: int) -> Iterator[TryAnswers]:
    """Tries answers in processes of their own, several at once; in this one for 1."""
    if workers == 1:
        yield one_by_one(rematch, recorded)
        return
    started = (rematch.spec, rematch.seat, dict(rematch.slips), encode(recorded))
    with ProcessPoolExecutor(workers, get_context("spawn"), _start_worker, started) as pool:

        def try_answers(answers: Sequence[Task]) -> Iterator[Result]:
            yield from pool.map(_try_in_worker, answers)

        yield try_answers


_WORKER: list[tuple[Rematch, Replay]] = []
"""In a worker: what it plays, for as long as it lives."""


def _start_worker(spec: MatchSpec, seat: int, slips: Changes, recorded: bytes) -> None:
    rematch = Rematch(spec, seat, slips)
    atexit.register(rematch.close)
    _WORKER.append((rematch, decode(recorded)))


def _try_in_worker(task: Task) -> Result:
    ((rematch, recorded),) = _WORKER
    return task[0], *trial_of(rematch, recorded, *task)
