"""What the results of other answers say of each turn."""

from __future__ import annotations

from tiltyard_whatif.findings import Findings, Trial, Turn
from tiltyard_whatif.playing import TeamAnswer


def turn(number: int, *values: float, untried: int = 0, margin: float = 0.0) -> Turn:
    others = tuple(f"answer {place}" for place in range(len(values) + untried))
    trials = {
        text: Trial(answer=text, value=value, margin=margin, rounds=20 + place, differs=number, rank=1, failed="")
        for place, (text, value) in enumerate(zip(others, values))
    }
    return Turn(TeamAnswer(number, 1, "given", None), others, trials)


def test_the_turn_after_which_nothing_helps_costs_most() -> None:
    findings = Findings([turn(1, 1, 1), turn(3, 1, 1), turn(5, 0, 1), turn(7, 0, 0), turn(9, 0, 0)], 0.0)
    moments = findings.moments()
    assert [moment.turn.decision.turn for moment in moments] == [5, 3, 1]
    assert (moments[0].before, moments[0].after, moments[0].helping) == (5 / 6, 0.0, 1)
    assert findings.last_help() is findings.turns[2]


def test_an_early_mistake_is_told_from_what_could_not_be_helped_later() -> None:
    findings = Findings([turn(1, 1, 1), turn(3, 0, 0), turn(5, 0, 0), turn(7, 0, 1)], 0.0)
    assert [moment.turn.decision.turn for moment in findings.moments()] == [1, 7]


def test_where_as_many_answers_help_before_and_after_the_margin_says_which_turn_cost_most() -> None:
    def order(*margins: float) -> list[int]:
        turns = [turn(number, 1, 0, margin=margin) for number, margin in enumerate(margins, start=1)]
        return [moment.turn.decision.turn for moment in Findings(turns, 0.0, margins[-1]).moments()]

    assert order(0, 0, 0, 0, 0, 0) == [6, 5, 4, 3, 2, 1]
    assert order(5, 5, 5, -5, -5, -5) == [6, 3, 4, 2, 5, 1]


def test_after_the_last_turn_the_margin_is_that_of_the_match() -> None:
    turns = [turn(1, 1, 0, margin=4), turn(3, 1, 0, margin=4), turn(5, 1, 0, margin=2)]
    late, early = (Findings(turns, 0.0, margin).moments()[0] for margin in (-20, 2))
    assert late.turn.decision.turn == early.turn.decision.turn == 5
    assert late.cost > early.cost > 0.5


def test_a_tie_counts_by_half_and_what_is_no_better_not_at_all() -> None:
    assert turn(1, 0.5, 0).chance(0.0) == 0.25
    assert turn(1, 1, 0.5).chance(0.5) == 0.5
    assert turn(1, untried=3).chance(0.0) == 0.0
    assert turn(1, 0.5, 0).best(0.5) is None


def test_the_best_answer_gains_most_and_then_ends_first() -> None:
    best = turn(1, 0.5, 1, 1).best(0.0)
    assert best is not None
    assert best.answer == "answer 1"


def test_what_was_not_tried_is_counted() -> None:
    findings = Findings([turn(1, 0, untried=2), turn(3, untried=4)], 0.0)
    assert (findings.trials, findings.possible, len(findings.visited)) == (1, 7, 1)
    assert findings.moments() == []
    assert findings.last_help() is None
