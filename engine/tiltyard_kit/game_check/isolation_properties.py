"""That a whole match goes the same way however the code of teams and GameManager is isolated."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from tiltyard_engine.results import MANAGER_SEAT
from tiltyard_kit.game_check.bench.bench import Bench
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, Violation

ADVICE = "keep no state in modules, show and answer only values of the declared types, and take all chance from match.seed"


def isolated(seats: str, manager: str) -> Callable[[Bench], str]:
    """The property for one way to isolate the code."""
    return partial(_plays_the_same, seats, manager)


def _plays_the_same(seats: str, manager: str, bench: Bench) -> str:
    here = bench.sound.record
    there = bench.play_isolated(bench.match(), seats, manager)
    if there.is_void:
        raise NotApplicable(f"the machine failed: {there.message}")
    if there.faults:
        fault = there.faults[0]
        who = "the GameManager" if fault.seat == MANAGER_SEAT else f"player {fault.seat}"
        raise Violation(f"{who} failed: {fault.termination.value}: {fault.message}", bench.manager.create, ADVICE)
    for what, one, other in (
        ("result", here.claim, there.claim),
        ("replay", _pictures(here.replay), _pictures(there.replay)),
    ):
        if one != other:
            raise Violation(f"the {what} differs from the inline one", bench.manager.create, ADVICE)
    return f"the same {there.rounds} rounds as inline; {', '.join(dict.fromkeys(there.held))}"


def _pictures(replay: object) -> object:
    return None if replay is None else (replay.squares, replay.frames, replay.panels)  # type: ignore[attr-defined]
