"""Replays that are only unpacked when somebody looks into them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.replays.files import pack
from tiltyard_simulator.replays.packed import PackedReplay, packed, with_packed_replay, with_replay


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


def test_a_record_travels_beside_its_replay() -> None:
    record = MatchRecord(key="k", replay=replay())
    bare, data = with_packed_replay(record)
    assert (bare, data) == (MatchRecord(key="k"), pack(replay()))
    again = with_replay(bare, data)
    assert isinstance(again.replay, PackedReplay)
    assert again == record
    # As for a further process.
    assert with_packed_replay(again) == (bare, data)


def test_a_record_without_a_replay_travels_alone() -> None:
    assert with_packed_replay(MatchRecord(key="k")) == (MatchRecord(key="k"), b"")
    assert with_replay(MatchRecord(key="k"), b"") == MatchRecord(key="k")


def test_a_replay_that_is_no_board_stays_in_its_record() -> None:
    bad = replay()
    bad.width = 7
    record = MatchRecord(key="k", replay=bad)
    assert with_packed_replay(record) == (record, b"")


def test_one_with_another_field_is_one_as_any_other() -> None:
    found = replace(PackedReplay(pack(replay())), seats=("x", "y"))
    assert found.seats == ("x", "y")
    assert replace(found, seats=replay().seats) == replay()
    assert pack(replace(found, seats=replay().seats)) == pack(replay())
