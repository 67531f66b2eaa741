from __future__ import annotations

import re
import time

import pytest

from tiltyard_filler.game_engine import FLAGS
from tiltyard_filler.go_flags import FlagError, parse, usage

USAGE = (
    "Usage of engine:\n  -f string\n    \tPath to map\n  -file string\n    \tPath to map\n  -p1 string\n    \tPath to AI one\n"
    "  -p2 string\n    \tPath to AI two\n  -player1 string\n    \tPath to AI one\n  -player2 string\n    \tPath to AI two\n"
    "  -q\tQuiet mode\n  -quiet\n    \tQuiet mode\n  -r\tThrottling mode\n  -refresh\n    \tThrottling mode\n"
    "  -s int\n    \tSet a random seed number (default NOW)\n  -seed int\n    \tUse a random seed number (default NOW)\n"
    "  -t int\n    \tSet timeout in seconds (default 10)\n  -time int\n    \tSet timeout in seconds (default 10)\n"
)


def test_the_usage() -> None:
    before = time.time_ns()
    shown = usage("engine", FLAGS)
    nows = [int(now) for now in re.findall(r"\(default (\d{12,})\)", shown)]
    assert before <= nows[0] <= nows[1] <= time.time_ns()
    assert re.sub(r"default \d{12,}", "default NOW", shown) == USAGE


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("", {}),
        ("-f m --p1 a -player2=b", {"map": "m", "first": "a", "second": "b"}),
        ("-q -r=false --refresh=T", {"quiet": True, "refresh": True}),
        ("-s 7 -seed 9", {"seed": 9}),
        ("-seed 9 -s 7", {"seed": 7}),
        ("-s -5 -t=0", {"seed": -5, "seconds": 0}),
        ("-s 0x1F", {"seed": 31}),
        ("-s -0b101", {"seed": -5}),
        ("-s 017", {"seed": 15}),
        ("-s 0o17", {"seed": 15}),
        ("-s +1_000", {"seed": 1000}),
        ("-s -9223372036854775808", {"seed": -(1 << 63)}),
        ("-s 3 extra -s 4", {"seed": 3}),
        ("-s 3 - -s 4", {"seed": 3}),
        ("-s 3 -- -s 4", {"seed": 3}),
        ("-p1= -f=a=b", {"first": "", "map": "a=b"}),
        ("-strict", {"strict": True}),
    ],
)
def test_what_is_understood(line: str, values: dict[str, object]) -> None:
    assert parse(FLAGS, line.split()) == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("-bogus", "flag provided but not defined: -bogus"),
        ("--bogus=1", "flag provided but not defined: -bogus"),
        ("---s 1", "bad flag syntax: ---s"),
        ("-=1", "bad flag syntax: -=1"),
        ("-s", "flag needs an argument: -s"),
        ("-s abc", 'invalid value "abc" for flag -s: parse error'),
        ("-s 09", 'invalid value "09" for flag -s: parse error'),
        ("-s 1__0", 'invalid value "1__0" for flag -s: parse error'),
        ("-t 9223372036854775808", 'invalid value "9223372036854775808" for flag -t: value out of range'),
        ("-t " + "9" * 5000, f'invalid value "{"9" * 5000}" for flag -t: value out of range'),
        ("-q=maybe", 'invalid boolean value "maybe" for -q: parse error'),
        ('-s "\\', 'invalid value "\\"\\\\" for flag -s: parse error'),
        ("-s \u00e9\x01", 'invalid value "\u00e9\\x01" for flag -s: parse error'),
        ("-h", ""),
        ("--help", ""),
    ],
)
def test_what_is_not(line: str, message: str) -> None:
    with pytest.raises(FlagError) as caught:
        parse(FLAGS, line.split())
    assert str(caught.value) == message
