"""Lines out of pieces: however the bytes are cut, the same lines come out."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.texts.lines import LineBuffer

LIMIT = 12
PIECES = st.lists(st.binary(max_size=8).map(lambda data: data.translate(bytes(b"ab\n"[byte % 3] for byte in range(256)))))


def lines_of(pieces: list[bytes], limit: int) -> tuple[list[bytes], bool, bytes]:
    """Lines as they come, whether one was too long, and what is left."""
    buffer = LineBuffer()
    lines: list[bytes] = []
    for piece in pieces:
        buffer.add(piece)
        while (line := buffer.take_line(limit)) is not None:
            lines.append(line)
        if buffer.is_too_long(limit):
            return lines, True, b""
    return lines, False, buffer.take(len(buffer))


@given(PIECES)
def test_however_it_is_cut(pieces: list[bytes]) -> None:
    whole = io.BytesIO(b"".join(pieces)).readlines()
    expected: list[bytes] = []
    for line in whole:
        if len(line) > LIMIT or (len(line) == LIMIT and not line.endswith(b"\n")):
            assert lines_of(pieces, LIMIT) == (expected, True, b"")
            return
        if line.endswith(b"\n"):
            expected.append(line)
    rest = whole[-1] if whole and not whole[-1].endswith(b"\n") else b""
    assert lines_of(pieces, LIMIT) == (expected, False, rest)


@given(PIECES, st.lists(st.integers(1, 5)))
def test_raw_pieces_between_lines(pieces: list[bytes], sizes: list[int]) -> None:
    data = b"".join(pieces)
    buffer = LineBuffer()
    buffer.add(data)
    taken = b""
    for size in sizes:
        taken += buffer.take(size)
        taken += buffer.take_line(LIMIT) or b""
    assert taken + buffer.peek(len(data)) == data
    assert len(buffer) == len(data) - len(taken)


def test_a_line_of_exactly_the_limit() -> None:
    buffer = LineBuffer()
    buffer.add(b"123\n456")
    assert buffer.take_line(4) == b"123\n"
    assert buffer.take_line(3) is None
    assert buffer.is_too_long(3)
    buffer.add(b"\n")
    assert buffer.take_line(4) == b"456\n"
