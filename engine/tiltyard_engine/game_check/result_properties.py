"""Properties of the match itself and of what the GameManager says about it."""

from __future__ import annotations

from typing import Final

from tiltyard_engine.claims import claim_problem
from tiltyard_engine.game_check.bench import Bench
from tiltyard_engine.game_check.inline_match import PlayedMatch
from tiltyard_engine.game_check.outcomes import NotApplicable, Violation
from tiltyard_engine.results import MANAGER_SEAT, GameResult, SeatFault

RESULT_ADVICE: Final = "see GameResult in docs/reference/contract.md"


def plays(bench: Bench) -> str:
    """A match comes to an end without faults."""
    played = bench.first
    if played.error is not None:
        raise manager_raised(played, bench)
    for fault in played.record.faults:
        if fault.seat != MANAGER_SEAT:
            team = played.record.teams[fault.seat - 1]
            raise Violation(
                f"player {fault.seat} ({team}) failed in round {fault.round}: {fault.termination.value}: {fault.message}",
                bench.manager.create,
                "an algorithm of the game's own must play without faults: mend it, or the rules that refused its answer",
            )
    claim, asked = played.record.claim, len(played.questions)
    return f"{' against '.join(played.record.teams)} on {played.record.map}: {claim.rounds} rounds, {asked} questions"


def manager_raised(played: PlayedMatch, bench: Bench) -> Violation:
    """That the GameManager did not come to a result."""
    error = played.error
    assert error is not None
    if isinstance(error, SeatFault):
        return Violation(
            f"run() let the fault of player {error.fault.seat} escape: {error.fault.message}",
            advice="catch SeatFault in run(), and return a GameResult in which that seat does not win",
            error=error,
        )
    fault = played.record.faults[0]
    return Violation(fault.message, bench.manager.create, "run() must come to a GameResult whatever the teams do", error)


def result(bench: Bench) -> str:
    """The GameManager's claim is sound: all types, one rank and one score a seat."""
    played = bench.first
    if played.error is not None:
        raise NotApplicable("the GameManager made no result: see 'plays'")
    problem = claim_problem(played.made, bench.seats)
    if problem:
        raise Violation(problem, bench.manager.create, RESULT_ADVICE)
    claim = played.made
    assert isinstance(claim, GameResult)
    if claim.scores and len(claim.scores) != bench.seats:
        raise Violation(
            f"scores is {claim.scores!r:.60}: {len(claim.scores)} of them, expected {bench.seats}, one a seat",
            bench.manager.create,
            "give a score to each seat, seat 1 first, or none at all",
        )
    if not claim.reason:
        raise Violation("reason is empty", bench.manager.create, "name the rule that ended the match, such as 'ALL_DEAD'")
    return f"{claim.reason}, winner {claim.winner}, ranks {claim.ranks_for(bench.seats)}"


def same_seed(bench: Bench) -> str:
    """The same match, played again, is the same."""
    first, again = bench.sound, bench.play(bench.match())
    if (first.record.claim, first.record.replay, first.questions) != (again.record.claim, again.record.replay, again.questions):
        raise Violation("the same match played again is another one", bench.manager.create)
    return "played twice"
