"""The first error of a build's output: what the student should read first, with file and line where they are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Final

from tiltyard_engine.texts.sanitize import shortened

LONGEST: Final = 400
NOT_VENDORED: Final = ("no matching package ", "failed to get `", "failed to download", "unable to get packages")
"""How cargo says that it would have to download something."""
VENDOR: Final = "; builds have no network: hand in the crates too ('cargo vendor')"
GO_VENDOR: Final = "; builds have no network: hand in the modules too ('go mod vendor')"
BOUNDS_REACHED: Final[Mapping[str, tuple[str, ...]]] = {
    "; a build may not start that many processes": ("Cannot fork", "fork: ", "Resource temporarily unavailable"),
    "; a build may not write that much": ("No space left on device", "File too large", "Disk quota exceeded"),
    "; a build may not use that much memory": (
        "Cannot allocate memory",
        "virtual memory exhausted",
        "out of memory",
        "std::bad_alloc",
    ),
    "; builds have no network": ("Could not resolve host", "Couldn't resolve host", "Network is unreachable", "name resolution"),
}
"""What is said behind an error that comes from a bound of builds, by how tools tell of it."""
SAID: Final = "tiltyard: "
"""How a line begins in which a script of a recipe's own tells the team something."""
_COMPILER: Final = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.*)$")
_CSHARP: Final = re.compile(
    r"^\s*(?P<file>[^\s(][^(\n]*)\((?P<line>\d+),\d+(?:,\d+,\d+)?\): error (?P<what>\w+: .*?)(?: \[[^\]]*\])?$"
)
_CSHARP_BARE: Final = re.compile(r"^(?:.+: )?error (?P<what>(?:CS|MSB|NETSDK|NU)\d+: .*?|: .*?)(?: \[[^\]]*\])?$")
_CARGO: Final = re.compile(r"^error(?:\[E\d+\])?: (?P<what>.*)$")
_SEARCHED: Final = re.compile(r"^searched package name: (?P<crate>`.+`)$")
"""What cargo says below "no matching package found", where it has packages of others."""
_ARROW: Final = re.compile(r"^\s*--> (?P<file>[^:\n]+):(?P<line>\d+):\d+$")
_GO: Final = re.compile(r"^(?P<file>[^\s:]+\.go):(?P<line>\d+)(?::\d+)?: (?P<what>.*)$")
_GO_MODULE: Final = re.compile(r"^go: (?P<what>\S+@\S+: .*?)(?:; to add it:)?$")
_PYTHON: Final = re.compile(r'^(?:\*\*\*)?\s*File "(?P<file>[^"]+)", line (?P<line>\d+)')
_PYTHON_ERROR: Final = re.compile(r"^(?:Sorry: )?(?P<what>(?:SyntaxError|IndentationError|TabError|ValueError|[A-Z]\w*Error): .*)$")
_UNDEFINED: Final = re.compile(r"^(?P<where>.*?): (?P<what>undefined reference to .*|multiple definition of [^;]*).*$")
_LINKER: Final = re.compile(r"^(?:\S*/)?ld(?:\.\w+)?: (?P<what>cannot find .*|.*: No such file.*|.*undefined symbol.*)$")
_CMAKE: Final = re.compile(r"^CMake Error(?: at (?P<file>[^:\n]+):(?P<line>\d+))?.*$")
_MAKE: Final = re.compile(r"^(?:(?P<file>[^\s:]+):(?P<line>\d+): )?(?:make(?:\[\d+\])?: )?\*\*\* (?P<what>.*)$")
_RULE: Final = re.compile(r"^\[(?:(?P<file>[^\s:\]]+):(?P<line>\d+): )?[^\]]*\] (?:Error \d+|\w.*)$")
"""How make says that a command of a rule failed: what the command said before tells more."""
_CHATTER: Final = re.compile(r"^\$ |^make(?:\[\d+\])?: |^make(?:\[\d+\])?$")
_CLOSING: Final = re.compile(r"^\s*(?:Time Elapsed [\d:.]+|Build FAILED\.|\d+ (?:Warning|Error)\(s\))$")
"""How MSBuild ends, whatever went wrong."""
_BUILD_SCRIPT: Final = "failed to run custom build command"
_PANIC: Final = re.compile(r"^\s*thread '.*' .*panicked at (?P<file>[^:\n]+):(?P<line>\d+)")
_SHELL: Final = re.compile(
    r"^(?:/bin/)?(?:ba|da)?sh: (?:line )?\d+: (?P<what>.*not found.*)$|^make(?:\[\d+\])?: (?P<what2>[^*].*No such file.*)$"
)


def first_error(log: str, stem: str = "") -> str:
    """The first error, such as ``Tank.cpp:12: expected ';' before '}' token``; the last line if none is recognised.

    Args:
        log: what the build has printed.
        stem: the folder that names of files begin with, which is left out.
    """
    lines = [line.rstrip() for line in log.splitlines()]
    if messages := output_lines(log):
        return _short(messages[0], stem)
    for finder in (_compilers, _linkers, _builders):
        problem = next(finder(lines), "")
        if problem:
            return _short(problem + _bound_reached(problem), stem)
    spoken = [line for line in lines if line.strip() and not _CLOSING.match(line)]
    return _short(spoken[-1].strip() + _bound_reached(spoken[-1]), stem) if spoken else ""


def output_lines(log: str) -> list[str]:
    """What a script of a recipe's own has to tell."""
    return [line.removeprefix(SAID).rstrip() for line in log.splitlines() if line.startswith(SAID)]


def _bound_reached(error: str) -> str:
    return next((hint for hint, signs in BOUNDS_REACHED.items() if any(each in error for each in signs)), "")


def _compilers(lines: Sequence[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        for pattern in (_COMPILER, _CSHARP, _GO):
            if match := pattern.match(line):
                # A file of the SDK says nothing to the student, nor where it lies on this machine.
                of_tool = pattern is _CSHARP and match["file"].endswith((".targets", ".props")) and match["file"].startswith("/")
                yield match["what"] if of_tool else f"{match['file']}:{match['line']}: {match['what']}"
        if match := _CSHARP_BARE.match(line):
            yield match["what"].removeprefix(": ")
        if (match := _CARGO.match(line)) and not match["what"].startswith(("could not compile", "aborting due")):
            hint = VENDOR if match["what"].startswith(NOT_VENDORED) else ""
            if match["what"].startswith(_BUILD_SCRIPT):
                yield from _of_build_script(lines[place + 1 :])
            yield _with_arrow(match["what"], lines[place + 1 : place + 4]) + hint
        if match := _PYTHON.match(line):
            yield from _of_python(match, lines[place + 1 : place + 8])

        if match := _GO_MODULE.match(line):
            yield f"{match['what']}{GO_VENDOR}"


def _of_build_script(following: Sequence[str]) -> Iterator[str]:
    for place, line in enumerate(following):
        if match := _PANIC.match(line):
            message = following[place + 1].strip() if place + 1 < len(following) else ""
            yield f"{match['file']}:{match['line']}: the build script failed: {message}"


def _with_arrow(what: str, following: Sequence[str]) -> str:
    if following and (searched := _SEARCHED.match(following[0])):
        return f"no matching package named {searched['crate']} found"
    arrow = next(filter(None, map(_ARROW.match, following)), None)
    return f"{arrow['file']}:{arrow['line']}: {what}" if arrow is not None else what


def _of_python(place: re.Match[str], following: Sequence[str]) -> Iterator[str]:
    error = next(filter(None, map(_PYTHON_ERROR.match, following)), None)
    if error is not None:
        yield f"{place['file']}:{place['line']}: {error['what']}"


def _linkers(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        if match := _UNDEFINED.match(line):
            yield match["what"] + _in_file(match["where"])
        elif match := _LINKER.match(line):
            yield match["what"]


def _in_file(where: str) -> str:
    names = re.findall(r"[\w.+-]+\.(?:cpp|cc|cxx|c|rs)\b", where)
    return f" (in {names[-1]})" if names else ""


def _builders(lines: Sequence[str]) -> Iterator[str]:
    for place, line in enumerate(lines):
        if match := _CMAKE.match(line):
            # What belongs to it is indented.
            after = takewhile(lambda line: not line or line.startswith(" "), lines[place + 1 : place + 6])
            message = " ".join(each.strip() for each in after if each)
            where = f"{match['file']}:{match['line']}: " if match["file"] else ""
            yield f"{where}{message or line}"
        elif match := _SHELL.match(line):
            yield match["what"] or match["what2"]
        elif match := _MAKE.match(line):
            rule = _RULE.match(match["what"])
            message = next((each.strip() for each in reversed(lines[:place]) if each.strip()), "") if rule is not None else ""
            if message and not _CHATTER.match(message) and rule is not None:
                yield (f"{rule['file']}:{rule['line']}: " if rule["file"] else "") + message
            else:
                yield (f"{match['file']}:{match['line']}: " if match["file"] else "") + match["what"]


def _short(text: str, stem: str) -> str:
    # What gcc quotes so in UTF-8.
    text = text.replace("\N{LEFT SINGLE QUOTATION MARK}", "'").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    text = text.replace(stem.rstrip("/") + "/", "") if stem else text
    return shortened(text, LONGEST)
