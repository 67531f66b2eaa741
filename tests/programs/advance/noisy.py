"""Prints three megabytes a move, knows no name, writes CR LF without the last one, and ends with a code of its own."""

import sys
from pathlib import Path

import honest  # type: ignore[import-not-found]

sys.stdout.write("thinking about it, again and again\n" * 85_000)
if sys.argv[1] in ("white", "black"):
    rows = honest.read(sys.argv[2])
    honest.move(sys.argv[1], rows)
    Path(sys.argv[3]).write_bytes(honest.text_of(rows, "\r\n").removesuffix("\r\n").encode())
sys.exit(7)
