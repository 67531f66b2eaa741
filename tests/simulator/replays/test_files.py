from __future__ import annotations

from pathlib import Path

import pytest
import zstandard

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.replays import files
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import is_replay, pack, unpack, write_replay

REPLAY = Replay(
    game="tanks",
    width=2,
    height=1,
    squares=("1E", " "),
    seats=("a", "b"),
    title="duel",
    message="Tie",
    frames=[Frame(((0, " "),), ("Move",), (1.0,), ("moved",))] * 500,
)


def test_both_forms_are_read() -> None:
    assert unpack(pack(REPLAY), "x") == REPLAY
    assert unpack(encode(REPLAY), "x") == REPLAY
    assert len(pack(REPLAY)) < len(encode(REPLAY)) / 10


def test_what_others_compress_without_saying_its_length_is_read() -> None:
    compressor = zstandard.ZstdCompressor().compressobj()
    assert unpack(compressor.compress(encode(REPLAY)) + compressor.flush(), "x") == REPLAY


def test_replays_are_told_from_other_files() -> None:
    assert is_replay(encode(REPLAY))
    assert is_replay(pack(REPLAY))
    assert not is_replay(b"MoveForward, Shoot\n")
    assert not is_replay(zstandard.ZstdCompressor().compress(b"MoveForward, Shoot\n"))
    assert not is_replay(pack(REPLAY)[:4] + b"nonsense")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (pack(REPLAY)[:-9], "x: is damaged: its end is missing"),
        (pack(REPLAY) + b"more", "x: is damaged: there is extra data after its end"),
        (pack(REPLAY) + b"more" * 1000, "x: is damaged: there is extra data after its end"),
        (pack(REPLAY)[:4] + b"nonsense", "x: is damaged: "),
        (b"MoveForward\n", "x, line 1: "),
    ],
)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(UserError, match=message):
        unpack(data, "x")


def test_a_few_bytes_that_stand_for_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_BYTES", 1_000_000)
    bomb = zstandard.ZstdCompressor().compress(bytes(50_000_000))
    assert len(bomb) < 10_000
    with pytest.raises(UserError, match="is more than 1,000,000 bytes long"):
        unpack(bomb, "x")


def test_the_files_name_says_the_form(tmp_path: Path) -> None:
    assert write_replay(tmp_path / "a.jsonl", REPLAY) == len(encode(REPLAY))
    assert (tmp_path / "a.jsonl").read_bytes() == encode(REPLAY)
    write_replay(tmp_path / "a.jsonl.zst", REPLAY)
    assert (tmp_path / "a.jsonl.zst").read_bytes() == pack(REPLAY)
    with pytest.raises(UserError, match="cannot be written"):
        write_replay(tmp_path / "none" / "a.jsonl", REPLAY)
