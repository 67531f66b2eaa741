"""Replays that are only unpacked when somebody looks into them."""

from __future__ import annotations

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.replays.files import pack
from tiltyard_simulator.replays.packed import PackedReplay, packed


def replay() -> Replay:
    frames = [Frame(((0, "x"),), ("go",), (1.0,), ("note",)), Frame(((1, "y"),))]
    return Replay(game="g", width=2, height=1, squares=(" ", "#"), seats=("a", "b"), title="t", message="over", frames=frames)


def test_it_is_kept_as_it_came() -> None:
    data = pack(replay())
    assert packed(PackedReplay(data)) is data
    assert packed(replay()) == data
    # Not even damage is noticed by whoever only keeps it.
    assert packed(PackedReplay(b"damaged")) == b"damaged"


def test_whoever_looks_into_it_sees_the_replay() -> None:
    found = PackedReplay(pack(replay()))
    assert found == replay()
    assert replay() == found
    assert found.rows_after(1) == ("x#",)
    assert packed(found) == pack(replay())
    with pytest.raises(AttributeError):
        _ = found.nothing


def test_what_is_changed_is_packed_anew() -> None:
    found = PackedReplay(pack(replay()))
    found.seats = ("c", "d")
    expected = replay()
    expected.seats = ("c", "d")
    assert found == expected
    assert packed(found) == pack(expected)


def test_damage_is_told_to_whoever_looks() -> None:
    with pytest.raises(UserError):
        _ = PackedReplay(b"damaged").frames
