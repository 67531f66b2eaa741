"""Makes a build autonomous: takes the switch for the interactive mode out of sources, and off the compiler's command line."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

SWITCH = re.compile(rb"^([ \t]*)#([ \t]*define[ \t]+INTERACTIVE[ \t]*(?:/[/*][^\n]*)?\r?)$", re.MULTILINE)
"""Without a value. What has one is read as a number, and must stay."""
ASKS = re.compile(rb"^[ \t]*#[ \t]*(?:ifn?def[ \t]+|if[^\n]*\bdefined[ \t(]*)AUTONOMOUS\b", re.MULTILINE)
"""The other switch, for the mode that plays."""
DEFINES = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+AUTONOMOUS\b", re.MULTILINE)
SOURCES = (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp")
SCRIPT = """#!/bin/sh
for word do
    case "$word" in -DINTERACTIVE=0) exec COMPILER "$@" ;; esac
done
exec COMPILER "$@" -UINTERACTIVE
"""
COMPILERS = ("gcc", "cc", "g++", "c++", "clang", "clang++")


def main(folder: Path, wrappers: Path) -> int:
    """The exit code."""
    asks = defines = False
    for file in sorted(folder.rglob("*")):
        if file.suffix not in SOURCES or not file.is_file():
            continue
        text = file.read_bytes()
        asks, defines = asks or bool(ASKS.search(text)), defines or bool(DEFINES.search(text))
        if SWITCH.search(text):
            file.write_bytes(SWITCH.sub(rb"\1//\2", text))
            print(f"{file.relative_to(folder)}: left out #define INTERACTIVE")
    wrappers.mkdir(exist_ok=True)
    for name in COMPILERS:
        place = shutil.which(name)
        if place is not None and Path(place).parent != wrappers:
            # The last word on a macro counts. Old C may define a variable in each file that includes a header.
            common = "" if "+" in name else " -fcommon"
            mode = " -DAUTONOMOUS" if asks and not defines else ""
            script = SCRIPT.replace("COMPILER", place + common + mode)
            descriptor = os.open(wrappers / name, os.O_WRONLY | os.O_CREAT, 0o700)
            with open(descriptor, "w") as file_opened:  # noqa: PTH123 -- a descriptor
                file_opened.write(script)
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
