"""Makes a build autonomous: takes the switch for the interactive mode out of sources, and off the compiler's command line."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

SWITCH = re.compile(rb"^([ \t]*)#([ \t]*define[ \t]+INTERACTIVE[ \t]*(?:/[/*][^\n]*)?\r?)$", re.MULTILINE)
"""Without a value."""
NAMES = re.compile(rb"\b(?:(?:IS|USE|ENABLE|RUN|PLAY|GAME|MODE)_)?INTERACTIVE(?:_(?:MODE|GAME|PLAY|VERSION|ON|ENABLED))?\b")
"""What the switch may be called where it is only ever asked for as one."""
DEFINED = rb"^([ \t]*)#([ \t]*define[ \t]+%s)(?:[ \t]+(?:1|\(1\)|true|TRUE))?(?=[ \t]*(?:/[/*][^\n]*)?\r?$)"
"""Switched on. Other values stay as they are."""
NO_CODE = re.compile(rb'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEFAULT = re.compile(rb"#[ \t]*ifndef[ \t]+(\w+)\s+(?=#[ \t]*define[ \t]+\1\b)")
DEFINING = re.compile(rb"#\s*define\s+$")
WHETHER = re.compile(rb"(?:#\s*ifn?def\s+|\bdefined[\s(]*)$")
CONDITION = re.compile(rb"(?:\bif|\bwhile|#\s*elif|&&|\|\|)[\s(!]*$")
END_OF_CONDITION = re.compile(rb"\s*(?:$|\)|&&|\|\||[=!]=\s*[01]\b)")
ASKS = re.compile(rb"^[ \t]*#[ \t]*(?:ifn?def[ \t]+|if[^\n]*\bdefined[ \t(]*)AUTONOMOUS\b", re.MULTILINE)
"""The other switch, for the mode that plays."""
DEFINES = re.compile(rb"^[ \t]*#[ \t]*define[ \t]+AUTONOMOUS\b", re.MULTILINE)
SOURCES = (".c", ".h", ".cpp", ".cc", ".cxx", ".hpp")
SCRIPT = """#!/bin/sh
for word do
    case "$word" in -DINTERACTIVE=0) exec COMPILER "$@" ;; esac
done
exec COMPILER "$@" -UINTERACTIVEFLAGS
"""
COMPILERS = ("gcc", "cc", "g++", "c++", "clang", "clang++")


def uses(name: bytes, code: bytes) -> Iterator[str]:
    """How a name is used: as a ``number`` in a condition, by ``whether`` it is defined, or in ``other`` ways."""
    for line in code.splitlines():
        for use in re.finditer(rb"\b%s\b" % name, line):
            before, after = line[: use.start()], line[use.end() :]
            if DEFINING.search(before):
                continue
            if WHETHER.search(before):
                yield "whether"
            else:
                yield "number" if CONDITION.search(before) and END_OF_CONDITION.match(after) else "other"


def switch_off(name: bytes, files: Sequence[Path]) -> str:
    """Switch off what the sources ask for only as a switch; the compiler's flags for what they do not define.

    A name that they compare with others, or that stands for a value, may be one of several modes: it stays.
    """
    texts = [file.read_bytes() for file in files]
    codes = [NO_CODE.sub(b" ", text) for text in texts]
    ways = {way for code in codes for way in uses(name, DEFAULT.sub(b"", code))}
    if len(ways) != 1 or "other" in ways:
        return ""
    is_number = "number" in ways
    on = re.compile(DEFINED % name, re.MULTILINE)
    for file, text in zip(files, texts):
        off = on.sub(rb"\1#\2 0" if is_number else rb"\1//\2", text)
        if off != text:
            file.write_bytes(off)
            print(f"{file.name}: switched {name.decode()} off")
    if any(re.search(rb"#[ \t]*define[ \t]+%s\b" % name, code) for code in codes):
        return ""
    return f" -U{name.decode()}" + (f" -D{name.decode()}=0" if is_number else "")


def main(folder: Path, wrappers: Path) -> int:
    """Look through the sources, write what the build needs, and return the exit code."""
    asks = defines = False
    files = [file for file in sorted(folder.rglob("*")) if file.suffix in SOURCES and file.is_file()]
    names: set[bytes] = set()
    for file in files:
        text = file.read_bytes()
        asks, defines = asks or bool(ASKS.search(text)), defines or bool(DEFINES.search(text))
        names.update(NAMES.findall(text))
        if SWITCH.search(text):
            file.write_bytes(SWITCH.sub(rb"\1//\2", text))
            print(f"{file.relative_to(folder)}: left out #define INTERACTIVE")
    flags = "".join(switch_off(name, files) for name in sorted(names))
    wrappers.mkdir(exist_ok=True)
    for name in COMPILERS:
        place = shutil.which(name)
        if place is not None and Path(place).parent != wrappers:
            # The last word on a macro counts. Old C may define a variable in each file that includes a header.
            common = "" if "+" in name else " -fcommon"
            mode = " -DAUTONOMOUS" if asks and not defines else ""
            script = SCRIPT.replace("COMPILER", place + common + mode).replace("FLAGS", flags)
            descriptor = os.open(wrappers / name, os.O_WRONLY | os.O_CREAT, 0o700)
            with open(descriptor, "w") as file_opened:  # noqa: PTH123 -- a descriptor
                file_opened.write(script)
    return 0


sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
