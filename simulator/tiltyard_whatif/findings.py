"""What the results of other answers say of each turn, in figures.

The worth of a turn is what a team gets there on average over all legal answers, if both programs play on after it: the answer that was
given counts with what came of it, and those that were not tried count as the tried ones did. What an answer cost is the worth of its
turn less that of the team's next turn, or of the result where there is none. So a turn before the decisive one costs nothing,
although other answers there would have helped too: the game could still be won after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tiltyard_whatif.playing import Decision

MOST_MOMENTS: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What came of an answer that was put in."""

    answer: str
    value: float
    """For the team; see ``Course.value``."""
    rounds: int
    """Of the replay, until the end."""
    differs: int
    """The first round of the replay that is another one; 0: none is."""
    reason: str = ""
    message: str = ""


@dataclass(slots=True)
class Turn:
    """One answer of a team, and what came of others in its place."""

    decision: Decision
    others: tuple[str, ...]
    """All other legal answers, in the order in which they are tried."""
    trials: dict[str, Trial] = field(default_factory=dict)

    @property
    def untried(self) -> list[str]:
        """The answers that were not put in yet."""
        return [text for text in self.others if text not in self.trials]

    def worth(self, value: float) -> float:
        """The mean over all legal answers, where that was tried; ``value`` is that of the answer given."""
        if not self.trials:
            return value
        mean = sum(trial.value for trial in self.trials.values()) / len(self.trials)
        return (value + len(self.others) * mean) / (1 + len(self.others))

    def best(self, value: float) -> Trial | None:
        """The trial that gained most, of these the one that came to its end first; None if none was worth more than ``value``."""
        better = [trial for trial in self.trials.values() if trial.value > value]
        return min(better, key=lambda trial: (-trial.value, trial.rounds, trial.answer), default=None)


@dataclass(frozen=True, slots=True)
class Moment:
    """A turn at which another answer would have changed the result."""

    turn: Turn
    best: Trial
    cost: float
    """What the answer cost; see the head of this file."""
    helping: int
    """How many of the answers that were tried there would have been worth more."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What is known of a match, as far as answers were tried."""

    turns: Sequence[Turn]
    """In the order of the match."""
    value: float
    """What the match was worth for the team as it was played."""

    @property
    def visited(self) -> list[Turn]:
        """The turns at which other answers were tried."""
        return [turn for turn in self.turns if turn.trials]

    @property
    def trials(self) -> int:
        """How many answers were tried."""
        return sum(len(turn.trials) for turn in self.turns)

    @property
    def possible(self) -> int:
        """How many other answers there were in the whole match."""
        return sum(len(turn.others) for turn in self.turns)

    def costs(self) -> Mapping[tuple[int, int], float]:
        """What the answer of each visited turn cost, up to the next visited one."""
        visited = self.visited
        worths = [*(turn.worth(self.value) for turn in visited), self.value]
        return {turn.decision.point: worths[number] - worths[number + 1] for number, turn in enumerate(visited)}

    def moments(self) -> list[Moment]:
        """The turns at which another answer would have changed the result, those first whose answer cost most, then the later ones."""
        costs = self.costs()
        moments = [
            Moment(turn, best, costs[turn.decision.point], sum(trial.value > self.value for trial in turn.trials.values()))
            for turn in self.visited
            if (best := turn.best(self.value)) is not None
        ]
        return sorted(moments, key=lambda moment: (-round(moment.cost, 9), *(-number for number in moment.turn.decision.point)))

    def last_help(self) -> Turn | None:
        """The last turn at which anything helped, of those that were tried."""
        return next((turn for turn in reversed(self.visited) if turn.best(self.value) is not None), None)
