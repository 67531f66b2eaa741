"""What other versions of a team would have answered in a match, and what would have come of it.

The match is played with the other version in the team's seat, and each of its answers is replaced by the one that was recorded. So
it is asked in all positions of the match. It isn't told that the game got another answer: a program that remembers its own answers
instead of looking at the position may give another answer than in a match of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_whatif.findings import Trial, Turn
from tiltyard_whatif.playing import Course, Point, Rematch, first_difference
from tiltyard_whatif.search import TryAnswers

Versions: TypeAlias = Mapping[str, MatchSpec]
"""The match with another version in the team's seat, by what it is called."""
NO_VERSIONS: Final[Versions] = {}
SHARE: Final = 0.25
"""All versions together may take this share of the CPU seconds of a search, beside it."""


@dataclass(frozen=True, slots=True)
class VersionFindings:
    """What a version would have answered, and what would have come of that."""

    name: str
    asked_turns: int = 0
    others: Sequence[tuple[Turn, str]] = ()
    """Where it answers differently, and what."""
    trials: Sequence[tuple[Turn, Trial]] = ()
    """The result of these, as far as they were tried, the last one first."""
    cpu_seconds: float = 0.0
    problem: str = ""
    """Why it could not be asked."""


def in_seat(spec: MatchSpec, seat: int, version: Reference, policy: IsolationPolicy) -> MatchSpec:
    """A match with a version in a team's seat, under the team's name, isolated as a policy says.

    Raises:
        UserError: this machine can't confine it.
    """
    teams = list(spec.input.teams)
    teams[seat - 1] = replace(version, shown=spec.input.names[seat - 1])
    return policy.apply(replace(spec, input=replace(spec.input, teams=tuple(teams))))


def versions_of(words: Sequence[str], spec: MatchSpec, seat: int, policy: IsolationPolicy) -> Versions:
    """The match with each of the versions that were named on the command line.

    Raises:
        UserError: one isn't there, or is no team of this game.
    """
    finder = Finder(open_registry(policy)) if words else None
    game = spec.input.game.name
    return {} if finder is None else {word: in_seat(spec, seat, finder.plugin(word, ALGORITHM, game), policy) for word in words}


def answers_of(spec: MatchSpec, seat: int, recorded: Course) -> tuple[Mapping[Point, str], float]:
    """What the version in a seat answers in the positions of a match, and the CPU seconds that it took to ask it.

    After a turn in which it fails, or at which chance depends on who is asked, it is asked nothing more.

    Raises:
        UserError: an answer of the match can't be given in its place.
    """
    with Rematch(spec, seat) as rematch:
        course = rematch.play({decision.point: decision.answer for decision in recorded.decisions}, lists=True, shows=False)
    first = first_difference(recorded.replay, course.replay)
    answers = {each.point: each.own for each in course.decisions if first is None or each.turn <= first}
    return answers, course.cpu_seconds


def ask_version(name: str, spec: MatchSpec, seat: int, recorded: Course, turns: Sequence[Turn]) -> VersionFindings:
    """Ask a version in the positions of a match; nothing is tried yet.

    Args:
        name: what it is called.
        spec: the match, with it in the seat.
        seat: from 1.
        recorded: the match as it was played, with the team's decisions.
        turns: the team's turns.
    """
    try:
        answers, seconds = answers_of(spec, seat, recorded)
    except UserError as error:
        return VersionFindings(name, problem=str(error))
    asked_turns = [turn for turn in turns if turn.decision.point in answers]
    others = [(turn, answers[turn.decision.point]) for turn in asked_turns]
    return VersionFindings(name, len(asked_turns), [(turn, text) for turn, text in others if text in turn.others], (), seconds)


def try_version(version: VersionFindings, try_answers: TryAnswers, cpu_seconds: float) -> VersionFindings:
    """Put a version's answers into the match one by one, the last one first, for so many CPU seconds.

    What was tried already isn't tried again. Nothing is added to the turns: the search chooses its answers by chance, and its
    figures for a turn would be others.
    """
    trials: list[tuple[Turn, Trial]] = []
    spent = version.cpu_seconds
    for turn, text in reversed(version.others):
        trial = turn.trials.get(text)
        if trial is None and spent < cpu_seconds:
            ((_, trial, seconds),) = try_answers([(turn.decision.point, text)])
            spent += seconds
        if trial is not None:
            trials.append((turn, trial))
    return replace(version, trials=trials, cpu_seconds=spent)
