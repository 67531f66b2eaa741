"""Which answers are tried, in which order, and that all ways of trying come to the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest
from tests.whatif.games import four

from tiltyard_whatif.findings import Findings, Trial, Turn
from tiltyard_whatif.playing import Rematch, TeamAnswer
from tiltyard_whatif.search import Result, Task, TryAnswers, in_processes, search, turns_of


def made_turns(number: int, others: int) -> list[Turn]:
    return [Turn(TeamAnswer(turn, 1, "given", None), tuple(map(str, range(others)))) for turn in range(1, number + 1)]


def decided_at(last: int, asked: list[int]) -> TryAnswers:
    """Up to a turn every other answer wins."""

    def try_answers(tasks: Sequence[Task]) -> Iterator[Result]:
        for point, text in tasks:
            asked.append(point[0])
            value = float(point[0] <= last)
            yield point, Trial(answer=text, value=value, margin=0.0, rounds=100, differs=point[0], rank=1, failed=""), 1.0

    return try_answers


@pytest.mark.parametrize("last", [1, 2, 57, 99, 100])
def test_the_decisive_turn_of_a_long_match_is_found_with_few_answers(last: int) -> None:
    findings = Findings(made_turns(100, 30), 0.0)
    asked: list[int] = []
    assert search(findings, decided_at(last, asked), 40.0) == 40.0
    assert asked[0] == 100
    assert findings.moments()[0].turn.decision.turn == last


def test_no_answer_is_begun_that_would_take_too_long() -> None:
    for seconds, spent in ((0.0, 0.0), (0.5, 2.0), (5.5, 4.0), (6.0, 6.0)):
        assert search(Findings(made_turns(9, 4), 0.0), decided_at(4, []), seconds) == spent


def test_with_enough_time_everything_is_tried_once() -> None:
    findings = Findings(made_turns(9, 4), 0.0)
    asked: list[int] = []
    assert search(findings, decided_at(4, asked), 1000.0) == 36.0
    assert findings.trials == findings.possible == len(asked)


def test_several_processes_find_what_one_finds() -> None:
    with Rematch(four(), 1) as rematch:
        recorded = rematch.play(lists=True)

        def found(workers: int) -> Findings:
            findings = Findings(turns_of(recorded.decisions, rematch, "key"), recorded.value(1))
            with in_processes(rematch, recorded.replay, workers) as try_answers:
                search(findings, try_answers, 100.0, at_once=3)
            return findings

        alone, together = found(1), found(2)
    assert alone.trials == alone.possible
    assert alone == together
