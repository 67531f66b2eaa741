"""Writes eight lines."""

import sys
from pathlib import Path

import honest  # type: ignore[import-not-found]

if sys.argv[1] != "name":
    Path(sys.argv[3]).write_text(honest.text_of(honest.read(sys.argv[2])[:8]))
