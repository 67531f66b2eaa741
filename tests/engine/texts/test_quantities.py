"""Numbers in sentences, and that no message forgets that there may be one of something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tiltyard_engine.texts.quantities import counted, in_seconds

ROOT = Path(__file__).resolve().parents[3]
NOUNS = "tanks|games|matches|teams|maps|rounds|questions|moves|bytes|files|rows|versions"
LONE_COUNT = re.compile(rf"\{{len\([^{{}}]*\)(?::,)?\}} (?:{NOUNS})\b")
"""A length before a plural. Where it can't be one, the number is compared before, and the line says so."""
NEVER_ONE = (
    "bytes, which its shape",
    "matches have keys",
    "stands for",
    "matches gave",
    "matches were the same",
    "games, the first",
    "teams play",
    "teams and",
    "picture.layout",
    "instead of one",
)


@pytest.mark.parametrize(
    ("number", "words", "text"),
    [(1, ("tank",), "1 tank"), (0, ("tank",), "0 tanks"), (2000, ("tank",), "2,000 tanks"), (2, ("match", "matches"), "2 matches")],
)
def test_a_noun_fits_its_number(number: int, words: tuple[str, ...], text: str) -> None:
    assert counted(number, *words) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.999751, "1 s"),
        (0.05, "0.05 s"),
        (0.00012345, "0.000123 s"),
        (0, "0 s"),
        (1, "1 s"),
        (1.5, "1.5 s"),
        (12.3456, "12.35 s"),
        (600.0, "600 s"),
        (1234.5678, "1,235 s"),
        (86400, "86,400 s"),
    ],
)
def test_seconds_are_rounded_for_people(seconds: float, text: str) -> None:
    assert in_seconds(seconds) == text


def test_a_length_before_a_plural_can_be_one() -> None:
    """``1 teams, 1 maps`` stood on the screen: ``counted`` makes the noun fit."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for room in ("simulator", "tournaments", "plugins")
        for path in sorted((ROOT / room).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if LONE_COUNT.search(line) and not any(words in line for words in NEVER_ONE)
    ]
    assert found == []
