"""Moves a Zombie two squares."""

import sys

import honest  # type: ignore[import-not-found]

if sys.argv[1] == "name":
    print("Illegal")
else:
    honest.main()
    sys.argv[2] = sys.argv[3]
    honest.main()
