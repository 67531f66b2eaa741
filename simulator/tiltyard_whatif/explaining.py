"""Why a team lost one match: all that ``tiltyard why`` says about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.results import Fault
from tiltyard_whatif.chance import Frequency
from tiltyard_whatif.destroyed import tank_numbers
from tiltyard_whatif.findings import MOST_MOMENTS, Findings, Moment
from tiltyard_whatif.notes import Notes
from tiltyard_whatif.playing import Course, OtherwiseError, Rematch
from tiltyard_whatif.search import AT_ONCE, Result, in_processes, search, turns_of
from tiltyard_whatif.stored import StoredGame, played_again
from tiltyard_whatif.versions import NO_VERSIONS, SHARE, VersionFindings, Versions, ask_version, try_version

DECISIVE: Final = 0.25
"""Where the mean chance falls by so much, one answer is called the mistake that decided the match."""


class Kind(StrEnum):
    """How a match was lost."""

    WON = "won"
    """It was not lost."""
    FAULT = "fault"
    """The team failed."""
    MISTAKE = "mistake"
    """One answer decided it: other answers helped before, hardly any afterwards."""
    MANY = "many"
    """Other answers would have helped, but none decided it alone."""
    LOST = "nothing helped"
    """All other answers were tried, and none helped: from the start, the match was lost or could not be won."""
    OPEN = "nothing helped so far"
    """None of the answers that were tried helped."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What is known of why a team lost a match."""

    game: StoredGame
    seat: int
    recorded: Course
    findings: Findings
    kind: Kind
    moments: tuple[Moment, ...] = ()
    """The best ones, the most decisive first. Each was played once more, and came out the same."""
    continuations: tuple[Course, ...] = ()
    """Of the moments, how the match went with the best answer there."""
    frequencies: tuple[tuple[Frequency, Frequency], ...] = ()
    """Of the moments, how often the team wins with its own answer and with the best one, where chance takes other courses from
    there on. No answer was chosen by these."""
    has_chance: bool = False
    """Whether chance goes on after the start of the match: then the best answer here may be a bad one."""
    cpu_seconds: float = 0.0
    """That this look took."""
    fault: Fault | None = None
    versions: tuple[VersionFindings, ...] = ()
    """What other versions of the team would have answered."""

    @property
    def tanks(self) -> list[int]:
        """The numbers of its tanks in the replay, its own first tank first; empty in games without tanks."""
        has_tanks = isinstance(self.game.spec.input.game.load_as(Game).interface, TankInterface)
        return tank_numbers(self.recorded.replay, self.seat) if has_tanks else []

    @property
    def team(self) -> str:
        """The name of the team that is to know."""
        return self.game.spec.input.names[self.seat - 1]


def explain(
    game: StoredGame,
    seat: int,
    folder: Path,
    cpu_seconds: float,
    *,
    workers: int = 1,
    seeds: int = 0,
    versions: Versions = NO_VERSIONS,
    tell: Callable[[int, int, float], object] = lambda tried, possible, spent: None,
) -> Explanation:
    """Look for the answers that decided a match.

    Args:
        game: the match.
        seat: of the team that is to know.
        folder: the tournament's output folder, where results are noted.
        cpu_seconds: no answer is tried any more after so many; those of an earlier look don't count.
        workers: processes that try answers at once.
        seeds: how many other courses of chance are played from each moment on, in a game of chance.
        versions: other versions of the team, which are asked as well; that takes up to a quarter of the time more.
        tell: hears how many answers of how many were tried, and the CPU seconds so far.

    Raises:
        OtherwiseError: the match isn't the same when it is played again.
        UserError: the game doesn't say which answers there are, or the notes can't be written.
    """
    with Rematch(game.spec, seat) as rematch:
        recorded = played_again(game, rematch)
        value, fault = recorded.value(seat), game.fault_of(seat)
        if value == 1 or fault is not None:
            return Explanation(game, seat, recorded, Findings((), value), Kind.WON if fault is None else Kind.FAULT, fault=fault)
        turns = turns_of(recorded.decisions, rematch, game.spec.place.key)
        findings = Findings(turns, value, recorded.margin(seat))
        notes = Notes(folder, game.spec.place.key, seat)
        by_point: dict[Any, Any] = {turn.decision.point: turn for turn in turns}
        for point, trial in notes.read():
            if point in by_point and trial.answer in by_point[point].others:
                by_point[point].trials[trial.answer] = trial
        spent = 0.0

        def note(result: Result) -> None:
            nonlocal spent
            notes.add(*result)
            spent += result[2]
            tell(findings.trials, findings.possible, spent)

        with in_processes(rematch, recorded.replay, workers) as try_answers:
            search(findings, try_answers, cpu_seconds, note, max(AT_ONCE, workers))
            share = cpu_seconds * SHARE / max(1, len(versions))
            asked_versions = [ask_version(name, each, seat, recorded, turns) for name, each in versions.items()]
            tried = tuple(try_version(version, try_answers, share) for version in asked_versions)
        moments = findings.moments()[:MOST_MOMENTS]
        continuations = [_confirmed(rematch, moment) for moment in moments]
        frequencies = [_frequencies(rematch, moment, seeds) for moment in moments if seeds]
        has_chance = bool(moments) and rematch.has_chance()
    spent += recorded.cpu_seconds + sum(course.cpu_seconds for course in continuations)
    spent += sum(version.cpu_seconds for version in tried)
    if moments:
        kind = Kind.MISTAKE if moments[0].before - moments[0].after >= DECISIVE else Kind.MANY
    else:
        kind = Kind.LOST if findings.trials == findings.possible else Kind.OPEN
    moments_and_more = tuple(moments), tuple(continuations), tuple(frequencies)
    return Explanation(game, seat, recorded, findings, kind, *moments_and_more, has_chance, spent, versions=tried)


def _frequencies(rematch: Rematch, moment: Moment, seeds: int) -> tuple[Frequency, Frequency]:
    point = moment.turn.decision.point
    return rematch.frequency(point, {}, seeds), rematch.frequency(point, {point: moment.best.answer}, seeds)


def _confirmed(rematch: Rematch, moment: Moment) -> Course:
    """The match with a moment's best answer, which must come to what was found."""
    course = rematch.play({moment.turn.decision.point: moment.best.answer})
    if course.value(rematch.seat) != moment.best.value:
        raise OtherwiseError(
            f"with '{moment.best.answer}' in turn {moment.turn.decision.turn}, the match had a different result when it was"
            " played again: a team isn't deterministic, so the effect of a different answer can't be known"
        )
    return course
