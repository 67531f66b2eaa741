"""Command-line flags as Go's ``flag`` package reads them: the subject's engine is a Go program.

``-x`` and ``--x``, ``-x value`` and ``-x=value`` are the same; the first word that is no flag ends them; a wrong one is told on
standard error together with the usage, and ends the program with status 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

INTEGER: Final = re.compile(r"([+-]?)(?:0[xX]((?:_?[0-9a-fA-F])+)|0[bB]((?:_?[01])+)|0[oO]?((?:_?[0-7])+)|([1-9](?:_?[0-9])*|0))")
BASES: Final = (16, 2, 8, 10)
"""Of the groups of INTEGER, the sign aside."""
TRUE: Final = ("1", "t", "T", "TRUE", "true", "True")
FALSE: Final = ("0", "f", "F", "FALSE", "false", "False")


class FlagError(Exception):
    """A wrong command line. Without a message the usage was asked for."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A flag under one name; several may set the same value."""

    name: str
    target: str
    """Under which name the value is kept."""
    kind: Literal["string", "int", "bool"]
    help: str
    """Empty: not in the usage."""
    default: int | Callable[[], int] = 0
    """Of numbers, for the usage; a function gives a different one each time."""


def parse(flags: Sequence[Flag], words: Sequence[str]) -> dict[str, str | int | bool]:
    """The values that were given, by target; of several the last one counts.

    Raises:
        FlagError: the command line is wrong, or asks for the usage.
    """
    by_name = {flag.name: flag for flag in flags}
    values: dict[str, str | int | bool] = {}
    rest = list(words)
    while rest and len(rest[0]) > 1 and rest[0].startswith("-"):
        word = rest.pop(0)
        if word == "--":
            break
        name, equals, value = word.removeprefix("-").removeprefix("-").partition("=")
        if not name or name.startswith("-"):
            raise FlagError(f"bad flag syntax: {word}")
        if name not in by_name:
            raise FlagError("" if name in ("h", "help") else f"flag provided but not defined: -{name}")
        flag = by_name[name]
        if flag.kind == "bool":
            if equals and value not in TRUE + FALSE:
                raise FlagError(f"invalid boolean value {quote(value)} for -{name}: parse error")
            values[flag.target] = not equals or value in TRUE
            continue
        if not equals:
            if not rest:
                raise FlagError(f"flag needs an argument: -{name}")
            value = rest.pop(0)
        values[flag.target] = _integer(name, value) if flag.kind == "int" else value
    return values


def _integer(name: str, text: str) -> int:
    match = INTEGER.fullmatch(text)
    if match is None:
        raise FlagError(f"invalid value {quote(text)} for flag -{name}: parse error")
    digits, base = next((digits, base) for digits, base in zip(match.groups()[1:], BASES) if digits is not None)
    # A number of very many digits is out of range without being worked out.
    value = int(match[1] + digits.replace("_", ""), base) if len(digits) < 200 else 1 << 64
    if not -(1 << 63) <= value < 1 << 63:
        raise FlagError(f"invalid value {quote(text)} for flag -{name}: value out of range")
    return value


def usage(program: str, flags: Sequence[Flag]) -> str:
    """The usage as Go prints it: by name, with what each takes."""
    lines = [f"Usage of {program}:"]
    for flag in sorted(flags, key=lambda flag: flag.name):
        if not flag.help:
            continue
        first = f"  -{flag.name}" + ("" if flag.kind == "bool" else f" {flag.kind}")
        # A flag of one letter without a value leaves room for its help on the same line.
        between = "\t" if len(first) <= 4 else "\n    \t"
        default = flag.default() if callable(flag.default) else flag.default
        lines.append(f"{first}{between}{flag.help}" + (f" (default {default})" if default else ""))
    return "".join(f"{line}\n" for line in lines)


def quote(text: str) -> str:
    """The text in double quotes, what cannot be printed escaped."""
    escapes = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r", "\a": "\\a", "\b": "\\b", "\f": "\\f", "\v": "\\v"}
    return '"' + "".join(escapes.get(letter, letter if letter.isprintable() else _escape(letter)) for letter in text) + '"'


def _escape(letter: str) -> str:
    code = ord(letter)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
