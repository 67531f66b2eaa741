"""A match that is watched while it is played."""

from __future__ import annotations

from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event, Thread
from typing import Any

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Frame, ReplayRecorder
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import play_match


class LiveMatch(ReplayRecorder):
    """Plays a match in its own thread, and passes its frames on as they come.

    Its replay contains the start board after ``started``, and the message after the match, but no frames.
    """

    def __init__(self, game: str, spec: MatchSpec) -> None:
        super().__init__(game, spec.input.names, spec.input.map.name)
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

    def start(self, *board: Any, **options: Any) -> None:
        """Keep the start board and panels."""
        super().start(*board, **options)
        self._has_start = True
        self._started.set()

    def frame(self, *parts: Any, **options: Any) -> None:
        """Pass a round on."""
        super().frame(*parts, **options)
        self._frames.put(self.replay.frames.pop())

    def _play(self) -> None:
        try:
            self.record = play_match(self._spec, self)
            self.replay.message = self.record.outcome.message
        except BaseException as error:
            self._error = error
        self._frames.put(None)
        self._started.set()
