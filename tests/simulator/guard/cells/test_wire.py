"""Framing: whatever is written in place of an answer is told apart."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_simulator.guard.cells.wire import HEADER, MARK, Inbox, WireError, frame, read_frame, write_frame


@given(st.binary(max_size=300), st.lists(st.integers(1, 40), max_size=30))
def test_pieces_make_the_answer(body: bytes, sizes: list[int]) -> None:
    inbox, data, taken = Inbox(300), frame(7, body), None
    for size in sizes:
        if len(data) > size:
            assert inbox.take(data[:size], 7) is None
            assert not inbox.is_empty
            data = data[size:]
    taken = inbox.take(data, 7)
    assert taken == body
    assert inbox.is_empty
    assert inbox.take(frame(8, b"x"), 8) == b"x"


WRONG: list[tuple[bytes, str]] = [
    (b"no such thing as an answer", "garbage instead of an answer"),
    (b"ti!", "garbage instead of an answer"),
    (frame(6, b"old"), "a second answer to a question"),
    (frame(8, b"early"), "an answer before the question"),
    (frame(7, b"one") + frame(7, b"two"), "more than one answer to one question"),
    (frame(7, b"one") + b"!", "more than one answer to one question"),
    (frame(7, bytes(101)), "an answer of 101 bytes, the limit is 100"),
    (HEADER.pack(MARK, 7, 1 << 31), "an answer of 2147483648 bytes, the limit is 100"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
@pytest.mark.parametrize("at_once", [False, True])
def test_what_is_no_answer(data: bytes, message: str, at_once: bool) -> None:
    if at_once or "more than one" in message:
        with pytest.raises(WireError, match=message):
            Inbox(100).take(data, 7)
        return

    def drop_by_drop() -> None:
        inbox = Inbox(100)
        for place in range(len(data)):
            inbox.take(data[place : place + 1], 7)

    with pytest.raises(WireError, match=message):
        drop_by_drop()


def test_frames_through_a_pipe() -> None:
    read, write = os.pipe()
    write_frame(write, 5, b"hello")
    assert read_frame(read) == (5, b"hello")
    os.write(write, frame(6, bytes(9000))[:9])
    os.write(write, frame(6, bytes(9000))[9:])
    assert read_frame(read) == (6, bytes(9000))
    os.write(write, frame(7, b"half")[:14])
    os.close(write)
    with pytest.raises(EOFError):
        read_frame(read)
    os.close(read)
