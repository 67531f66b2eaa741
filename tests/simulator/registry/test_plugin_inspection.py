"""What a cell says is taken only as far as it can be true."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tiltyard_engine.registry import Contribution, Description, Source
from tiltyard_engine.registry.loading import Problem
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.registry.plugin_inspection import MOST_PROBLEMS, checked

FILE = Source(name="bot", origin=Origin.FILE, value="/teams/bot.py")
INSTALLED = Source(name="bot", origin=Origin.INSTALLED, value="bot", distribution="bot-team", version="1.0")
SOUND = Contribution(kind="map", name="field", game="tanks", description="a map", seats=2, data=b"map")


def test_what_can_be_true_is_taken() -> None:
    told = Description("/teams/bot.py", [SOUND], [Problem("odd", "x", "map", "Traceback")])
    assert checked(FILE, told) == told


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"kind": "command"}, "unknown kind 'command'"),
        ({"name": "../../etc/passwd"}, "the name '../../etc/passwd'"),
        ({"name": ""}, "the name ''"),
        ({"name": "x\n"}, "the name 'x"),
        ({"game": "tanks\x1b[2J"}, "or the game 'tanks"),
        ({"log_suffix": "/../../x"}, "log_suffix is '/../../x'"),
        ({"seats": -1}, "seats is -1"),
        ({"seats": 10**18}, "seats is 1"),
        ({"description": "x" * 2001}, "the description has 2,001 characters"),
    ],
)
def test_what_cannot_be_true_costs_the_whole_plugin(change: dict[str, Any], part: str) -> None:
    found = checked(FILE, Description("/teams/bot.py", [SOUND, replace(SOUND, **change)]))
    assert found.contributions == []
    (problem,) = found.problems
    assert problem.reason.startswith("one of its records is invalid: ")
    assert part in problem.reason


@pytest.mark.parametrize(
    ("source", "file", "kept"),
    [
        (FILE, "/etc/passwd", "/teams/bot.py"),
        (FILE, "/teams/bot.py/../../etc", "/teams/bot.py"),
        (INSTALLED, "/site/bot/__init__.py", "/site/bot/__init__.py"),
        (INSTALLED, "bot.py", ""),
        (INSTALLED, "/site/\x1b[2J.py", ""),
        (INSTALLED, "/" + "x" * 5000, ""),
    ],
)
def test_a_file_that_is_not_the_sources_is_not_named(source: Source, file: str, kept: str) -> None:
    assert checked(source, Description(file, [SOUND])).file == kept


def test_problems_are_counted_and_of_a_known_kind() -> None:
    found = checked(FILE, Description("", problems=[Problem("odd", kind="\x1b")] * 1000))
    assert len(found.problems) == MOST_PROBLEMS
    assert {problem.kind for problem in found.problems} == {"plugin"}


@pytest.mark.parametrize("missing", ["x" * 5000, "../secret", "a\0b", "..", "\udc80"])
def test_a_missing_modules_name_leads_nowhere(missing: str) -> None:
    (problem,) = checked(FILE, Description("", problems=[Problem("odd", missing=missing)])).problems
    assert problem.reason == "odd"
