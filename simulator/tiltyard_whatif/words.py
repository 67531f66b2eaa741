"""The result of a match and its reasons, in sentences for whoever wrote a team."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_site.explained.explained import HONEST, failures_in_words
from tiltyard_whatif.chance import Frequency
from tiltyard_whatif.destroyed import difference
from tiltyard_whatif.explaining import Explanation, Kind
from tiltyard_whatif.findings import MOST_MOMENTS, Moment, Trial
from tiltyard_whatif.playing import Course, ordinal, point_in_words
from tiltyard_whatif.versions import VersionFindings


def result_in_words(outcome: Outcome, seat: int) -> str:
    """Such as ``ann lost: Player 2 won with four in a line``."""
    rank, ranks = outcome.ranks[seat - 1], outcome.ranks
    if rank == 1:
        verb = "won" if ranks.count(1) == 1 else "tied"
    else:
        verb = "lost" if len(ranks) == 2 else f"came {ordinal(rank)} of {len(ranks)}"
    return one_line(f"{outcome.teams[seat - 1]} {verb}: {outcome.message}")


def chance_in_words(text: str, own: Frequency, other: Frequency) -> str:
    """How often a team won with its own answer and with another one, where chance took other courses."""
    return f"with different chance from here on: {own} with its own answer, {other} with '{one_line(text)}'"


def sentences(explanation: Explanation) -> Iterator[str]:
    """All that is said about a match, line by line."""
    yield f"{one_line(explanation.game.spec.input.title)}: {result_in_words(explanation.recorded.outcome, explanation.seat)}"
    lines = list(what_is_said(explanation))
    if explanation.kind is Kind.FAULT:
        lines[-1] += " 'tiltyard explain' says what such a message means, and 'tiltyard debug' asks the team again."
    if explanation.kind in (Kind.WON, Kind.FAULT):
        yield from lines
        return
    tried, verdict, *last = lines
    yield tried
    yield ""
    yield verdict
    for moment, course, often in zip_longest(explanation.moments, explanation.continuations, explanation.frequencies):
        yield f"  {moment_in_words(explanation, moment, course)}"
        if often is not None:
            yield f"    {chance_in_words(moment.best.answer, *often)}"
    yield from last
    better = "T tie" if _is_duel(explanation) else "+ a better place"
    yield f"The best result found for each of its answers (W win, {better}, - nothing better, . none tried): {strip(explanation)}"
    if more := what_is_left([explanation]):
        yield more


def what_is_left(explanations: Sequence[Explanation]) -> str:
    """How many answers were tried, of how many, and how to try more; empty if all were."""
    tried, possible = (sum(getattr(each.findings, name) for each in explanations) for name in ("trials", "possible"))
    if tried == possible:
        return ""
    again = "run the same command again to try more, or give it more time with --cpu-seconds"
    return f"{tried:,} of {possible:,} other answers were tried: {again}."


def what_is_said(explanation: Explanation) -> Iterator[str]:
    """What is said about a match beside its moments: how much was tried, the verdict, the last turn at which anything helped."""
    findings, team = explanation.findings, one_line(explanation.team)
    if explanation.kind is Kind.WON:
        yield f"There is nothing to explain: {team} came first."
        return
    if explanation.fault is not None:
        fault = explanation.fault
        yield f"{team} failed in its round {fault.round}: {fault.termination.value}: {one_line(fault.message)}"
        yield "No other answer helps against this."
        return
    yield (
        f"{team} answered {counted(len(findings.turns), 'time')}. For {len(findings.visited)} of these answers, others were tried"
        f" ({findings.trials:,} of {findings.possible:,}), and all programs played on to the end. {HONEST}"
    )
    yield _verdict(explanation, team)
    if explanation.has_chance and not explanation.frequencies:
        yield "Chance goes on after each answer, so a better one here may be worse with different dice. --seeds 30 tells."
    if failures := failures_in_words(team, findings.failures, findings.trials):
        yield failures
    last = findings.last_help()
    if last is not None:
        yield f"The last answer that could have been better: {point_in_words(last.decision.point, explanation.tanks)}."
    for version in explanation.versions:
        yield version_in_words(version, explanation)


def _verdict(explanation: Explanation, team: str) -> str:
    findings = explanation.findings
    if explanation.kind is Kind.OPEN:
        return "Nothing has helped so far: none of the answers that were tried gives a better result."
    if explanation.kind is Kind.LOST:
        lost = "was lost from the start" if findings.value == 0 else "could not be won"
        return f"The match {lost}: no other answer of {team} gives a better result."
    if explanation.kind is Kind.MISTAKE:
        if len(explanation.moments) == 1:
            return "This answer decided the match:"
        return "The turn that stands first decided the match. A different answer at the others would have changed it, too:"
    if len(explanation.moments) == 1:
        which = "this answer" if findings.trials == findings.possible else "this one of the answers that were tried"
        return f"Only {which} would have changed the result:"
    return "No single answer decided the match. Each of these would have changed the result:"


def version_in_words(version: VersionFindings, explanation: Explanation) -> str:
    """At how many turns a version answers differently, and where that would have changed the result."""
    name = one_line(version.name)
    if version.problem:
        return f"{name} could not be asked: {one_line(version.problem)}"
    if not version.others:
        return f"{name} answers the same at all {counted(version.asked_turns, 'turn')} at which it was asked."
    begin = f"{name} answers differently at {len(version.others)} of {counted(version.asked_turns, 'turn')}"
    helping = [(turn, trial) for turn, trial in version.trials if trial.value > explanation.findings.value]
    if not helping:
        tried = "" if len(version.trials) == len(version.others) else f" that was tried ({len(version.trials)})"
        return f"{begin}; no answer of these{tried} gives a better result."
    parts = [
        f"in {point_in_words(turn.decision.point, explanation.tanks)}, '{one_line(trial.answer)}' {_would(trial, explanation)}"
        f" {_when(trial, turn.decision.turn)}: {one_line(trial.message)}"
        for turn, trial in helping[:MOST_MOMENTS]
    ]
    more = f" ({len(helping)} of {counted(len(version.trials), 'answer')} helped)"
    return f"{begin}; {'; '.join(parts)}{more}."


def moment_in_words(explanation: Explanation, moment: Moment, course: Course) -> str:
    """What was answered at a moment, what would have been better, and how much else helped."""
    decision, best = moment.turn.decision, moment.best
    because = tanks_in_words(explanation, course)
    end = f"{one_line(best.message)}. With it, {because}" if because else one_line(best.message)
    place, tried = point_in_words(decision.point, explanation.tanks), len(moment.turn.trials)
    return (
        f"{place}: {one_line(explanation.team)} answered '{one_line(decision.answer)}'. With '{one_line(best.answer)}', it"
        f" {_would(best, explanation)} {_when(best, decision.turn)}: {end}. Of the {counted(tried, 'other answer')} tried here,"
        f" {moment.helping} would have helped. Up to this turn, {moment.before:.0%} of all answers tried would have; after it,"
        f" {moment.after:.0%}."
    )


def tanks_in_words(explanation: Explanation, course: Course) -> str:
    """Whose tanks were destroyed otherwise in a course; empty where that is not why it went better, or there are none."""
    names = explanation.game.spec.input.names
    return one_line(difference(explanation.recorded.replay, course.replay, explanation.seat, names))


def _would(best: Trial, explanation: Explanation) -> str:
    before = explanation.recorded.outcome.ranks[explanation.seat - 1]
    if best.value == 1:
        return "would have won"
    if _is_duel(explanation):
        return "would have tied"
    if best.rank == before:
        return f"would have shared the {ordinal(before)} place with fewer others"
    return f"would have {'tied for 1st' if best.rank == 1 else f'come {ordinal(best.rank)}'} instead of {ordinal(before)}"


def _is_duel(explanation: Explanation) -> bool:
    return len(explanation.recorded.outcome.ranks) == 2


def _when(best: Trial, turn: int) -> str:
    later = best.rounds - turn
    return f"{counted(later, 'turn')} later" if later > 0 else "at once"


def strip(explanation: Explanation) -> str:
    """A character for each answer of the team, in the order of the match."""
    value, less = explanation.findings.value, "T" if _is_duel(explanation) else "+"
    return "".join(
        "." if not turn.trials else "-" if (best := turn.best(value)) is None else "W" if best.value == 1 else less
        for turn in explanation.findings.turns
    )


def as_json(explanation: Explanation) -> dict[str, Any]:
    """The same as plain values."""
    findings = explanation.findings
    last = findings.last_help()
    return {
        "match": explanation.game.spec.place.number + 1,
        "key": explanation.game.spec.place.key,
        "team": explanation.team,
        "seat": explanation.seat,
        "kind": explanation.kind.value,
        "result": explanation.recorded.outcome.message,
        "value": findings.value,
        "tried": findings.trials,
        "possible": findings.possible,
        "turns": len(findings.turns),
        "turns_tried": len(findings.visited),
        "cpu_seconds": round(explanation.cpu_seconds, 3),
        "fault": None if explanation.fault is None else explanation.fault.message,
        "last_help": None if last is None else list(last.decision.point),
        "moments": [
            {
                "turn": moment.turn.decision.turn,
                "part": moment.turn.decision.part,
                "answer": moment.turn.decision.answer,
                "better": moment.best.answer,
                "value": moment.best.value,
                "rounds": moment.best.rounds,
                "message": moment.best.message,
                "because": tanks_in_words(explanation, course),
                "cost": round(moment.cost, 4),
                "helping": moment.helping,
                "tried": len(moment.turn.trials),
                "seeds": None if often is None else {"games": often[0].games, "own": often[0].wins, "better": often[1].wins},
            }
            for moment, course, often in zip_longest(explanation.moments, explanation.continuations, explanation.frequencies)
        ],
        "strip": strip(explanation),
        "versions": [
            {
                "version": version.name,
                "problem": version.problem or None,
                "turns": version.asked_turns,
                "otherwise": [[*turn.decision.point, answer] for turn, answer in version.others],
                "tried": [[*turn.decision.point, trial.answer, trial.value, trial.rounds] for turn, trial in version.trials],
            }
            for version in explanation.versions
        ],
    }
