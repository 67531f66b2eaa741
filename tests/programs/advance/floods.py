"""Writes far more than a board."""

import sys
from pathlib import Path

if sys.argv[1] != "name":
    Path(sys.argv[3]).write_text("." * 3_000_000)
