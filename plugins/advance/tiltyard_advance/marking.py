"""The course's marks: what the tests of the levels and the games against level 7 are worth. Pure: no play happens here.

Level 4 gives 50 % for all of its tests, level 5 takes that to 65 %, level 6 to 75 %, level 7 to 85 %. Whoever fails a test of a
level is marked by those that were passed and is not asked the levels above. Who has passed all levels plays games against level 7:
each one won beyond 30 of 100 adds half a percent, up to 100 %.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS

SPANS: Final = {4: (0.0, 50.0), 5: (50.0, 65.0), 6: (65.0, 75.0), 7: (75.0, 85.0)}
"""Percent that a level begins with, and what all of its tests bring it to."""
GAMES: Final = 100
FREE_WINS: Final = 30
"""Wins in a hundred games that add nothing."""
PER_WIN: Final = 0.5
"""Percent for each win beyond them. With 0.25 a bot needs 90 wins for 100 %, as the course's text says in the same sentence."""
FULL: Final = 100.0
HONOUR: Final = 90
"""Wins in a hundred games that the course's text calls necessary for 100 %: told, not counted."""
SUSPICIOUS_GAP: Final = 0.2
"""A share of hidden tests passed that is so much smaller than that of the public ones is worth a look."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one test."""

    test: LevelTest
    passed: bool
    reason: str
    """A word: RIGHT, WRONG, ILLEGAL, TIMEOUT, ..."""
    message: str
    got: str = ""
    """The board that was answered, 81 characters; empty where there was none."""
    seconds: float = 0.0
    """Wall time, the program's start included."""
    said: str = ""
    """The end of what it printed to standard error, where it failed."""
    is_void: bool = False
    """Whether the machine failed and the test says nothing."""


@dataclass(frozen=True, slots=True)
class Game:
    """One game against level 7, from the marked bot's side."""

    number: int
    """From 1."""
    side: int
    """0: it played white."""
    outcome: str
    """``won``, ``tied`` or ``lost``."""
    message: str
    plies: int = 0
    seconds: float = 0.0
    """Wall time that the bot used."""
    is_void: bool = False


@dataclass(slots=True)
class LevelResult:
    """The tests of a level."""

    level: int
    answers: list[Answer] = field(default_factory=list)

    @property
    def passed(self) -> int:
        """Tests passed."""
        return sum(answer.passed for answer in self.answers)

    @property
    def share(self) -> float:
        """Of the tests, 0 to 1."""
        return self.passed / len(self.answers) if self.answers else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all were passed."""
        return self.passed == len(self.answers)

    @property
    def percent(self) -> float:
        """The mark that it brings a bot to."""
        low, high = SPANS[self.level]
        return high if self.is_complete else low + (high - low) * self.share

    @property
    def failures(self) -> list[Answer]:
        """The tests that were not passed."""
        return [answer for answer in self.answers if not answer.passed]


@dataclass(slots=True)
class BotMark:
    """All that is known of one bot."""

    label: str
    """What people called it."""
    name: str = ""
    """What it calls itself; empty where it does not say."""
    levels: list[LevelResult] = field(default_factory=list)
    """Those that it was asked, in order."""
    hidden: list[LevelResult] = field(default_factory=list)
    games: list[Game] = field(default_factory=list)
    problem: str = ""
    """Why it could not be marked at all."""

    @property
    def level(self) -> int:
        """The highest level of which it passed all tests; 0: none."""
        return max((result.level for result in self.levels if result.is_complete), default=0)

    @property
    def voids(self) -> int:
        """What the machine spoilt: the mark is not final."""
        answers = [answer for result in (*self.levels, *self.hidden) for answer in result.answers]
        return sum(answer.is_void for answer in answers) + sum(game.is_void for game in self.games)

    def count(self, outcome: str, side: int | None = None) -> int:
        """Games that ended so, of one side or of both."""
        return sum(game.outcome == outcome and side in (None, game.side) and not game.is_void for game in self.games)

    @property
    def wins_in_hundred(self) -> float:
        """Games won, for as many as the course has played."""
        return self.count("won") * GAMES / len(self.games) if self.games else 0.0

    @property
    def reached_honour(self) -> bool:
        """Whether it won the 90 games of the course's text."""
        return bool(self.games) and self.wins_in_hundred >= HONOUR

    def percent(self, per_win: float = PER_WIN) -> float:
        """The mark."""
        if not self.levels:
            return 0.0
        mark = self.levels[-1].percent
        return mark if mark < SPANS[7][1] else min(FULL, mark + max(0.0, self.wins_in_hundred - FREE_WINS) * per_win)

    def flags(self) -> list[str]:
        """Reasons to read its code: hidden tests that it fails where it passes the public ones."""
        public = {result.level: result for result in self.levels}
        found: list[str] = []
        for result in self.hidden:
            shown = public[result.level]
            differs = shown.is_complete and not result.is_complete
            if differs or shown.share - result.share > SUSPICIOUS_GAP:
                public_share = f"passes {shown.passed} of {len(shown.answers)} public tests"
                hidden_share = f"{result.passed} of {len(result.answers)} hidden ones"
                found.append(f"level {result.level}: {public_share}, but {hidden_share}: are answers hard-coded?")
        return found


def levels_of(pack: Sequence[LevelTest]) -> list[int]:
    """The levels that are asked: those of the pack, up to the first that it lacks."""
    there = {test.level for test in pack}
    return [level for place, level in enumerate(LEVELS) if there.issuperset(LEVELS[: place + 1])]


def tests_of(pack: Sequence[LevelTest], level: int) -> list[LevelTest]:
    """A pack's tests of a level."""
    return [test for test in pack if test.level == level]


def may_play(mark: BotMark) -> bool:
    """Whether a bot has passed all levels, and so plays games."""
    return not mark.problem and [result.level for result in mark.levels if result.is_complete] == list(LEVELS)
