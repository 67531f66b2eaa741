"""A link that can fail: what connects to its port is connected with another one, until the link is cut."""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from collections.abc import Iterator
from typing import Final

LOOK_SECONDS: Final = 0.05


class Relay:
    """A TCP relay on this machine in a thread of its own. Both ways fail alike.

    Args:
        port: of this machine, that it leads to.
    """

    def __init__(self, port: int) -> None:
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._stalled = threading.Event()
        self._closed = threading.Event()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stall(self) -> None:
        """Keep all connections and let nothing through: nobody is told."""
        self._stalled.set()

    def cut(self) -> None:
        """Close all connections, and each new one at once."""
        self._closed.set()

    def mend(self) -> None:
        """Let everything through again. What came while the link was stalled comes now."""
        self._stalled.clear()
        self._closed.clear()

    def end(self) -> None:
        """Close it for good."""
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        with selectors.DefaultSelector() as ready, self._listener:
            ready.register(self._listener, selectors.EVENT_READ)
            while not self._over.is_set():
                if self._stalled.is_set():
                    self._over.wait(LOOK_SECONDS)
                    continue
                if self._closed.is_set():
                    self._close(ready, list(self._pairs))
                for key, _ in ready.select(LOOK_SECONDS):
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    if source is self._listener:
                        self._accept(ready)
                    elif source in self._pairs:
                        self._pass_on(ready, source)
            self._close(ready, list(self._pairs))

    def _accept(self, ready: selectors.BaseSelector) -> None:
        near, _ = self._listener.accept()
        try:
            if self._closed.is_set():
                raise ConnectionError
            far = socket.create_connection(("127.0.0.1", self._target))
        except OSError:
            near.close()
            return
        for one, other in ((near, far), (far, near)):
            self._pairs[one] = other
            ready.register(one, selectors.EVENT_READ)

    def _pass_on(self, ready: selectors.BaseSelector, source: socket.socket) -> None:
        try:
            data = source.recv(1 << 16)
            if data:
                self._pairs[source].sendall(data)
                return
        except OSError:
            pass
        self._close(ready, [source])

    def _close(self, ready: selectors.BaseSelector, sources: list[socket.socket]) -> None:
        for source in sources:
            if source in self._pairs:
                other = self._pairs.pop(source)
                del self._pairs[other]
                for each in (source, other):
                    ready.unregister(each)
                    each.close()


@contextlib.contextmanager
def relay_to(address: str) -> Iterator[Relay]:
    """A relay to a scheduler for the time of the block."""
    relay = Relay(int(address.rpartition(":")[2]))
    try:
        yield relay
    finally:
        relay.end()
