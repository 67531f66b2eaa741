from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_viewer.player.keys import SEQUENCES, KeyDecoder


@pytest.mark.parametrize(("rest", "name"), SEQUENCES.items())
def test_every_sequence_is_known_whole_and_in_pieces(rest: str, name: str) -> None:
    data = b"\x1b" + rest.encode()
    assert KeyDecoder().feed(data + b"q") == [name, "q"]
    decoder = KeyDecoder()
    pieces = [decoder.feed(data[at : at + 1]) for at in range(len(data))]
    assert pieces == [[]] * (len(data) - 1) + [[name]]
    assert not decoder.pending


def test_letters_and_control_characters() -> None:
    assert KeyDecoder().feed(b"q \r\x01\xc3\xa9+") == ["q", " ", "enter", "+"]


def test_unknown_sequences_are_dropped_as_a_whole() -> None:
    assert KeyDecoder().feed(b"\x1b[200~a\x1b[1;5Pb") == ["a", "b"]


def test_only_time_tells_the_escape_key() -> None:
    decoder = KeyDecoder()
    assert decoder.feed(b"\x1b") == []
    assert decoder.pending
    assert decoder.flush() == ["escape"]
    assert decoder.feed(b"\x1b[") == []
    assert decoder.flush() == []
    assert not decoder.pending


@given(st.lists(st.binary(max_size=20), max_size=6))
def test_any_bytes_leave_it_fit_for_the_next_key(pieces: list[bytes]) -> None:
    decoder = KeyDecoder()
    for piece in pieces:
        decoder.feed(piece)
    decoder.flush()
    assert decoder.feed(b"q") == ["q"]
