"""A match as it is played: a recorder whose frames another thread can wait for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from queue import SimpleQueue
from threading import Event, Thread

from tiltyard_engine.replay import Frame, Recorder, Replay
from tiltyard_simulator.playing import play_match
from tiltyard_simulator.specs import MatchOutcome, MatchSpec


class LiveMatch(Recorder):
    """Plays a match in a thread of its own and hands its frames on as they come."""

    def __init__(self, game: str, spec: MatchSpec) -> None:
        self.replay = Replay(game, 0, 0, (), spec.names, spec.map.name)
        """Holds the start board once ``started`` returned, and the message once the match is over; no frames."""
        self.outcome: MatchOutcome | None = None
        self._spec = spec
        self._frames: SimpleQueue[Frame | None] = SimpleQueue()
        self._started = Event()
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
        return bool(self.replay.squares)

    def frames(self) -> Iterator[Frame]:
        """The frames, waiting for each; once only."""
        while (frame := self._frames.get()) is not None:
            yield frame
        if self._error is not None:
            raise self._error

    def start(self, width: int, height: int, squares: Sequence[str]) -> None:
        """Take the start board."""
        self.replay.width, self.replay.height, self.replay.squares = width, height, tuple(squares)
        self._started.set()

    def frame(
        self,
        changes: Iterable[tuple[int, str]],
        actions: Sequence[str] = (),
        scores: Sequence[float] = (),
        notes: Sequence[str] = (),
    ) -> None:
        """Hand a round on."""
        self._frames.put(Frame(tuple(changes), tuple(actions), tuple(scores), tuple(notes)))

    def _play(self) -> None:
        try:
            self.outcome = play_match(self._spec, self)
            self.replay.message = self.outcome.message
        except BaseException as error:
            self._error = error
        self._frames.put(None)
        self._started.set()
