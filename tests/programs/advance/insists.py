"""Writes only into a file that is there already, as some programs do."""

import sys
from pathlib import Path

import honest  # type: ignore[import-not-found]

if sys.argv[1] == "name":
    print("This bot name is far too long to be taken for one: thirty-two at most")
elif Path(sys.argv[3]).exists():
    honest.main()
