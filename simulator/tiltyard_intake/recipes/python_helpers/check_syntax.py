"""Compiles every Python file below a folder in memory. Prints the first error as Python does, and exits with 1."""

from __future__ import annotations

import sys
import traceback
import warnings
from pathlib import Path


def main(folder: Path) -> int:
    """Check the syntax of all files, and return the exit code."""
    warnings.simplefilter("ignore")
    for file in sorted(folder.rglob("*.py")):
        try:
            compile(file.read_bytes(), str(file), "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            if not isinstance(error, SyntaxError):
                print(f'  File "{file}", line 1', file=sys.stderr)
            print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)
            return 1
    return 0


sys.exit(main(Path(sys.argv[1])))
