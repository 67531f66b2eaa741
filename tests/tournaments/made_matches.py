"""Matches made up for tests of what results mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from tiltyard_engine.match_record import Outcome, bye
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination

NAMES = ("ant", "bee", "cat", "dog")


def duel(first: str, second: str, winner: int, map_name: str = "m", *faults: Fault, stage: str = "", place: int = 0) -> Outcome:
    """A match of two; 0 is a tie."""
    ranks = (1, 1) if not winner else (1, 2) if winner == 1 else (2, 1)
    return Outcome(teams=(first, second), map=map_name, winner=winner, ranks=ranks, faults=faults, stage=stage, place=place)


def many(*ranks: int, teams: Sequence[str] = NAMES, scores: tuple[float, ...] = ()) -> Outcome:
    """A match of several with these places."""
    firsts = [seat for seat, place in enumerate(ranks, start=1) if place == 1]
    winner = firsts[0] if len(firsts) == 1 else 0
    return scored(Outcome(teams=tuple(teams[: len(ranks)]), map="m", winner=winner, ranks=ranks), *scores)


def scored(match: Outcome, *scores: float) -> Outcome:
    """The same match with the game's own score for each seat."""
    return replace(match, scores=scores)


def fault(seat: int, kind: Termination = Termination.CRASH) -> Fault:
    """A fault of a seat."""
    return Fault(seat, kind, "boom")


NO_RESULT = fault(MANAGER_SEAT)
"""The fault of a GameManager: its match counts for nobody."""


@st.composite
def duels(draw: st.DrawFn, most: int = 30, with_byes: bool = True) -> list[Outcome]:
    """Matches of two among NAMES, with faults, forfeits, failed managers, stages, own scores and byes."""
    matches: list[Outcome] = []
    kinds = st.sampled_from((*[()] * 5, (fault(1),), (fault(2, Termination.TIMEOUT),), (fault(1, Termination.FORFEIT),)))
    for place in range(draw(st.integers(0, most))):
        if with_byes and draw(st.integers(0, 19)) == 0:
            matches.append(bye(draw(st.sampled_from(NAMES)), place, draw(st.sampled_from("rs"))))
            continue
        first, second = draw(st.permutations(NAMES))[:2]
        faults = draw(kinds)
        winner = draw(st.integers(0, 2)) if not faults else 3 - faults[0].seat
        match = duel(first, second, winner, draw(st.sampled_from("mn")), *faults, stage=draw(st.sampled_from("rs")), place=place)
        if draw(st.booleans()):
            match = scored(match, *(draw(st.floats(-1e6, 1e6)) for _ in range(2)))
        if draw(st.integers(0, 9)) == 0:
            match = replace(match, faults=(NO_RESULT, *match.faults))
        matches.append(match)
    return matches


@st.composite
def orders(draw: st.DrawFn, most: int = 12) -> list[Outcome]:
    """Matches of two to four among NAMES, places shared at will."""
    found: list[Outcome] = []
    for _ in range(draw(st.integers(0, most))):
        teams = draw(st.permutations(NAMES))[: draw(st.integers(2, 4))]
        keys = [draw(st.integers(0, 3)) for _ in teams]
        found.append(many(*[1 + sum(other < key for other in keys) for key in keys], teams=teams))
    return found
