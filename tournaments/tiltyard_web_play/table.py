"""One game with a person in a seat, played in a thread of its own that waits where the person is asked."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tiltyard_engine.errors import UserError, describe
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import Game, TankInterface
from tiltyard_engine.replay import Recorder, Replay, ReplayRecorder
from tiltyard_engine.replay.panels import Panel, TextPanel
from tiltyard_engine.results import Termination
from tiltyard_engine.rules import Picture, Rules
from tiltyard_engine.seat_kinds.seat_ports import PortFailure, SeatPort
from tiltyard_kit.terminal.rules_game import view_lines
from tiltyard_site.pages.match_scripts import only_own_words, without_words
from tiltyard_web_play.choices import LegalAnswer, LegalAnswers, answer_of, choices_of, position_of
from tiltyard_web_play.person import ACTIONS, USEFUL_ACTIONS, person_port
from tiltyard_web_play.tank_squares import tank_squares

MOST_NEWS: Final = 200
"""Turns that are told in words; those before are in the replay."""
LONGEST_ANSWER: Final = 1000
"""Characters that a person may type."""


class RestartError(BaseException):
    """Raised in the match's thread: it begins again, with the person's answers up to then. GameManagers don't catch it."""


class ClosedError(BaseException):
    """Raised in the match's thread: nobody waits for the game any more."""


class MatchRunner(Protocol):
    """Plays the table's match from its start; called again where moves are taken back."""

    def __call__(self, ports: Mapping[int, SeatPort], recorder: Recorder) -> PlayedMatch:
        """The match, with the person's seat behind these ports."""


@dataclass(frozen=True, slots=True)
class TableQuestion:
    """What the person is asked."""

    number: int
    """From 1; an answer names it, so that an old page can't answer a new question."""
    view: Any
    choices: LegalAnswers
    units: tuple[int, ...] = ()
    """The indexes of the tanks that act now; empty in a game by turns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTableOptions:
    """What a person may do, and for how long."""

    clock_seconds: float = 0
    """For all answers of the person together; 0: as long as it takes."""
    idle_seconds: float = 0
    """For one answer; then the person has left, and loses; 0: for ever."""
    takes_back: bool = True
    tells_faults: bool = True
    """Whether the person hears what the code of others said when it failed, which the result repeats."""


@dataclass(slots=True)
class _MatchState:
    """What the page sees of the match, as far as it was played."""

    replay: Replay
    question: TableQuestion | None = None
    result: PlayedMatch | None = None
    problem: str = ""
    """Why the match could not be played."""
    waits_since: float = 0.0
    view_picture: Picture | None = None
    """In a game that hides something: what the person saw when it was asked last."""
    open_frames: int = 0
    """And how many frames of the replay it could tell from that."""


class GameTable:
    """One game. All methods but those of the thread are for the server's threads.

    Args:
        game: the game; it states its rules.
        names: of the players, seat 1 first.
        seat: the person's.
        play: plays the match.
        options: what the person may do.
        on_end: called in the thread when nothing will be played any more.
    """

    def __init__(
        self,
        game: Game[Any],
        names: Sequence[str],
        seat: int,
        play: MatchRunner,
        *,
        options: GameTableOptions | None = None,
        on_end: Callable[[], None] = lambda: None,
    ) -> None:
        assert isinstance(game.rules, Rules)
        self.game, self.names, self.seat, self.options = game, tuple(names), seat, options or GameTableOptions()
        self._rules: Rules[Any, Any] = game.rules
        self._play_match, self._on_end = play, on_end
        self._news = threading.Condition()
        self.version = 1
        """Grows with everything that is new for the page."""
        self._state = _MatchState(Replay(game=game.name, width=0, height=0, squares=(), seats=self.names))
        self._answers: list[Any] = []
        """The person's answers until now."""
        self._repeats = 0
        """How many of them the match has heard since it began."""
        self._order: BaseException | Any = None
        """What the thread does next: an answer in a list, or what to raise."""
        self._interruption: BaseException | None = None
        """Why the match was stopped in the middle."""
        self._clock = self.options.clock_seconds
        self._is_closed = False
        self._began = time.monotonic()
        self._end: float | None = None
        self._waited = 0.0
        self._thread = threading.Thread(target=self._run, name="game in the browser", daemon=True)
        self._thread.start()

    # For the server's threads

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self._state.result is not None or bool(self._state.problem) or self._is_closed

    @property
    def busy_seconds(self) -> float:
        """How long the machine has worked for this game: all time but that in which the person was waited for."""
        waits = self._state.question is not None
        until = self._state.waits_since if waits else self._end or time.monotonic()
        return until - self._began - self._waited

    def replay(self) -> Replay | None:
        """The whole match, once it is over."""
        result = self._state.result
        return None if result is None else self._state.replay

    def give(self, number: int, texts: Sequence[str]) -> None:
        """Answer a question: one text, or one for each tank that acts.

        Raises:
            UserError: the question is not asked any more, or the answer isn't legal; says what is.
        """
        with self._news:
            question = self._open_question(number)
            if len(texts) != (len(question.units) or 1) or any(len(text) > LONGEST_ANSWER for text in texts):
                raise UserError("this is not an answer to the question")
            answer: Any
            if question.units:
                unknown = [text for text in texts if text not in ACTIONS]
                if unknown:
                    raise UserError(f"{unknown[0]!r:.60} is not an action; expected one of {', '.join(ACTIONS)}")
                answer = [ACTIONS[text] for text in texts]
            else:
                answer = self._read(texts[0], question.choices.position)
            self._hand_over([answer])

    def take_back(self, number: int) -> None:
        """Take the person's last answer back, and all that came after it.

        Raises:
            UserError: nothing can be taken back now.
        """
        with self._news:
            self._open_question(number)
            if not self.options.takes_back:
                raise UserError("no move can be taken back in this game")
            if not self._answers:
                raise UserError("there is no move of yours to take back")
            self._hand_over(RestartError())

    def resign(self, number: int) -> None:
        """Give the game up.

        Raises:
            UserError: nothing is asked now.
        """
        with self._news:
            self._open_question(number)
            self._hand_over(PortFailure(Termination.FORFEIT, "resigned"))

    def close(self) -> None:
        """End the game as soon as the person would be asked."""
        with self._news:
            self._is_closed = True
            self._hand_over(ClosedError())

    def join(self, seconds: float) -> None:
        """Wait until the thread has ended."""
        self._thread.join(seconds)

    def seconds_left(self) -> float | None:
        """On the person's clock; None: there is none."""
        if not self.options.clock_seconds:
            return None
        state = self._state
        thinking = time.monotonic() - state.waits_since if state.question is not None else 0.0
        return max(0.0, self._clock - thinking)

    def look(self) -> tuple[int, Replay, TableQuestion | None, PlayedMatch | None, str]:
        """The version; the board now as a replay without frames; what is asked; how it ended; why it can't be played."""
        with self._news:
            state = self._state
            return self.version, self._snapshot(state), state.question, state.result, state.problem

    def news(self) -> list[tuple[int, str]]:
        """What players did, by the number of the turn, oldest first; nothing that is hidden from the person."""
        state = self._state
        frames = state.replay.frames
        if self._rules.hides and state.result is None:
            frames = frames[: state.open_frames]
        first = max(0, len(frames) - MOST_NEWS)
        lines = []
        for turn, frame in enumerate(frames[first:], start=first + 1):
            # Where the actors are tanks, they have no names.
            actors = self.names if len(frame.actions) == len(self.names) else ()
            texts = [f"{name}: {action}" for name, action in zip(actors, frame.actions) if action] + list(frame.notes)
            if texts:
                lines.append((turn, "; ".join(texts)))
        return lines

    def tank_squares(self) -> dict[int, int]:
        """Where the person's tanks stand, by index; empty in a game without tanks."""
        theme = self.game.display.theme
        return tank_squares(self._state.replay, theme, self.seat) if self._has_tanks and theme is not None else {}

    def _open_question(self, number: int) -> TableQuestion:
        question = self._state.question
        if question is None or question.number != number:
            raise UserError("the game has gone on meanwhile; look at the board again")
        return question

    def _hand_over(self, order: Any) -> None:
        self._order = order
        # Who clicks twice must not answer twice.
        self._state.question = None
        self._news.notify_all()

    def _read(self, text: str, position: Any) -> Any:
        try:
            return answer_of(self._rules, text, position, self.seat)
        except ValueError as error:
            raise UserError(str(error)) from error

    def _snapshot(self, state: _MatchState) -> Replay:
        """What stands on the board now. What is hidden from the person stays so until the end."""
        replay, picture = state.replay, state.view_picture
        if self._rules.hides and state.result is None:
            width, height, squares, panels = _parts(picture)
        else:
            width, height = replay.width, replay.height
            squares, panels = tuple(replay.squares_after(len(replay.frames))), _panels_now(replay)
        return Replay(game=replay.game, width=width, height=height, squares=squares, panels=panels, seats=self.names)

    # In the match's thread

    def _run(self) -> None:
        try:
            while self._play_once():
                pass
        except UserError as error:
            self._tell(problem=str(error))
        except Exception as error:
            # The page must say so: the thread has nobody else to tell it.
            self._tell(problem=f"the game can't go on: {describe(error)}")
        finally:
            self._end = time.monotonic()
            self._on_end()

    def _play_once(self) -> bool:
        """Play the match from its start. Whether it begins again, because a move was taken back."""
        recorder = _TellingRecorder(self.game.name, self.names, self._changed)
        with self._news:
            self._repeats, self._interruption = 0, None
            self._state = _MatchState(recorder.replay)
        result = None
        with contextlib.suppress(RestartError, ClosedError):
            result = self._play_match({self.seat: person_port(self._has_tanks, self._ask)}, recorder)
        # What stops a match in the middle counts as its GameManager's failure, unless that lets it pass.
        if isinstance(self._interruption, RestartError):
            return True
        if result is None or self._interruption is not None:
            self._tell(problem="the game was ended")
        else:
            if not self.options.tells_faults:
                replay = recorder.replay
                replay.frames[:] = [without_words(frame, result.faults) for frame in replay.frames]
                result = only_own_words(result, {self.seat})
            recorder.replay.message = result.message
            self._tell(result=result)
        return False

    @property
    def _has_tanks(self) -> bool:
        return isinstance(self.game.interface, TankInterface)

    def _ask(self, view: Any) -> Any:
        """The next answer: one that was given before a move was taken back, or a new one."""
        if self._repeats < len(self._answers):
            answer = self._answers[self._repeats]
            if self._still_fits(view, answer):
                self._repeats += 1
                return answer
            # Somebody else answered otherwise than before.
            del self._answers[self._repeats :]
        return self._wait_for_answer(view)

    def _still_fits(self, view: Any, answer: Any) -> bool:
        if self._has_tanks:
            return len(answer) == len(view)
        return self._rules.is_legal(position_of(self._rules, view, self.seat)[0], self.seat, answer)

    def _wait_for_answer(self, view: Any) -> Any:
        if self._has_tanks:
            legal, tanks = LegalAnswers(tuple(map(LegalAnswer, USEFUL_ACTIONS))), tuple(view)
        else:
            legal, tanks = choices_of(self._rules, view, self.seat, self.names), ()
        picture = self._picture_of(view, legal) if self._rules.hides and not self._has_tanks else None
        with self._news:
            self._state.view_picture = picture
            if legal.is_certain:
                self._state.open_frames = len(self._state.replay.frames)
            self._state.question = TableQuestion(len(self._answers) + 1, view, legal, tanks)
            self._state.waits_since = time.monotonic()
            self._changed()
            order = self._next_order()
            seconds = time.monotonic() - self._state.waits_since
            self._clock -= seconds
            self._waited += seconds
            self._state.question = None
            self._changed()
            if isinstance(order, RestartError):
                self._answers.pop()
            elif isinstance(order, list):
                self._answers += order
                self._repeats += 1
                return order[0]
            self._interruption = None if isinstance(order, PortFailure) else order
        raise order

    def _picture_of(self, view: Any, legal: LegalAnswers) -> Picture:
        """What the person sees of a view, in a game that hides something."""
        picture = self._rules.draw_view(view, self.seat, self.names)
        if picture is None and legal.is_certain:
            picture = self._rules.draw(legal.position, self.names)
        return picture or Picture(panels=[TextPanel("What you see", view_lines(view))])

    def _next_order(self) -> Any:
        """What the person wants; or what an empty clock, or nobody at the page, comes to."""
        options = self.options
        clock = max(self._clock, 0.001) if options.clock_seconds else 0
        seconds = min([each for each in (options.idle_seconds, clock) if each], default=None)
        if self._is_closed:
            return ClosedError()
        self._order = None
        if self._news.wait_for(lambda: self._order is not None, seconds):
            order, self._order = self._order, None
            return order
        if options.clock_seconds and seconds is not None and self._clock <= seconds:
            return PortFailure(Termination.TIMEOUT, f"all {options.clock_seconds:g} s of the clock are used up")
        return PortFailure(Termination.FORFEIT, f"did not answer for {options.idle_seconds:g} s")

    def _tell(self, result: PlayedMatch | None = None, problem: str = "") -> None:
        with self._news:
            self._state.result, self._state.problem = result, problem
            self._changed()

    def _changed(self) -> None:
        with self._news:
            self.version += 1
            self._news.notify_all()


class _TellingRecorder(ReplayRecorder):
    """A recorder whose replay somebody looks at meanwhile."""

    def __init__(self, game: str, names: Sequence[str], tell: Callable[[], None]) -> None:
        super().__init__(game, names)
        self._tell = tell

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        super().start(width, height, squares, panels)
        self._tell()

    def _keep(self, frame: Any) -> None:
        super()._keep(frame)
        self._tell()


def _parts(picture: Picture | None) -> tuple[int, int, tuple[str, ...], tuple[Panel, ...]]:
    if picture is None:
        return 0, 0, (), ()
    squares = tuple(token for row in picture.rows for token in row)
    return len(picture.rows[0]) if picture.rows else 0, len(picture.rows), squares, tuple(picture.panels)


def _panels_now(replay: Replay) -> tuple[Panel, ...]:
    panels = {panel.title: panel for panel in replay.panels}
    for frame in replay.frames:
        panels.update({panel.title: panel for panel in frame.panels})
    return tuple(panels.values())
