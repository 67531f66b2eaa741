"""Reads the replays in the scripts of a site, as ``assets/replays.js`` does."""

from __future__ import annotations

import re
import zlib
from typing import Final

from tiltyard_engine.replay import Replay
from tiltyard_simulator.replays.encoding import decode

ENTRY: Final = re.compile(r'"([0-9A-Za-z_-]+)":"((?:[^"\\]|\\.)*)"', re.DOTALL)
ESCAPE: Final = re.compile(r"\\(x..|.)", re.DOTALL)


def files_in(script: str) -> dict[str, bytes]:
    """The replay files in a script, by their names."""
    return {name: _file(ESCAPE.sub(lambda match: _letter(match[1]), text)) for name, text in ENTRY.findall(script)}


def replays_in(script: str) -> dict[str, Replay]:
    """The replays in a script, by the names of their files."""
    return {name: decode(data) for name, data in files_in(script).items()}


def _letter(escape: str) -> str:
    return {"n": "\n", "r": "\r"}.get(escape) or (chr(int(escape[1:], 16)) if escape[0] == "x" else escape)


def _file(letters: str) -> bytes:
    size = (len(letters) - 1) // 8
    rest = letters[1 + 7 * size :]
    lower = letters[1 : 1 + 7 * size - ord(letters[0])]
    return zlib.decompress(bytes(ord(low) | (ord(rest[at % size]) >> at // size & 1) << 7 for at, low in enumerate(lower)))
