"""The course's marks: what the tests of the levels and the games against level 7 are worth. Pure: no play happens here.

Level 4 gives 50 % for all of its tests, level 5 takes that to 65 %, level 6 to 75 %, level 7 to 85 %. Whoever fails a test of a
level is marked by those that were passed and is not asked the levels above. Who has passed all levels plays games against level 7:
each one won beyond 30 of 100 adds half a percent, up to 100 %.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS
from tiltyard_engine.texts.sanitize import one_line

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
FEWEST_SAME: Final = 2
"""So many tests tell a bot that never starts from one that fails a test."""
ENDS: Final = re.compile(
    r"(?:crash|out of memory): (?:\w+: )?"
    r"(?:the program (?:exited with code \d+|was killed by \w+)|cannot start .*|killed while it used|more than \d+ processes)"
)
"""How messages begin of programs that ended. An algorithm that raises an exception has started."""
DENIED: Final = re.compile(r"denied|not permitted|HRESULT|no such file|not found|cannot|failed|unable", re.IGNORECASE)
GIVE_UP: Final = 3
"""Timeouts in a row after which a bot is asked no more tests of a level: a bot that sleeps would cost hours."""
SUSPICIOUS_GAP: Final = 0.2
"""A share of hidden tests passed that is so much smaller than that of the public ones is worth a look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of one test."""

    test: LevelTest
    passed: bool
    reason: str
    """A word: RIGHT, WRONG, ILLEGAL, TIMEOUT, ..."""
    message: str
    got: str = ""
    """The board that was answered, 81 characters; empty where there was none."""
    seconds: float = 0.0
    """Wall time, the program's start included."""
    stderr: str = ""
    """The end of what it printed to standard error, where it failed."""
    is_void: bool = False
    """Whether the machine failed and the test says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
    unasked: int = 0
    """Tests that were not asked: the bot was given up, or marking was stopped. They are not passed."""
    is_given_up: bool = False
    """Whether it was asked no more after several timeouts in a row."""

    @property
    def tests(self) -> int:
        """How many the level has."""
        return len(self.answers) + self.unasked

    @property
    def is_unfinished(self) -> bool:
        """Whether marking was stopped within it, or before."""
        return self.unasked > 0 and not self.is_given_up

    @property
    def passed(self) -> int:
        """How many tests were passed."""
        return sum(answer.passed for answer in self.answers)

    @property
    def share(self) -> float:
        """Of the tests, 0 to 1."""
        return self.passed / self.tests if self.tests else 0.0

    @property
    def is_complete(self) -> bool:
        """Whether all tests of the level were passed."""
        return self.passed == self.tests

    @property
    def percent(self) -> float:
        """The mark that it brings a bot to."""
        low, high = SPANS[self.level]
        return high if self.is_complete else low + (high - low) * self.share

    @property
    def failures(self) -> list[Answer]:
        """The tests that were not passed."""
        return [answer for answer in self.answers if not answer.passed]


@dataclass(slots=True, kw_only=True)
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
    denied: str = ""
    """What the sandbox denied to it, in words, if it always ended in the same way."""
    is_stopped: bool = False
    """Whether marking was stopped before the bot had been asked everything."""

    @property
    def is_final(self) -> bool:
        """Whether the mark is the bot's: it was asked everything, it started, and the machine failed in nothing."""
        return not self.voids and not self.is_stopped and not self.same_end

    @property
    def level(self) -> int:
        """The highest level of which it passed all tests; 0: none."""
        return max((result.level for result in self.levels if result.is_complete), default=0)

    @property
    def voids(self) -> int:
        """Answers and games that do not count because the machine failed: the mark is not final."""
        answers = [answer for result in (*self.levels, *self.hidden) for answer in result.answers]
        return sum(answer.is_void for answer in answers) + sum(game.is_void for game in self.games)

    @property
    def same_end(self) -> str:
        """How the bot ended in each of several tests, if it never did anything else; empty if it did.

        Mistakes of a bot depend on the board. What ends in the same way on every board has most likely never started: the machine
        lacks something, or the sandbox denies it.
        """
        answers = [answer for result in self.levels for answer in result.answers if not answer.is_void]
        ends = {match[0] if (match := ENDS.match(answer.message)) else "" for answer in answers}
        return ends.pop() if len(answers) >= FEWEST_SAME and len(ends) == 1 else ""

    @property
    def complaint(self) -> str:
        """What the bot wrote to standard error about its end: the line that names what was denied, or else the last one."""
        all_lines = [line.strip() for result in self.levels for answer in result.answers for line in answer.stderr.splitlines()]
        lines = [line for line in all_lines if line]
        denials = [line for line in lines if DENIED.search(line)]
        return (denials or lines or [""])[-1]

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
        """The mark in percent; ``per_win`` is what a win against level 7 adds."""
        if not self.levels:
            return 0.0
        mark = self.levels[-1].percent
        return mark if mark < SPANS[7][1] else min(FULL, mark + max(0.0, self.wins_in_hundred - FREE_WINS) * per_win)

    def notes(self) -> list[str]:
        """What people should know of the mark beside its number."""
        given_up = [
            f"level {result.level} was given up after too many timeouts in a row; {result.unasked} of its tests were not asked"
            for result in self.levels
            if result.is_given_up
        ]
        voids = [f"not final: the machine failed {self.voids} times; mark it again"] if self.voids else []
        stopped = ["not final: marking was stopped; run the same command again to continue"] if self.is_stopped else []
        return [*given_up, *voids, *stopped, *self._same_end_notes()]

    def _same_end_notes(self) -> list[str]:
        if not self.same_end:
            return []
        tests = sum(len(result.answers) for result in self.levels)
        complaint = f"It said: {one_line(self.complaint, 200)}" if self.complaint else "It said nothing"
        denied = f"; {one_line(self.denied)}" if self.denied else ""
        how = f"the bot ended in the same way in all of {tests} tests: {self.same_end}{denied}. {complaint}"
        return [f"not final: the machine or the sandbox looks at fault: {how}"]

    def flags(self) -> list[str]:
        """Reasons to read its code: hidden tests that it fails where it passes the public ones."""
        public = {result.level: result for result in self.levels}
        flags: list[str] = []
        for result in self.hidden:
            public_result = public[result.level]
            if public_result.is_unfinished or result.is_unfinished:
                continue
            differs = public_result.is_complete and not result.is_complete
            if differs or public_result.share - result.share > SUSPICIOUS_GAP:
                public_share = f"passes {public_result.passed} of {public_result.tests} public tests"
                hidden_share = f"{result.passed} of {result.tests} hidden tests"
                flags.append(f"level {result.level}: {public_share}, but only {hidden_share}: the answers may be hard-coded")
        return flags


def levels_of(pack: Sequence[LevelTest]) -> list[int]:
    """The levels that are asked: those of the pack, up to the first that it lacks."""
    there = {test.level for test in pack}
    return [level for place, level in enumerate(LEVELS) if there.issuperset(LEVELS[: place + 1])]


def tests_of(pack: Sequence[LevelTest], level: int) -> list[LevelTest]:
    """A pack's tests of a level."""
    return [test for test in pack if test.level == level]


def may_play(mark: BotMark) -> bool:
    """Whether a bot has passed all levels, and so plays games."""
    return [result.level for result in mark.levels if result.is_complete] == list(LEVELS)
