"""Replays in files and stores: the canonical bytes, compressed with Zstandard where they are kept for long."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import zstandard

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Replay
from tiltyard_simulator.replays.encoding import FORMAT, decode, encode

COMPRESSED_SUFFIX: Final = ".zst"
LEVEL: Final = 6
MOST_BYTES: Final = 1 << 30
"""Of a replay when it is not compressed."""
CHUNK: Final = 1 << 10
"""Compressed bytes that are decompressed at a time: a few can expand to very many."""
MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""What compressed data begin with."""


def pack(replay: Replay) -> bytes:
    """The replay's canonical bytes, compressed.

    Raises:
        UserError: it cannot be written so that it could be read again.
    """
    return zstandard.ZstdCompressor(level=LEVEL).compress(encode(replay))


def unpack(data: bytes, where: str) -> Replay:
    """The replay of bytes, compressed or not; ``where`` is for messages.

    Raises:
        UserError: they are damaged or no replay.
    """
    return decode(decompress(data, where), where)


def record_replay(record: MatchRecord) -> Replay | None:
    """The replay of a match that was played; None if it has none.

    Raises:
        UserError: its bytes are damaged.
    """
    data = record.evidence.replay
    return unpack(data, "the replay of a match") if data else None


def is_replay(data: bytes) -> bool:
    """Whether bytes begin as a replay does, compressed or not."""
    if not data.startswith(MAGIC):
        return FORMAT.encode() in data[:100]
    try:
        return FORMAT.encode() in zstandard.ZstdDecompressor().decompressobj().decompress(data[:CHUNK])[:100]
    except zstandard.ZstdError:
        return False


def write_replay(path: Path, replay: Replay) -> int:
    """Write a file, compressed if its name ends in ``.zst``; its size in bytes.

    Raises:
        UserError: the file cannot be written, or the replay cannot.
    """
    data = pack(replay) if path.suffix == COMPRESSED_SUFFIX else encode(replay)
    with file_errors(path, "written"):
        path.write_bytes(data)
    return len(data)


def decompress(data: bytes, where: str) -> bytes:
    """The canonical bytes of bytes that may be compressed; ``where`` is for messages.

    Raises:
        UserError: they are damaged.
    """
    if not data.startswith(MAGIC):
        return data
    decompressor = zstandard.ZstdDecompressor().decompressobj()
    parts: list[bytes] = []
    room = MOST_BYTES
    try:
        for start in range(0, len(data), CHUNK):
            if decompressor.eof:
                raise UserError(f"{where}: is damaged: there is extra data after its end")
            parts.append(decompressor.decompress(data[start : start + CHUNK]))
            room -= len(parts[-1])
            if room < 0:
                raise UserError(f"{where}: is more than {MOST_BYTES:,} bytes long")
    except zstandard.ZstdError as error:
        raise UserError(f"{where}: is damaged: {error}") from error
    if not decompressor.eof or decompressor.unused_data:
        raise UserError(f"{where}: is damaged: {'there is extra data after its end' if decompressor.eof else 'its end is missing'}")
    return b"".join(parts)
