"""Plays only where both names are the same."""

import sys

import honest  # type: ignore[import-not-found]

if sys.argv[1] == "name" or sys.argv[2] == sys.argv[3]:
    honest.main()
