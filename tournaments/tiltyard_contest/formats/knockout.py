"""Knockout: the loser of a meeting is out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_contest.formats.meetings import MeetingFormat, MeetingOptions, MeetingRound, Rounds, seeded_places
from tiltyard_engine.formats import Field, option

STAGES: Final = {2: "final", 4: "semi-final", 8: "quarter-final"}
PLACES: Final = {3: "third place", 5: "fifth place", 7: "seventh place"}


@dataclass(frozen=True, slots=True)
class KnockoutOptions(MeetingOptions):
    """The options of ``knockout``."""

    third_place: bool = option(True, "whether the losers of the semi-finals play for third place")
    places: int = option(
        0,
        "losers play for their places up to this one, such as 8: those of the quarter-finals for 5 to 8; 0: only for the third",
        ge=0,
    )


class Knockout(MeetingFormat):
    """A line of rounds in which winners go on; losers may play for the places behind them, in a line of their own."""

    def __init__(self, field: Field, options: KnockoutOptions) -> None:
        super().__init__(field, options, "knockout")
        self.last_place = options.places or (4 if options.third_place else 2)
        """Places from 1 to this one are decided by meetings."""

    def play_through(self, rounds: Rounds) -> list[list[int]]:
        return self._line(rounds, seeded_places(len(self.team)), 1, 1)

    def _line(self, rounds: Rounds, places: list[int], first: int, level: int) -> list[list[int]]:
        """Play for the places from ``first`` on, and give the seeds as groups of equals, best first."""
        remaining = [seed for seed in places if seed >= 0]
        behind: list[list[int]] = []
        own: list[MeetingRound] = []
        while len(places) > 1:
            current = rounds.play(line_stage(first, len(places)), places, level, first)
            own.append(current)
            losers = [seed for seed in current.losers if seed >= 0]
            groups = [losers]
            if (next_first := first + len(current.winners)) <= self.last_place and len(current.losers) > 1:
                groups = self._line(rounds, current.losers, next_first, level + 1)
            if current.is_complete:
                remaining = [seed for seed in remaining if seed not in losers]
                behind = [*groups, *behind]
            places, level = current.winners, level + 1
        rounds.show("" if first == 1 else line_stage(first, 2 ** len(own)), own, first)
        return [group for group in (remaining, *behind) if group]


def line_stage(first: int, left: int) -> str:
    """What a round is called that is played for ``left`` places from ``first`` on."""
    if first == 1:
        return STAGES.get(left, f"round of {left}")
    return PLACES.get(first, f"place {first}") if left == 2 else f"places {first} to {first + left - 1}"
