"""Picks the one Python file of a folder that is a plugin for tiltyard, checks its syntax, and copies it as plugin.py."""

from __future__ import annotations

import shutil
import sys
import traceback
from pathlib import Path


def main(folder: Path, out: Path) -> int:
    """The exit code."""
    files = sorted(folder.glob("*.py"))
    plugins = [file for file in files if b"tiltyard_engine" in file.read_bytes()]
    hooked = [file for file in plugins if b"hookimpl" in file.read_bytes()] or plugins
    if len(hooked) != 1:
        several = f"{' and '.join(file.name for file in hooked)} are a team each: hand in the one that is to play"
        print(several if hooked else "no file is a team: none imports tiltyard_engine", file=sys.stderr)
        return 1
    others = [file.stem for file in files if file not in hooked]
    text = hooked[0].read_bytes()
    for other in others:
        if any(f"{word} {other}".encode() in text for word in ("import", "from")):
            message = f"{hooked[0].name} imports {other}: hand in a package, that is a folder with an __init__.py"
            print(message, file=sys.stderr)
            return 1
    try:
        compile(text, str(hooked[0]), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        print("".join(traceback.format_exception_only(error)), end="", file=sys.stderr)
        return 1
    shutil.copyfile(hooked[0], out / "plugin.py")
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
