"""Send the events of a run to the observers of plugins, each in its own thread, so that matches don't wait for them."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from tiltyard_engine.lifecycle import Event, Observer, TournamentObserver, tell
from tiltyard_tournaments.running.tournament import ConfiguredPlugin

LAST_WORD_SECONDS: Final = 30.0
"""How long the end of a run waits for all observers together to have heard everything."""


class Observers:
    """All observers of a run. They get every event; close this when the run has ended.

    Args:
        plugins: who they are.
        say: told of each observer's first failure at once, and of the number of others at the end; from any thread.
        seconds: as LAST_WORD_SECONDS.
    """

    def __init__(self, plugins: Sequence[ConfiguredPlugin], say: Callable[[str], None], seconds: float = LAST_WORD_SECONDS) -> None:
        self._say = say
        self._seconds = seconds
        self._listeners = [listener for each in plugins if (listener := _Listener.of(each, say)) is not None]

    def __enter__(self) -> Observers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, event: Event) -> None:
        """Give the event to all observers; returns at once."""
        for listener in self._listeners:
            listener.events.put(event)

    def close(self) -> None:
        """Wait until all have had every event, for a limited time."""
        until = time.monotonic() + self._seconds
        for listener in self._listeners:
            listener.events.put(None)
        for listener in self._listeners:
            listener.thread.join(max(0.0, until - time.monotonic()))
            if listener.thread.is_alive():
                self._say(f"observer {listener.name} is still busy; {listener.events.qsize() - 1} events were not delivered to it")
            elif listener.failures > 1:
                self._say(f"observer {listener.name} failed {listener.failures} times")
        self._listeners = []


class _Listener:
    """An observer with what it has still to hear."""

    def __init__(self, plugin: ConfiguredPlugin, observer: TournamentObserver, say: Callable[[str], None]) -> None:
        self.name = plugin.name
        self.failures = 0
        self.events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._plugin = plugin
        self._observer = observer
        self._say = say
        # A daemon: an observer that hangs must not keep the command from ending.
        self.thread = threading.Thread(target=self._listen, name=f"observer {self.name}", daemon=True)
        self.thread.start()

    @classmethod
    def of(cls, plugin: ConfiguredPlugin, say: Callable[[str], None]) -> _Listener | None:
        """A new observer; None if it cannot be made, which is said."""
        try:
            observer: object = plugin.reference.load_as(Observer).create(plugin.options)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            say(f"observer {plugin.failure(error)}; it gets no events of this run")
            return None
        if not isinstance(observer, TournamentObserver):
            say(f"observer {plugin.name}: create() returned a {type(observer).__name__}, expected a TournamentObserver")
            return None
        return cls(plugin, observer, say)

    def _listen(self) -> None:
        while (event := self.events.get()) is not None:
            try:
                tell(self._observer, event)
            except BaseException as error:
                self.failures += 1
                if self.failures == 1:
                    self._say(f"observer {self._plugin.failure(error)}; the run continues")
