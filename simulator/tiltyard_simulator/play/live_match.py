"""A match that is watched while it is played."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from queue import SimpleQueue
from threading import Event, Thread

from tiltyard_engine.errors import ContractError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.panels import Panel, checked_panels
from tiltyard_engine.replay import Frame, Recorder, Replay, board_problem, changes_problem
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import play_match


class LiveMatch(Recorder):
    """Plays a match in its own thread, and passes its frames on as they come."""

    def __init__(self, game: str, spec: MatchSpec) -> None:
        self.replay = Replay(game=game, width=0, height=0, squares=(), seats=spec.names, title=spec.map.name)
        """Contains the start board after ``started``, and the message after the match, but no frames."""
        self.record: MatchRecord | None = None
        self._spec = spec
        self._frames: SimpleQueue[Frame | None] = SimpleQueue()
        self._started = Event()
        self._has_start = False
        self._error: BaseException | None = None
        Thread(target=self._play, name="match", daemon=True).start()

    def started(self) -> bool:
        """Wait for the start board; False if the match ended without one.

        Raises:
            UserError: the match could not be set up.
        """
        self._started.wait()
        if self._error is not None:
            raise self._error
        return self._has_start

    def frames(self) -> Iterator[Frame]:
        """The frames as they come. Can be used only once."""
        while (frame := self._frames.get()) is not None:
            yield frame
        if self._error is not None:
            raise self._error

    def start(self, width: int = 0, height: int = 0, squares: Sequence[str] = (), panels: Sequence[Panel] = ()) -> None:
        """Keep the start board and panels."""
        if problem := board_problem(width, height, squares):
            raise ContractError(problem)
        self.replay.width, self.replay.height, self.replay.squares = width, height, tuple(squares)
        self.replay.panels = checked_panels(panels)
        self._has_start = True
        self._started.set()

    def frame(
        self,
        changes: Iterable[tuple[int, str]] = (),
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
        panels: Sequence[Panel] = (),
    ) -> None:
        """Pass a round on."""
        kept = tuple(changes)
        if problem := changes_problem(kept, self.replay.width, self.replay.height):
            raise ContractError(problem)
        self._frames.put(Frame(kept, tuple(actions), tuple(scores), tuple(notes), checked_panels(panels)))

    def _play(self) -> None:
        try:
            self.record = play_match(self._spec, self)
            self.replay.message = self.record.message
        except BaseException as error:
            self._error = error
        self._frames.put(None)
        self._started.set()
