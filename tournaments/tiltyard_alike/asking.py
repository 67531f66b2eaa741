"""What teams answer to the positions of a match that others played.

A match is played again as it was, and each answer is noted. Then a team is put into all of its seats at once. It is asked in its
turn, its own answer is noted, and the GameManager gets the recorded one. So the team sees the whole match from its start and can
remember what it likes, in any game and however its code is held, and all teams see the same.

Where a team fails, it answers nothing from there on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Frame, Replay, ReplayRecorder
from tiltyard_engine.seat_kinds.seat_ports import SeatObserver
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_whatif.choices import Choices, choices_of

LONGEST_ANSWER: Final = 200
"""Characters of an answer in words; what is longer is told apart by them alone."""


class AskedPosition(msgspec.Struct, frozen=True, array_like=True):
    """A turn of one seat, or of one of its tanks."""

    turn: int
    """The round of the replay that its answer led to, from 1."""
    seat: int
    part: int
    answer: str
    """The recorded one, in words."""


class AskedCourse(msgspec.Struct, frozen=True):
    """A match as it was played again, with every answer."""

    positions: tuple[AskedPosition, ...]
    values: tuple[Any, ...]
    """The answers themselves, as the game has them."""
    replay: Replay
    seconds: float
    """CPU time."""


class TeamAnswers(msgspec.Struct, frozen=True):
    """What a team answers to the positions of a match."""

    answers: tuple[str | None, ...]
    """In the order of the positions; None: it gave none."""
    seconds: float
    problem: str = ""
    """Why it gave no more answers."""


class _Notes(SeatObserver):
    """Notes all answers of a match; with a course, it plays the answers of that instead."""

    def __init__(self, frames: Sequence[Frame], words: Callable[[Any, Any, int], str], course: AskedCourse | None = None) -> None:
        self.positions: list[AskedPosition] = []
        self.values: list[Any] = []
        self.has_stopped = False
        """Whether the match goes another way from now on."""
        self._frames, self._words, self._course = frames, words, course
        self._views: dict[int, Any] = {}
        self._is_answered = False

    def saw(self, seat: int, part: int, view: Any) -> None:
        self._views[seat] = view

    def instead(self, seat: int, part: int, answer: Any) -> Any:
        self._is_answered = True
        if self.has_stopped:
            return answer
        number = len(self.positions)
        words = self._words(answer, self._views.get(seat), seat)[:LONGEST_ANSWER]
        position = AskedPosition(len(self._frames) + 1, seat, part, words)
        if self._course is not None:
            recorded = self._course.positions[number] if number < len(self._course.positions) else None
            if recorded is None or (recorded.turn, recorded.seat, recorded.part) != (position.turn, seat, part):
                self.has_stopped = True
                return answer
        self.positions.append(position)
        self.values.append(answer)
        return answer if self._course is None else self._course.values[number]

    def answered(self, seat: int, part: int, answer: Any) -> None:
        # A seat that has failed gives no answer that could be replaced.
        self.has_stopped |= not self._is_answered
        self._is_answered = False


class Questioner:
    """Asks teams; close it, or use it as a context manager."""

    def __init__(self, game: Game[Any]) -> None:
        self._game = game
        self._arena = Arena()
        self._words = _words_of(game)

    def __enter__(self) -> Questioner:
        """Nothing is started until it is needed."""
        return self

    def __exit__(self, *_: object) -> None:
        """End all remaining processes of teams."""
        self._arena.close()

    def course(self, spec: MatchSpec) -> AskedCourse:
        """Play a match as it was.

        Raises:
            UserError: it can't be played.
        """
        notes, replay, seconds, _ = self._play(spec, None)
        return AskedCourse(tuple(notes.positions), tuple(notes.values), replay, seconds)

    def ask(self, spec: MatchSpec, course: AskedCourse) -> TeamAnswers:
        """Ask a team the positions of a course.

        Args:
            spec: the match with the team in all seats, as ``asking`` makes it.
            course: of the match.

        Raises:
            UserError: the match can't be set up.
        """
        notes, replay, seconds, problem = self._play(spec, course)
        answers: list[str | None] = [position.answer for position in notes.positions]
        number = len(answers)
        # Where the match itself went another way, its views were others as well.
        frames = zip(course.replay.frames, replay.frames)
        first = next((turn for turn, (one, other) in enumerate(frames, start=1) if one.changes != other.changes), None)
        if first is not None:
            number = next((at for at, position in enumerate(notes.positions) if position.turn > first), number)
            problem = problem or f"the match goes another way from round {first} on"
        missing = [None] * (len(course.positions) - number)
        return TeamAnswers((*answers[:number], *missing), seconds, problem if missing else "")

    def _play(self, spec: MatchSpec, course: AskedCourse | None) -> tuple[_Notes, Replay, float, str]:
        start = time.process_time()
        recorder = ReplayRecorder(self._game.name, spec.input.names, spec.input.map.name)
        notes = _Notes(recorder.replay.frames, self._words, course)
        # Compiled files that share a process have no seats; where a match is traced, each is in its own.
        traced = replace(spec, recording=replace(spec.recording, replay=True, trace=spec.plays_natively, log=False))
        record = self._arena.play(traced, recorder, watching=[notes])
        cells = sum(account.cpu_seconds for account in record.evidence.accounts if account.held != Isolation.INLINE)
        faults = [f"{fault.termination.value}: {fault.message}" for fault in record.outcome.faults]
        problem = one_line(faults[0] if faults else "")
        return notes, recorder.replay, time.process_time() - start + cells, problem


def asking(spec: MatchSpec, team: Reference, apply: Callable[[MatchSpec], MatchSpec]) -> MatchSpec:
    """A match with one team in all seats.

    Args:
        spec: the match.
        team: who is asked.
        apply: isolates the seats, as ``IsolationPolicy.apply``.

    Raises:
        UserError: a sandbox is needed, but does not work on this machine.
    """
    return apply(replace(spec, input=replace(spec.input, teams=(team,) * len(spec.input.teams))))


def _words_of(game: Game[Any]) -> Callable[[Any, Any, int], str]:
    try:
        choices: Choices = choices_of(game)
    except UserError:
        # A game that doesn't state its rules: its answers are told apart as they print themselves.
        return lambda answer, view, seat: str(answer)
    return choices.text
