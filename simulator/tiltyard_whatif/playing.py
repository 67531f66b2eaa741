"""A match that is played again, with other answers put in at some turns of one team.

A turn has the number of the round of the replay that its answer led to, as viewers count it. A team that answers several times in a
round, such as for each of its tanks, has several parts of it, from 1.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.replay import Frame, Replay, ReplayRecorder
from tiltyard_engine.seat_kinds.seat_ports import SeatObserver
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import MOST_ATTEMPTS, Arena
from tiltyard_simulator.play.view_recorder import ViewRecorder
from tiltyard_simulator.replays.encoding import encode
from tiltyard_whatif.chance import ChanceTap, Frequency
from tiltyard_whatif.choices import choices_of

Point: TypeAlias = tuple[int, int]
"""The turn of an answer, and its part."""
Changes: TypeAlias = Mapping[Point, str]
"""What is put in, in words."""
NO_CHANGES: Final[Changes] = {}


class OtherwiseError(UserError):
    """A match that was played again went another way although nothing was changed yet."""


@dataclass(frozen=True, slots=True)
class TeamAnswer:
    """An answer that a team gave."""

    turn: int
    part: int
    answer: str
    """In words."""
    view: Any = field(repr=False, compare=False)
    own: str = field(default="", repr=False, compare=False)
    """What the team's code gave, where another answer was put in its place."""

    @property
    def point(self) -> Point:
        """Where it stands in the match."""
        return self.turn, self.part


@dataclass(frozen=True, slots=True)
class Course:
    """How a match went."""

    outcome: Outcome
    replay: Replay
    decisions: tuple[TeamAnswer, ...]
    """All of the team's, if these were asked for."""
    cpu_seconds: float
    """Of all processes that took part."""

    def value(self, seat: int) -> float:
        """What it was worth for a seat: the share of the others that came after it, equal ones by half; so 1, 0.5 and 0."""
        ranks = self.outcome.ranks
        own, others = ranks[seat - 1], [rank for number, rank in enumerate(ranks, start=1) if number != seat]
        return sum((own < other) + (own == other) / 2 for other in others) / len(others) if others else 1.0

    def margin(self, seat: int) -> float:
        """How far a seat ended ahead of the best other one, in scores or in tanks that are left; 0 in games that have neither."""
        points = self.outcome.scores or self.outcome.remaining
        return points[seat - 1] - max([*points[: seat - 1], *points[seat:]]) if len(points) > 1 else 0.0


_Reseeding: TypeAlias = tuple[Point, Callable[[], object]]
"""What is called when the team has answered at a point."""


class _Interposed(SeatObserver):
    """Replaces a team's answers, and notes what it answered."""

    def __init__(
        self, rematch: Rematch, frames: Sequence[Frame], changes: Changes, *, notes: bool, after: _Reseeding | None
    ) -> None:
        self.decisions: list[TeamAnswer] = []
        self.problem = ""
        """Why an answer could not be put in."""
        self.unused = dict(changes)
        self._seat, self._choices, self._frames = rematch.seat, rematch.choices, frames
        self._has_parts, self._notes, self._after = rematch.has_parts, notes, after
        self._view: Any = None
        self._last: Point = 0, 0

    def saw(self, seat: int, part: int, view: Any) -> None:
        if seat == self._seat and not self._has_parts:
            self._view = view

    def instead(self, seat: int, part: int, answer: Any) -> Any:
        if seat != self._seat:
            return answer
        turn = len(self._frames) + 1
        number = part + 1 if self._has_parts else self._last[1] + 1 if self._last[0] == turn else 1
        self._last = point = turn, number
        if self._after is not None and self._after[0] == point:
            self._after[1]()
        text, own = self.unused.pop(point, None), answer
        if text is not None:
            try:
                answer = self._choices.answer(text, self._view, seat)
            except ValueError as error:
                self.problem = self.problem or str(error)
        if self._notes:
            words = self._choices.text(answer, self._view, seat)
            own_words = words if text is None else self._choices.text(own, self._view, seat)
            self.decisions.append(TeamAnswer(turn, number, words, self._view, own_words))
        return answer


class Rematch(AbstractContextManager["Rematch"]):
    """Plays one match again and again; close it, or use it as a context manager.

    Args:
        spec: the match. Its code must be the code that it was played with.
        seat: of the team whose answers are changed, from 1.
        slips: answers of its that were put in already, as if its code had given them. Each is given only if nothing before it
            was changed.

    Raises:
        UserError: the game doesn't say which answers there are.
    """

    def __init__(self, spec: MatchSpec, seat: int, slips: Changes = NO_CHANGES) -> None:
        game = spec.input.game.load_as(Game)
        self.spec, self.seat, self.slips = spec, seat, slips
        self.choices = choices_of(game)
        self.has_parts = isinstance(game.interface, TankInterface)
        self._game = game.name
        self._arena = Arena()
        self._tap: ChanceTap | None = None

    def __exit__(self, *_: object) -> None:
        """End all remaining processes of teams."""
        self.close()

    def close(self) -> None:
        """End all remaining processes of teams."""
        self._arena.close()
        if self._tap is not None:
            self._tap.close()

    def play(self, changes: Changes = NO_CHANGES, *, lists: bool = False, shows: bool = True) -> Course:
        """Play the match with these answers put in.

        Args:
            changes: at turns that the match has; a later one may not come any more after an earlier one.
            lists: whether the course has the team's decisions.
            shows: whether its replay says what players were shown, which takes a fifth of the time of a match of tanks.

        Raises:
            UserError: an answer isn't legal there, there is no such turn, or the machine failed again and again.
        """
        return self._course(self.spec, changes, None, lists=lists, shows=shows)

    def frequency(self, point: Point, changes: Changes, seeds: int) -> Frequency:
        """How often the team wins with these answers put in, if chance takes another course from a point on.

        Args:
            point: all before it stays as it was.
            changes: what is put in there; empty: the team's own answer.
            seeds: how many courses.

        Raises:
            UserError: the game has no chance that can be changed in the middle of a match; or as ``play``.
        """
        tap = self._tap = self._tap or ChanceTap(self.spec)
        courses = [self._course(tap.spec, changes, (point, partial(tap.reseed, seed))) for seed in range(1, seeds + 1)]
        return Frequency(sum(course.value(self.seat) == 1 for course in courses), seeds)

    def has_chance(self) -> bool:
        """Whether chance goes on after the start of the match, as far as that can be told."""
        try:
            self._tap = self._tap or ChanceTap(self.spec)
        except UserError:
            return False
        self._course(self._tap.spec, NO_CHANGES, None)
        return self._tap.was_used

    def _course(
        self, spec: MatchSpec, changes: Changes, after: _Reseeding | None, *, lists: bool = False, shows: bool = False
    ) -> Course:
        for _ in range(MOST_ATTEMPTS):
            course = self._play_once(spec, changes, after, lists, shows)
            if not course.outcome.is_void:
                return course
        raise UserError(f"the machine failed in {MOST_ATTEMPTS} attempts to play the match again: {course.outcome.message}")

    def _play_once(self, spec: MatchSpec, changes: Changes, after: _Reseeding | None, lists: bool, shows: bool) -> Course:
        first = min(changes, default=None)
        changes = {point: text for point, text in self.slips.items() if first is None or point < first} | dict(changes)
        start = time.process_time()
        recorder = ReplayRecorder(self._game, spec.input.names, spec.input.map.name)
        replay = recorder.replay
        own = _Interposed(self, replay.frames, changes, notes=lists, after=after)
        # Compiled files that share a process have no seats; where a match is traced, each is in its own.
        traced = replace(spec, recording=replace(spec.recording, replay=True, trace=spec.plays_natively, log=False))
        record = self._arena.play(traced, recorder, watching=[ViewRecorder(replay), own] if shows else [own])
        if own.problem:
            raise UserError(own.problem)
        replay.message = record.evidence.claim.message
        cells = sum(account.cpu_seconds for account in record.evidence.accounts if account.held != Isolation.INLINE)
        seconds = time.process_time() - start + cells
        if own.unused and not changes.keys() - own.unused.keys():
            raise UserError(f"{spec.input.names[self.seat - 1]} gives no answer in {point_in_words(min(own.unused))}")
        return Course(record.outcome, replay, tuple(own.decisions), seconds)


def point_in_words(point: Point, tanks: Sequence[int] = ()) -> str:
    """Such as ``turn 41``, ``turn 41, answer 2``, or with the numbers of a team's ``tanks`` ``turn 41, tank 3 (its 2nd)``."""
    turn, part = point
    if 1 < len(tanks) >= part:
        return f"turn {turn}, tank {tanks[part - 1]} (its {ordinal(part)})"
    return f"turn {turn}" if part == 1 else f"turn {turn}, answer {part}"


def ordinal(number: int) -> str:
    """Such as ``1st``, ``2nd``, ``11th``."""
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{'th' if number % 100 in (11, 12, 13) else ending}"


def first_difference(one: Replay, other: Replay) -> int | None:
    """The first round in which two replays are not the same, 0 for their start; None if they never differ."""
    if (one.width, one.height, one.squares, one.panels) != (other.width, other.height, other.squares, other.panels):
        return 0
    for number, (left, right) in enumerate(zip(one.frames, other.frames), start=1):
        if left != right:
            return number
    return None if len(one.frames) == len(other.frames) else min(len(one.frames), len(other.frames)) + 1


def check_same(recorded: Replay, course: Course, before: int | None = None) -> None:
    """Check that a match that was played again is the recorded one, byte for byte.

    Args:
        recorded: its replay; what players are called doesn't count.
        course: the match now.
        before: compare only the rounds before this one.

    Raises:
        OtherwiseError: it is not.
    """
    now = replace(course.replay, seats=recorded.seats)
    if before is None and encode(recorded) == encode(now):
        return
    first = first_difference(recorded, now)
    if before is not None and (first is None or first >= before):
        return
    where = "only the message or what players were shown" if first is None else f"round {first}" if first else "the start"
    raise OtherwiseError(
        "this match isn't the same when it is played again, so the effect of a different answer can't be known."
        f" The first difference: {where}. Either a team or the game isn't deterministic, or its code changed since"
    )
