"""What a test of fit has shown, in a sentence for readers who are no statisticians, and each team's hardest opponent."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tiltyard_cycles.fit_test import FitTest, FitVerdict, fitted_or_not, number_of_threes
from tiltyard_cycles.pair_counts import PairCounts, pair_counts, pairs_of
from tiltyard_engine.match_record import Outcome
from tiltyard_tournaments.ratings.counts import rated
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.standings.tally import Meeting, meetings

MOST_THREES: Final = 200_000
"""With more threes of teams (107 teams), the test takes more than a moment: it is done where somebody asks for it."""
NOT_TESTED: Final = "Whether one number fits is tested only if all games have two players."
TOO_LARGE: Final = "To see whether one number fits, run: tiltyard standings --table fit"
FEW: Final = "Too few games to tell whether one number for each team fits."
FITS: Final = "One number fits: no results are further from the ratings than luck explains."
MISFIT: Final = "One number does not tell it all:"


def fit_note(matches: Iterable[Outcome], *, even_large: bool = False) -> str:
    """Whether one number fits, in a sentence; empty with fewer than three teams, which always fit.

    Args:
        matches: those that the ratings are made from.
        even_large: test also where it takes more than a moment.
    """
    pairs = pair_counts(matches)
    if pairs is None:
        return NOT_TESTED
    is_large = number_of_threes(pairs) > MOST_THREES
    return TOO_LARGE if is_large and not even_large else _note(pairs)


def counts_note(counts: Mapping[tuple[str, str], Sequence[float]]) -> str:
    """As ``fit_note``, of wins of the one, ties and wins of the other of each pair that met; empty if they are many."""
    pairs = pairs_of(counts)
    return "" if number_of_threes(pairs) > MOST_THREES else _note(pairs)


def _note(pairs: PairCounts) -> str:
    if len(pairs.teams) < 3:
        return ""
    try:
        return fit_sentence(fitted_or_not(pairs))
    except (ArithmeticError, np.linalg.LinAlgError, MemoryError):  # the tables don't depend on it
        return ""


def fit_sentence(test: FitTest) -> str:
    """What the test has shown."""
    pairs = test.pairs
    if test.verdict is FitVerdict.CYCLE and test.cycle is not None:
        first, second, third = test.cycle
        beats = [
            f"{pairs.teams[one]} beats {pairs.teams[other]} ({pairs.words(one, other)})"
            for one, other in ((first, second), (second, third), (third, first))
        ]
        return f"{MISFIT} {beats[0]}, {beats[1]}, and {beats[2]}."
    if test.verdict is FitVerdict.PAIR:
        most = test.surprise(int(np.argmax(np.abs(test.residuals))))
        return (
            f"{MISFIT} results are further from the ratings than luck explains, most of all those of {most.one} against"
            f" {most.other}: {most.points:g} points in {most.games:g} games, where {most.expected:.1f} were expected."
        )
    return FITS if test.verdict is FitVerdict.FITS else FEW


@dataclass(frozen=True, slots=True)
class Hardest:
    """The opponent against which a team did worst."""

    name: str
    words: str
    """Such as ``won 3 of 20, 1 tied``."""


def hardest_opponents(matches: Iterable[Outcome]) -> dict[str, Hardest]:
    """Of each team that somebody has the better of: the one that most surely has. In larger games, places are compared."""
    worst: dict[str, tuple[float, str, Meeting]] = {}
    for (team, other), meeting in sorted(meetings(rated(matches)).items()):
        _, high = share_interval(meeting.wins, meeting.ties, meeting.losses)
        if meeting.losses > meeting.wins and high < worst.get(team, (2.0, "", meeting))[0]:
            worst[team] = high, other, meeting
    return {team: Hardest(other, _counts(meeting)) for team, (_, other, meeting) in worst.items()}


def _counts(meeting: Meeting) -> str:
    tied = f", {meeting.ties} tied" if meeting.ties else ""
    return f"won {meeting.wins} of {meeting.games}{tied}"
