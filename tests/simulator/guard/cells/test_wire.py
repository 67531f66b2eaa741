"""Framing: whatever is written in place of an answer is told apart."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_simulator.guard.cells.wire import (
    HEADER,
    MARK,
    NUMBERS,
    Inbox,
    WireError,
    frame,
    question_numbers,
    read_frame,
    write_frame,
)


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
    (frame(7, bytes(101)), "an answer of 101 bytes, the limit is 100"),
    (HEADER.pack(MARK, 7, 1 << 31), "an answer of 2147483648 bytes, the limit is 100"),
]


@pytest.mark.parametrize(("data", "message"), WRONG)
@pytest.mark.parametrize("at_once", [False, True])
def test_what_is_no_answer(data: bytes, message: str, at_once: bool) -> None:
    inbox = Inbox(100)
    inbox.take(frame(6, b"new"), 6)

    def take_all() -> None:
        for piece in [data] if at_once else [bytes([each]) for each in data]:
            inbox.take(piece, 7)

    with pytest.raises(WireError, match=message):
        take_all()


MORE: list[tuple[bytes, str]] = [
    (frame(7, b"two"), "a second answer to a question"),
    (frame(8, b"early"), "an answer before the question"),
    (b"!", "garbage instead of an answer"),
    (frame(7, b"two")[:3], "an answer before the question"),
]


@pytest.mark.parametrize(("more", "message"), MORE)
@pytest.mark.parametrize("at_once", [False, True])
def test_what_follows_an_answer_is_judged_with_the_next_one(more: bytes, message: str, at_once: bool) -> None:
    inbox = Inbox(100)
    assert inbox.take(frame(7, b"one") + (more if at_once else b""), 7) == b"one"
    assert inbox.is_empty
    assert inbox.surplus == (more if at_once else b"")
    with pytest.raises(WireError, match=message):
        inbox.take((b"" if at_once else more) + frame(1000, b"two"), 1000)


def test_a_question_has_a_number_that_no_cell_can_guess() -> None:
    drawn = [next(numbers) for numbers in (question_numbers(), question_numbers()) for _ in range(1000)]
    assert len({*drawn}) > 1990
    assert all(0 <= number < NUMBERS for number in drawn)


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
