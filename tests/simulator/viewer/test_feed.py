from __future__ import annotations

from collections.abc import Iterator
from threading import Event

from tiltyard_engine.replay import Frame
from tiltyard_simulator.viewer.feed import Feed

LONG = 30.0


def take_all(feed: Feed, awake: Event) -> list[Frame]:
    """Take until the end, as the player does: look, then wait to be woken."""
    everything: list[Frame] = []
    while True:
        taken, finished = feed.take()
        everything += taken
        if finished:
            return everything
        assert awake.wait(LONG)
        awake.clear()


def test_frames_come_in_order_and_the_end_is_told() -> None:
    frames = [Frame(((number, "#"),)) for number in range(5000)]
    awake = Event()
    assert take_all(Feed(iter(frames), awake.set), awake) == frames


def test_what_breaks_the_frames_is_kept_for_the_one_who_watches() -> None:
    def broken() -> Iterator[Frame]:
        yield Frame(())
        raise EOFError("half a line")

    awake = Event()
    feed = Feed(broken(), awake.set)
    assert take_all(feed, awake) == [Frame(())]
    assert isinstance(feed.error, EOFError)


def test_nobody_is_woken_after_stop() -> None:
    go_on, read_on = Event(), Event()
    woken: list[int] = []

    def slow() -> Iterator[Frame]:
        assert go_on.wait(LONG)
        yield Frame(())
        read_on.set()

    feed = Feed(slow(), lambda: woken.append(1))
    feed.stop()
    go_on.set()
    assert not read_on.wait(0.05)
    assert not woken
