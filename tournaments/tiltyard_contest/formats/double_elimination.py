"""Double elimination: a team that has lost two meetings is out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltyard_contest.formats.knockout import line_stage
from tiltyard_contest.formats.meetings import UNKNOWN, MeetingFormat, MeetingOptions, MeetingRound, Rounds, seeded_places
from tiltyard_engine.formats import Field, option


@dataclass(frozen=True, slots=True)
class DoubleEliminationOptions(MeetingOptions):
    """The options of ``double-elimination``."""

    reset: bool = option(
        True, "whether a grand final that the team from the lower bracket has won is played again, as each has lost once then"
    )


class DoubleElimination(MeetingFormat):
    """An upper bracket, a lower one for those who lost there, and a grand final between the two that are left."""

    def __init__(self, field: Field, options: DoubleEliminationOptions) -> None:
        super().__init__(field, options, "double-elimination")
        self.reset = options.reset
        self.most_extra_meetings = int(options.reset)

    def play_through(self, rounds: Rounds) -> list[list[int]]:
        """Rounds of the two brackets take turns.

        Beside a round of the upper bracket from the second on, those in the lower one meet; then the winners of that meet those
        who lost in the upper one.
        """
        places = seeded_places(len(self.team))
        upper = [rounds.play(f"upper {line_stage(1, len(places))}", places, 1)]
        lower: list[MeetingRound] = []
        left_in_lower = upper[0].losers
        while len(upper[-1].winners) > 1:
            number = len(upper) + 1
            places = upper[-1].winners
            upper.append(rounds.play(f"upper {line_stage(1, len(places))}", places, 2 * number - 2))
            among = self._lower_round(rounds, lower, left_in_lower, 2 * number - 2)
            dropped = crossed(upper[-1].losers, number)
            mixed = [seed for pair in zip(among.winners, dropped, strict=True) for seed in pair]
            against = self._lower_round(rounds, lower, mixed, 2 * number - 1, is_last=len(mixed) == 2)
            left_in_lower = against.winners
        out = [[seed for seed in each.losers if seed >= 0] for each in lower if each.is_complete]
        finals = self._grand_finals(rounds, (upper[-1].winners[0], left_in_lower[0]), 2 * len(upper))
        out.append([seed for seed in finals[-1].losers if seed >= 0])
        rounds.show("upper bracket", [*upper, *finals], 1)
        rounds.show("lower bracket", lower, 2)
        out_of_it = {seed for group in out for seed in group}
        remaining = [seed for seed in range(len(self.team)) if seed not in out_of_it]
        return [group for group in (remaining, *reversed(out)) if group]

    def _lower_round(
        self, rounds: Rounds, lower: list[MeetingRound], places: list[int], level: int, *, is_last: bool = False
    ) -> MeetingRound:
        """A round of the lower bracket. Those in which nobody plays, because there are few teams, have no number."""
        number = 1 + sum(each.pairs > 0 for each in lower)
        lower.append(rounds.play("lower final" if is_last else f"lower round {number}", places, level, order=1))
        return lower[-1]

    def _grand_finals(self, rounds: Rounds, pair: tuple[int, int], level: int) -> list[MeetingRound]:
        """The grand final; and again, where the team from the lower bracket has won it."""
        first = rounds.play("grand final", pair, level, is_ranked=True)
        if not self.reset or first.winners[0] in (UNKNOWN, pair[0]):
            return [first]
        return [first, rounds.play("grand final reset", pair, level + 1)]


def crossed(losers: Sequence[int], number: int) -> list[int]:
    """Those who lost in a round of the upper bracket, in the order in which they come into the lower one.

    So ordered, those who have met already meet again as late as can be: whoever lost in one of two rounds that follow each
    other goes into another half of the bracket, in one of two that are 2 or 6 apart into another quarter of the same half, and
    so on.

    Args:
        losers: from top to bottom; a power of two.
        number: of the round, from 1.
    """
    bits = len(losers).bit_length() - 1
    # The turn of the round, counted down in binary and read backwards: its last bit is the half.
    turn = sum(((1 - number) >> bit & 1) << (bits - 1 - bit) for bit in range(bits))
    return [losers[place ^ turn] for place in range(len(losers))]
