"""Takes the file away instead of writing it."""

import sys
from pathlib import Path

if sys.argv[1] != "name":
    Path(sys.argv[3]).unlink()
