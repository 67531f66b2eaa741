"""Second tries for builds that fail on this machine's compilers though they did not on the team's.

Which warnings a compiler has, which headers its headers include, and what it is called depend on its version. So a build is tried
again with scripts in place of the compilers, which leave flags out or add some.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.guard.programs.build_client import BuildFile

FOLDER: Final = "allowing"
"""In the build's scratch folder; it comes first in PATH then."""
COMPILERS: Final = ("gcc", "cc", "g++", "c++", "clang", "clang++")
_SCRIPT: Final = """#!/bin/sh
for word do
    shift
    case "$word" in DROPPED) ;; *) set -- "$@" "$word" ;; esac
done
exec COMPILER "$@"
"""
_ERROR: Final = re.compile(r"^[^\s:][^:\n]*:\d+:(?:\d+:)? (?:fatal )?error: .*$|^\S*ld: .*|undefined reference to ", re.MULTILINE)
_WARNING: Final = re.compile(r"\[-Werror[=,][^\]]*\]$")
_FORGOTTEN: Final = re.compile(
    r"is defined in header ['\u2018]<([\w./]+)>['\u2019]; (?:did you forget to|this is probably fixable)"
)
_NUMBER: Final = re.compile(
    r"error: (?:unknown type name ['\u2018](?P<c>\w+)|['\u2018](?:std::)?(?P<cpp>\w+)['\u2019] (?:has not been|was not) declared|"
    r"['\u2018](?P<type>\w+)['\u2019] does not name a type)"
)
_SIZES: Final = re.compile(r"(?:s?size|ptrdiff|u?int(?:8|16|32|64|max|ptr))_t")
_COMMON: Final = re.compile(r"\.bss[^\n]*multiple definition of ")
_NAME: Final = r"((?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+(?:\.\d+)?)?)"
_NO_COMPILER: Final = re.compile(
    rf"^(?:make(?:\[\d+\])?|(?:/bin/)?(?:ba|da)?sh): (?:line )?(?:\d+: )?{_NAME}: (?:No such file|.*not found)"
    rf"|^The CMAKE_C(?:XX)?_COMPILER:\s+{_NAME}\s+is not a full path and was not found",
    re.MULTILINE,
)
_BUILD_FILE: Final = re.compile(r"(?:^|/)(?:CMakeLists\.txt|GNUmakefile|[Mm]akefile|[^/]*\.(?:cmake|mk))$")
_USUAL: Final = frozenset(
    (
        *("algorithm", "array", "cassert", "cctype", "cerrno", "climits", "cmath", "cstddef", "cstdint", "cstdio", "cstdlib"),
        *("cstring", "ctime", "exception", "functional", "iterator", "limits", "memory", "numeric", "optional", "stdexcept"),
        *("string", "string_view", "system_error", "tuple", "type_traits", "utility", "vector"),
        *("ctype.h", "errno.h", "limits.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h"),
        *("sys/types.h", "time.h", "unistd.h"),
    )
)
"""Headers that other headers of the system brought along before, or do elsewhere."""


def fails_by_warnings(output: str) -> bool:
    """Whether all errors that a compiler printed are warnings that its flags make errors."""
    errors = [match[0] for match in _ERROR.finditer(output)]
    return bool(errors) and all(_WARNING.search(error) for error in errors)


def first_allowance(sources: Mapping[str, BuildFile]) -> Allowance:
    """What the compilers of the first try do differently: for most work nothing."""
    files = (file.data for name, file in sources.items() if _BUILD_FILE.search(name))
    return Allowance(no_sanitizers=any(b"-fsanitize" in data for data in files))


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """What the compilers of a second try do differently."""

    warnings: bool = False
    """Warnings are no errors."""
    no_sanitizers: bool = False
    """Nothing is built with sanitizers: no match loads their libraries, and a team's memory is limited."""
    is_common: bool = False
    """Several files of C may define one variable, as before gcc 10."""
    headers: frozenset[str] = frozenset()
    """Included before everything else."""
    compilers: frozenset[str] = frozenset()
    """Names of compilers that this machine lacks; its own stand for them."""

    def with_what_helps(self, output: str) -> Allowance:
        """This allowance and what may help a build that failed in spite of it; the same one if nothing may.

        Args:
            output: what its last command printed.
        """
        return replace(
            self,
            warnings=self.warnings or fails_by_warnings(output),
            is_common=self.is_common or bool(_COMMON.search(output)),
            headers=self.headers | _headers_lacking(output),
            compilers=self.compilers | {match[1] or match[2] for match in _NO_COMPILER.finditer(output)},
        )

    def scripts(self) -> Mapping[str, BuildFile]:
        """Scripts in place of the compilers, by their paths in the scratch folder."""
        places = {name: shutil.which(name, path=CLEAN["PATH"]) for name in COMPILERS}
        places |= {name: shutil.which("g++" if "++" in name else "gcc", path=CLEAN["PATH"]) for name in self.compilers}
        return {
            f"{FOLDER}/{name}": BuildFile(self._script(name, place).encode(), executable=True)
            for name, place in places.items()
            if place is not None
        }

    def _script(self, name: str, place: str) -> str:
        dropped = ["-Werror", "'-Werror='*", "-pedantic-errors"] if self.warnings else []
        dropped += ["'-fsanitize'*", "-lasan", "-lubsan"] if self.no_sanitizers else []
        # What gcc refuses of clang's.
        dropped += ["-Weverything", "'-stdlib='*", "-fcolor-diagnostics"] if name in self.compilers else []
        is_cpp = "++" in name
        added = ["-fcommon"] if self.is_common and not is_cpp else []
        added += [f"-include {header}" for header in sorted(self.headers) if is_cpp or header.endswith(".h")]
        return _SCRIPT.replace("DROPPED", "|".join(dropped) or "''").replace("COMPILER", " ".join([place, *added]))

    def in_words(self) -> str:
        """How a build was done: ``without -Werror``."""
        words = ["without -fsanitize"] if self.no_sanitizers else []
        words += ["without -Werror"] if self.warnings else []
        words += ["with -fcommon"] if self.is_common else []
        words += [f"with {', '.join(f'<{header}>' for header in sorted(self.headers))} included"] if self.headers else []
        words += [f"with gcc for {', '.join(sorted(self.compilers))}"] if self.compilers else []
        return " and ".join(words)


def _headers_lacking(output: str) -> set[str]:
    """Headers that the compiler says were forgotten, and those of a size or a number of fixed width that it does not know."""
    headers = {match[1] for match in _FORGOTTEN.finditer(output)} & _USUAL
    names = {name for match in _NUMBER.finditer(output) for name in match.groups() if name}
    return headers | ({"stddef.h", "stdint.h"} if any(map(_SIZES.fullmatch, names)) else set())
