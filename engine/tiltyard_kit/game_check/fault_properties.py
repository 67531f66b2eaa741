"""Properties of a match in which a team does something wrong: it alone is charged, and the match comes to an end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from tiltyard_engine.records import TurnInterface
from tiltyard_engine.results import MANAGER_SEAT, GameResult, Termination, claim_problem
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.inline_match import InlineRun
from tiltyard_kit.game_check.bench.inputs import for_all, strategies, values_of
from tiltyard_kit.game_check.bench.meddling import meddling
from tiltyard_kit.game_check.bench.other_answers import LONG_MATCH, shown_in, turns_of
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation
from tiltyard_kit.game_check.result_properties import manager_raised
from tiltyard_kit.game_check.rules_properties import plays_without

TRIED_ANSWERS: Final = 25
FEWER_ANSWERS: Final = 10
BROKEN: Final = "a crash on purpose"


def _play_meddled(bench: Bench, seat: int, turn: int, act: Callable[[], Any]) -> InlineRun:
    teams = list(bench.teams_for(bench.seats))
    teams[seat - 1] = meddling(teams[seat - 1], turn, act)
    return bench.play(replace(bench.match(), teams=teams))


def _check_blame(bench: Bench, run: InlineRun, seat: int, what: str) -> bool:
    """Whether the seat was charged. Raises Violation if anybody else was, or if there is no sound result."""
    if run.error is not None:
        raise manager_raised(run, bench, f"when player {seat} {what}, ")
    problem = claim_problem(run.result, bench.seats)
    if problem:
        raise Violation(f"when player {seat} {what}, the result was not sound: {problem}", bench.manager.create)
    assert isinstance(run.result, GameResult)
    for fault in run.record.faults:
        if fault.seat not in (seat, MANAGER_SEAT) and fault.termination is not Termination.CRASH:
            raise Violation(
                f"when player {seat} {what}, player {fault.seat} was charged with it: {fault.message}",
                bench.manager.create,
                "charge the seat that was asked: seat.charge(...)",
            )
    is_charged = any(fault.seat == seat for fault in run.record.faults)
    if is_charged and run.result.winner == seat and bench.manager.on_fault == "raise":
        raise Violation(
            f"when player {seat} {what}, it was charged, and won all the same",
            bench.manager.create,
            "a seat that failed is ranked below all seats that did not",
        )
    return is_charged


def illegal_answers(bench: Bench) -> str:
    """Whatever a seat answers, the match comes to a sound result, and nobody else is charged."""
    interface = bench.game.interface
    if not isinstance(interface, TurnInterface):
        raise NotApplicable("every action of a tank is legal; answers of another type are the engine's to charge")
    st = strategies()
    questions = bench.sound.questions
    turns = [(seat, turn) for seat in range(1, bench.seats + 1) for turn in turns_of(questions, seat)]
    if not turns:
        raise NotShown("no team answered anything in the first match: see 'answers matter'")
    refused = mattered = 0

    def check(made_up: tuple[tuple[int, int], Any]) -> None:
        nonlocal refused, mattered
        (seat, turn), answer = made_up
        run = _play_meddled(bench, seat, turn, lambda: answer)
        is_charged = _check_blame(bench, run, seat, f"answered {answer!r:.80} in its turn {turn + 1}")
        refused += is_charged
        mattered += not is_charged and not _is_alike(run, bench.sound)

    tried = FEWER_ANSWERS if len(questions) >= LONG_MATCH else TRIED_ANSWERS
    for_all(st.tuples(st.sampled_from(turns), values_of(interface.answer_type)), check, tried)
    if not refused and not mattered:
        raise NotShown(
            f"{tried} answers made up: none of them was refused, and none changed the match",
            "use each answer, and refuse what the rules don't allow: raise seat.charge(Termination.ILLEGAL_MOVE, 'why')",
        )
    note = f"; {mattered} were played by the rules" if mattered else ""
    return f"{tried} answers made up, {refused} of them refused{note}"


def _is_alike(one: InlineRun, other: InlineRun) -> bool:
    """Whether two matches ended alike, and their seats were shown the same."""
    first, second = (replace(run.record.claim, log="") for run in (one, other))
    return first == second and same_value(shown_in(one), shown_in(other))


def failing_seats(bench: Bench) -> str:
    """A seat that crashes at its start or in a turn is charged, and nobody else is. Rules then ask it no more."""

    def crash() -> Any:
        raise RuntimeError(BROKEN)

    note = plays_without(bench)
    tried = 0
    missed: list[str] = []
    own_faults: list[str] = []
    for seat in range(1, bench.seats + 1):
        for turn in (-1, 0):
            run = _play_meddled(bench, seat, turn, crash)
            what = "crashed at the start" if turn < 0 else "crashed in its first turn"
            was_reached = any(BROKEN in fault.message for fault in run.record.faults)
            _check_blame(bench, run, seat, what)
            tried += was_reached
            if not was_reached:
                missed.append(f"player {seat} never {what}")
                own_faults += [f"player {fault.seat} failed by itself: {fault.message}" for fault in run.record.faults]
    if missed:
        detail = f"{tried} crashes, each charged to its seat; but {', '.join(missed)}"
        if own_faults:
            raise NotShown(f"{detail}: {'; '.join(dict.fromkeys(own_faults))}", "first mend this player: see 'plays'")
        asks = "to_move() must name" if bench.game.rules else "run() of the GameManager must call start() and choose() of"
        raise NotShown(f"{detail}: it was not asked", f"{asks} each seat, or name a map on which all are asked: --map")
    return f"{tried} crashes, each charged to its seat{note}"
