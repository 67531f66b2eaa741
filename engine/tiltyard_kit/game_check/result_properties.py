"""Properties of the match itself and of what the GameManager says about it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.results import MANAGER_SEAT, GameResult, SeatFault, claim_problem
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.inline_match import InlineRun
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation

SEED_ADVICE: Final = (
    "take all chance from random.Random(match.seed), keep nothing in modules or classes, and sort sets before you iterate over them"
)
UNEQUAL: Final = "name players of which one is better: --player NAME --player OTHER, or players=[...] in a test"
RESULT_ADVICE: Final = "see 'python -m pydoc tiltyard_engine.GameResult'"


def plays(bench: Bench) -> str:
    """A match comes to an end without faults."""
    names = [manager.name for manager in bench.parts.managers]
    if bench.game.default_manager and bench.game.default_manager not in names:
        raise Violation(
            f"default_manager is {bench.game.default_manager!r}, but the game's GameManagers are {', '.join(names)}",
            bench.declaration,
            "name one of them in Game(default_manager=...)",
        )
    if len(names) > 1 and not bench.game.default_manager:
        raise Violation(
            f"the game has {len(names)} GameManagers and names none of them as its default",
            bench.declaration,
            "give Game(default_manager=...)",
        )
    run = bench.first
    if run.error is not None or any(fault.seat != MANAGER_SEAT for fault in run.record.faults):
        raise _failed(run, bench)
    if run.record.manager_fault is not None:
        raise NotShown("the GameManager made no sound result: see 'result'")
    for other in bench.reseeded:
        if other.record.faults:
            raise _failed(other, bench, f"with the seed {other.record.seed}, ")
    claim, questions = run.record.claim, len(run.questions)
    rounds = f"{claim.rounds} rounds, {questions} questions"
    return f"{' against '.join(run.record.teams)} on {run.record.map}: {rounds}; {len(bench.reseeded)} more with other seeds"


def _failed(run: InlineRun, bench: Bench, when: str = "") -> Violation:
    """Why a match of the game's own algorithms has a fault; ``when`` begins the sentence."""
    if run.error is not None:
        return manager_raised(run, bench, when)
    fault = run.record.faults[0]
    if fault.seat == MANAGER_SEAT:
        return Violation(f"{when}{fault.message}", bench.manager.create, RESULT_ADVICE)
    team = run.record.teams[fault.seat - 1]
    violation = Violation(
        f"{when}player {fault.seat} ({team}) failed in round {fault.round}: {fault.termination.value}: {fault.message}",
        bench.manager.create,
        "an algorithm of the game's own must play without faults: mend it, or the rules that refused its answer",
    )
    violation.traceback = fault.traceback
    return violation


def manager_raised(run: InlineRun, bench: Bench, when: str = "") -> Violation:
    """That the GameManager did not come to a result; ``when`` begins the sentence."""
    error = run.error
    assert error is not None
    if isinstance(error, SeatFault):
        return Violation(
            f"{when}run() let the fault of player {error.fault.seat} escape: {error.fault.message}",
            advice="catch SeatFault in run(), and return a GameResult in which that seat does not win",
            error=error,
        )
    fault = run.record.faults[0]
    return Violation(f"{when}{fault.message}", bench.manager.create, "run() must return a GameResult whatever the teams do", error)


def result(bench: Bench) -> str:
    """The GameManager's claim is sound: all types, one rank and one score a seat."""
    run = bench.first
    if run.error is not None:
        raise NotShown("the GameManager made no result: see 'plays'")
    problem = claim_problem(run.result, bench.seats)
    if problem:
        raise Violation(problem, bench.manager.create, RESULT_ADVICE)
    claim = run.result
    assert isinstance(claim, GameResult)
    problem = _lengths_problem(claim, bench.seats)
    if problem:
        raise Violation(problem, bench.manager.create, "give one to each seat, seat 1 first, or none at all")
    if not claim.reason:
        raise Violation("reason is empty", bench.manager.create, "name the rule that ended the match, such as 'ALL_DEAD'")
    return f"{claim.reason}, winner {claim.winner}, ranks {claim.ranks_for(bench.seats)}"


def _lengths_problem(claim: object, seats: int) -> str:
    """What ``claim_problem`` lets pass, because older results may have it."""
    assert isinstance(claim, GameResult)
    remaining = claim.remaining_tanks
    if remaining and len(remaining) != seats:
        return f"remaining_tanks is {remaining!r:.60}: {len(remaining)} of them, expected {seats}, one a seat"
    return ""


def numbers_of_players(bench: Bench) -> str:
    """The fewest and the most players that the game allows can play it."""
    sizes: list[str] = []
    not_tried: list[str] = []
    for seats in dict.fromkeys((bench.game.seats[0], bench.game.seats[-1])):
        try:
            game_map = bench.map_for(seats)
        except UserError:
            not_tried.append(f"no map for {seats} players")
            continue
        run = bench.play(replace(bench.match(), map=game_map, teams=bench.teams_for(seats)))
        if run.record.faults:
            raise Violation(
                f"with {seats} players on {game_map.name}: {run.record.message}",
                bench.manager.create,
                "play as many as Game(seats=...) allows, or allow others there",
                run.error,
            )
        problem = claim_problem(run.result, seats) or _lengths_problem(run.result, seats)
        if problem:
            raise Violation(f"with {seats} players on {game_map.name}: {problem}", bench.manager.create, RESULT_ADVICE)
        sizes.append(f"{seats} on {game_map.name}")
        seats_asked = {question.seat for question in run.questions}
        not_tried += [f"with {seats}, player {seat} was never asked" for seat in range(1, seats + 1) if seat not in seats_asked]
    if not_tried:
        raise NotShown(
            "; ".join([*sizes, *not_tried]),
            "yield a map for the fewest and the most players of Game(seats=...) from maps(), on which each of them is asked",
        )
    return ", ".join(sizes)


def ranks_and_scores(bench: Bench) -> str:
    """Whoever won has the first rank; ranks leave no gaps; ranks and scores put the seats into the same order."""
    if bench.seats == 1:
        raise NotApplicable("there is one player: nobody is better")
    if not any(claim.ranks or claim.scores for claim in bench.claims):
        raise NotApplicable("the results give neither ranks nor scores: winner alone says who is better")
    directions: set[int] = set()
    for claim in bench.claims:
        ranks, winner = claim.ranks, claim.winner
        if ranks:
            expected = tuple(1 + sum(other < own for other in ranks) for own in ranks)
            if ranks != expected:
                raise Violation(
                    f"ranks is {ranks}, expected {expected}", bench.manager.create, "1 is best, equal places are shared: 1, 2, 2, 4"
                )
            if winner == 0 and ranks.count(1) == 1 and bench.seats > 1:
                raise Violation(
                    f"winner is 0, a tie, but seat {ranks.index(1) + 1} alone has rank 1",
                    bench.manager.create,
                    "name it as the winner",
                )
            if winner and ranks.count(1) > 1:
                raise Violation(
                    f"winner is {winner}, but {ranks.count(1)} seats share rank 1",
                    bench.manager.create,
                    "a shared first place is a tie: 0",
                )
        directions |= _directions(claim, bench.seats)
        if len(directions) > 1:
            raise Violation(
                f"ranks {claim.ranks_for(bench.seats)} (winner {winner}) and scores {claim.scores} don't agree",
                bench.manager.create,
                "derive the ranks from the scores: a better score is always a better rank",
            )
    count = len(bench.claims)
    if all(len(set(claim.ranks_for(bench.seats))) == 1 for claim in bench.claims):
        raise NotShown(f"all {count} matches were ties: nobody had a better rank", UNEQUAL)
    scored = any(claim.scores for claim in bench.claims)
    if scored and not directions:
        raise NotShown(f"in none of {count} matches had the better one another score", UNEQUAL)
    return f"{count} matches{'' if scored else '; no scores to compare'}"


def _directions(claim: GameResult, seats: int) -> set[int]:
    """1 if a higher score comes first in a pair of seats, -1 if a lower one does."""
    ranks = claim.ranks_for(seats)
    if not claim.scores:
        return set()
    pairs = [(one, other) for one in range(seats) for other in range(seats) if ranks[one] < ranks[other]]
    signs = {(claim.scores[one] > claim.scores[other]) - (claim.scores[one] < claim.scores[other]) for one, other in pairs}
    return signs - {0}


def result_lines(bench: Bench) -> str:
    """The line that says how a match ended depends on its result alone, and is one line."""
    describe, board = bench.game.display.describe, bench.sound.board
    if describe is None and not any(claim.message for claim in bench.claims):
        raise NotApplicable("results have no line: neither GameDisplay(describe=...) nor GameResult(message=...) is given")
    lines: dict[object, str] = {}
    for claim in bench.claims:
        line: Any = claim.message
        if describe is not None:
            line = describe(board, claim)
            again = describe(board, replace(claim, log="", notes=()))
            if not isinstance(line, str) or line != again:
                raise Violation(
                    f"describe(map, result) says {line!r:.80}, and {again!r:.80} of the same result without its log",
                    describe,
                    "make it only from the map, winner, reason, rounds, scores and counts",
                )
        if "\n" in line.rstrip("\n"):
            raise Violation(f"the line about the result has several lines: {line!r:.80}", describe or bench.manager.create)
        facts = (claim.winner, claim.reason, claim.rounds, claim.ranks, claim.scores, claim.remaining_tanks, claim.final_state)
        # A GameManager's own message may tell more than its result; the game's line must not.
        key = facts if describe is not None else (facts, line)
        if lines.setdefault(key, line) != line:
            raise Violation(
                f"two equal results read differently: {lines[key]!r:.80} and {line!r:.80}",
                describe or bench.manager.create,
                "say nothing that differs from match to match, such as times, counters or addresses",
            )
    example = next(filter(None, lines.values()), "")
    if not example:
        raise NotShown(
            f"describe(map, result) returned an empty line for {len(lines)} results", "say in a line how the match ended"
        )
    return f"{len(lines)} different result{'s' * (len(lines) != 1)}, such as {example!r}"


def same_seed(bench: Bench) -> str:
    """The same match, played again, is the same: in this process and in another one."""
    first, again = bench.sound, bench.play(bench.match())
    difference = _first_difference(first, again)
    if difference:
        raise Violation(f"the same match played again differs {difference}", bench.manager.create, SEED_ADVICE)
    fresh = bench.fresh
    if fresh is None:
        return "played twice in this process"
    difference = _differs(first.record, fresh.record)
    if difference:
        raise Violation(f"the same match in another process differs {difference}", bench.manager.create, SEED_ADVICE)
    return "played twice in this process, and once in another one"


def _first_difference(one: InlineRun, other: InlineRun) -> str:
    for number, (first, second) in enumerate(zip(one.questions, other.questions, strict=False), start=1):
        if not same_value(first.view, second.view):
            return f"in question {number}: player {first.seat} is shown something else"
        if not same_value(first.answer, second.answer):
            return f"in question {number}: player {first.seat} answers {second.answer!r:.60} and not {first.answer!r:.60}"
    return "in the number of questions" if len(one.questions) != len(other.questions) else _differs(one.record, other.record)


def _differs(one: PlayedMatch, other: PlayedMatch) -> str:
    if other.faults:
        return f"in that it fails: {other.message}"
    for name in ("winner", "reason", "rounds", "ranks", "scores", "final_state", "message", "log"):
        first, second = getattr(one.claim, name), getattr(other.claim, name)
        if first != second:
            return f"in the result: {name} is {second!r:.80} and not {first!r:.80}"
    return "in the replay" if one.replay != other.replay else ""
