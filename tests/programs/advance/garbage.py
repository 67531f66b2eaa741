"""Writes something that is no board."""

import sys
from pathlib import Path

if sys.argv[1] != "name":
    Path(sys.argv[3]).write_text("I resign\n")
