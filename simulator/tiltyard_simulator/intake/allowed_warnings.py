"""A second try for a build that fails only because its own flags make errors of warnings.

Which warnings a compiler has depends on its version, and students build with others than the organiser's machine has.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from typing import Final

from tiltyard_simulator.guard.confinement import CLEAN
from tiltyard_simulator.guard.programs.held_build import BuildFile

FOLDER: Final = "allowing"
"""In the build's scratch folder; it comes first in PATH then."""
COMPILERS: Final = ("gcc", "cc", "g++", "c++", "clang", "clang++")
_SCRIPT: Final = """#!/bin/sh
for word do
    shift
    case "$word" in -Werror|-Werror=*|-pedantic-errors) ;; *) set -- "$@" "$word" ;; esac
done
exec COMPILER "$@"
"""
_ERROR: Final = re.compile(r"^[^\s:][^:\n]*:\d+:(?:\d+:)? (?:fatal )?error: .*$|^\S*ld: .*|undefined reference to ", re.MULTILINE)
_WARNING: Final = re.compile(r"\[-Werror[=,][^\]]*\]$")


def fails_by_warnings(output: str) -> bool:
    """Whether all errors that a compiler printed are warnings that its flags make errors."""
    errors = [found[0] for found in _ERROR.finditer(output)]
    return bool(errors) and all(_WARNING.search(error) for error in errors)


def compilers() -> Mapping[str, BuildFile]:
    """Scripts in place of this machine's compilers, which leave those flags out; by their paths in the scratch folder."""
    found = {name: shutil.which(name, path=CLEAN["PATH"]) for name in COMPILERS}
    return {
        f"{FOLDER}/{name}": BuildFile(_SCRIPT.replace("COMPILER", place).encode(), executable=True)
        for name, place in found.items()
        if place is not None
    }
