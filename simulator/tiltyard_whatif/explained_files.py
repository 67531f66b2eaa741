"""An explanation as pages show it, and the files beside the store from which a site takes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.replays.files import pack
from tiltyard_site.explained.explained import (
    UNEXPLAINED,
    Explained,
    ExplainedMoment,
    ExplainedTurn,
    FaultRow,
    explained_path,
    replay_path,
)
from tiltyard_whatif.destroyed import lost_tanks
from tiltyard_whatif.explaining import Explanation
from tiltyard_whatif.findings import Moment
from tiltyard_whatif.playing import Course, Point, point_in_words
from tiltyard_whatif.stored import StoredGame
from tiltyard_whatif.words import moment_in_words, strip, what_is_said

MEANINGS: Final = {
    "W": "could still be won",
    "T": "could still be tied",
    "+": "could be better",
    "-": "nothing better",
    ".": "not tried",
}


def explained_of(explanation: Explanation, spent_before: float = 0.0) -> Explained:
    """All that a page says about it.

    Args:
        explanation: what is known.
        spent_before: CPU seconds of earlier looks.
    """
    game, findings = explanation.game, explanation.findings
    outcomes = [explanation.recorded.outcome, *(course.outcome for course in explanation.continuations)]
    return Explained(
        **_place(game, explanation.seat),
        kind=explanation.kind.value,
        lines=tuple(map(public_text, what_is_said(explanation))),
        moments=tuple(_moment(explanation, *pair) for pair in zip(explanation.moments, explanation.continuations)),
        turns=tuple(_turns(explanation)),
        has_faults=bool(findings.failures) or any(outcome.faults for outcome in outcomes),
        tried=findings.trials,
        failures=tuple(findings.failures.items()),
        is_whole=findings.trials == findings.possible,
        cpu_seconds=spent_before + explanation.cpu_seconds,
    )


def unexplained(game: StoredGame, seat: int, problem: str, cpu_seconds: float = 0.0) -> Explained:
    """A match of which nobody can say why it was lost, after so many CPU seconds."""
    return Explained(**_place(game, seat), kind=UNEXPLAINED, is_whole=False, cpu_seconds=cpu_seconds, problem=public_text(problem))


def write_explained(store: Path, explained: Explained, explanation: Explanation | None = None) -> None:
    """Write it beside the store, with the replays of its moments.

    Raises:
        UserError: it can't be written.
    """
    path = explained_path(store, explained.key, explained.seat)
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        for number, course in enumerate(explanation.continuations if explanation else (), start=1):
            course.replay.message = public_text(course.replay.message)
            beside.write_bytes(pack(course.replay))
            beside.replace(replay_path(store, explained.key, explained.seat, number))
        beside.write_bytes(msgspec.json.encode(explained))
        beside.replace(path)
    except OSError as error:
        raise UserError(f"{path}: cannot be written: {error.strerror}") from error


def _place(game: StoredGame, seat: int) -> dict[str, Any]:
    place, match = game.spec.place, game.spec.input
    others = " - ".join(name for number, name in enumerate(match.names, start=1) if number != seat)
    return {
        "key": place.key,
        "number": place.number + 1,
        "seat": seat,
        "team": match.names[seat - 1],
        "opponents": others,
        "map": match.map.name,
        "lost_tanks": () if game.replay is None else lost_tanks(game.replay, seat),
    }


def _moment(explanation: Explanation, moment: Moment, course: Course) -> ExplainedMoment:
    decision = moment.turn.decision
    return ExplainedMoment(
        turn=decision.turn,
        part=decision.part,
        answer=decision.answer,
        better=moment.best.answer,
        where=_where(decision.point, explanation),
        cost=moment.cost,
        text=public_text(moment_in_words(explanation, moment, course)),
        winner=course.outcome.winner,
        rounds=len(course.replay.frames),
        message=public_text(course.outcome.message),
        faults=tuple(_faults(course.outcome)),
    )


def _where(point: Point, explanation: Explanation) -> str:
    return point_in_words(point, explanation.tanks).removeprefix("turn ").partition(" (")[0]


def _faults(outcome: Outcome) -> Iterator[FaultRow]:
    for fault in outcome.faults:
        yield fault.seat, fault.termination.value, public_text(fault.message), fault.round


def _turns(explanation: Explanation) -> Iterator[ExplainedTurn]:
    tanks = explanation.tanks
    for turn, mark in zip(explanation.findings.turns, strip(explanation)):
        best = turn.best(explanation.findings.value)
        words = f"{point_in_words(turn.decision.point, tanks)}, '{one_line(turn.decision.answer)}': {MEANINGS[mark]}"
        words += f" with '{one_line(best.answer)}'" if best is not None else ""
        yield ExplainedTurn(turn.decision.turn, turn.decision.part, mark, words)
