"""What the results of other answers say of each turn, in figures.

The chance of a turn is the share of its other answers that help, if both programs play on after them: one that turns a defeat
into a victory counts fully, into a tie by half. What an answer cost is by how much the chances of the turns after it are less
than those of the last turns up to its own. So an early turn costs nothing although other answers there would have helped: the
match could still be won after it. And where nothing helps any more from some turn on, the one before it costs most. Roots of
the chances are compared: whether anything helps at all says more than whether two answers help or four.

Where a match ends with scores, or with tanks that are left, it also counts how far ahead or behind the team ended: the mean over
the turns after an answer is less than that over the turns up to it by some standard deviations of all trials; half of them count.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import pstdev
from typing import Final

from tiltyard_whatif.playing import TeamAnswer

MOST_MOMENTS: Final = 3
"""So many are shown."""
MARGIN_WEIGHT: Final = 0.5
"""What a standard deviation of the margin counts, beside the root of the chance."""
WINDOW: Final = 6
"""How many turns before and after an answer are compared. Fewer are chance; with more, an early mistake hides a late one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """The result of an answer that was put in."""

    answer: str
    value: float
    """For the team; see ``Course.value``."""
    margin: float
    """How far ahead the team ended; see ``Course.margin``."""
    rounds: int
    """Of the replay, until the end."""
    differs: int
    """The first round of the replay that differs; 0: none does."""
    rank: int
    """Of the team."""
    failed: str
    """How the team's own program failed after it, such as ``illegal move``; empty if it didn't."""
    reason: str = ""
    message: str = ""


@dataclass(slots=True)
class Turn:
    """One answer of a team, and the results of others."""

    decision: TeamAnswer
    others: tuple[str, ...]
    """All other legal answers, in the order in which they are tried."""
    trials: dict[str, Trial] = field(default_factory=dict)

    @property
    def untried(self) -> list[str]:
        """The answers that were not put in yet."""
        return [text for text in self.others if text not in self.trials]

    def chance(self, value: float) -> float:
        """The share of the answers that were tried here that help; ``value`` is that of the match as it was played."""
        gains = [max(0.0, trial.value - value) for trial in self.trials.values()]
        return sum(gains) / len(gains) / (1 - value) if gains and value < 1 else 0.0

    @property
    def margin(self) -> float:
        """The mean margin of the answers that were tried here."""
        return _mean([trial.margin for trial in self.trials.values()])

    def best(self, value: float) -> Trial | None:
        """The trial that gained most, of these the one that came to its end first; None if none was worth more than ``value``."""
        better = [trial for trial in self.trials.values() if trial.value > value]
        return min(better, key=lambda trial: (-trial.value, trial.rounds, trial.answer), default=None)


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn at which another answer would have changed the result."""

    turn: Turn
    best: Trial
    helping: int
    """How many of the answers that were tried there would have been worth more."""
    before: float
    """The mean chance of the last turns up to this one."""
    after: float
    """The mean chance of the next turns."""
    cost: float
    """What the answer cost; see the head of this file."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a match, as far as answers were tried."""

    turns: Sequence[Turn]
    """In the order of the match."""
    value: float
    """What the match was worth for the team as it was played."""
    margin: float = 0.0
    """How far ahead it ended."""

    @property
    def visited(self) -> list[Turn]:
        """The turns at which other answers were tried."""
        return [turn for turn in self.turns if turn.trials]

    @property
    def trials(self) -> int:
        """How many answers were tried."""
        return sum(len(turn.trials) for turn in self.turns)

    @property
    def failures(self) -> dict[str, int]:
        """In how many trials the team's own program failed afterwards, by how it failed."""
        return Counter(trial.failed for turn in self.turns for trial in turn.trials.values() if trial.failed)

    @property
    def possible(self) -> int:
        """How many other answers there were in the whole match."""
        return sum(len(turn.others) for turn in self.turns)

    def moments(self) -> list[Moment]:
        """The turns at which another answer would have changed the result: those first that cost most, of equal ones the later."""
        visited = self.visited
        chances = [turn.chance(self.value) for turn in visited]
        roots = list(map(math.sqrt, chances))
        margins = [turn.margin for turn in visited]
        deviation = pstdev([trial.margin for turn in visited for trial in turn.trials.values()] or [0.0])
        moments = []
        for place, turn in enumerate(visited):
            best = turn.best(self.value)
            if best is None:
                continue
            before, after = slice(max(0, place - WINDOW + 1), place + 1), slice(place + 1, place + 1 + WINDOW)
            cost = _mean(roots[before]) - _mean(roots[after])
            if deviation:
                # After the last answer, the match ends as it did.
                cost += MARGIN_WEIGHT * (_mean(margins[before]) - _mean(margins[after] or [self.margin])) / deviation
            helping = sum(trial.value > self.value for trial in turn.trials.values())
            moments.append(Moment(turn, best, helping, _mean(chances[before]), _mean(chances[after]), cost))
        return sorted(moments, key=lambda moment: (-round(moment.cost, 9), *(-number for number in moment.turn.decision.point)))

    def last_help(self) -> Turn | None:
        """The last turn at which anything helped, of those that were tried."""
        return next((turn for turn in reversed(self.visited) if turn.best(self.value) is not None), None)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0
