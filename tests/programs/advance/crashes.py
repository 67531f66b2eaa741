"""Fails with a traceback when it is to move."""

import sys

if sys.argv[1] != "name":
    raise RuntimeError("lost my head")
