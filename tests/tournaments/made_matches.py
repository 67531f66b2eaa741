"""Matches made up for tests of what results mean."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from tiltyard_engine.results import Termination
from tiltyard_tournaments.played import PlayedMatch, SeatFault, bye

NAMES = ("ant", "bee", "cat", "dog")


def duel(
    first: str, second: str, winner: int, map_name: str = "m", *faults: SeatFault, stage: str = "", number: int = 0
) -> PlayedMatch:
    """A match of two; 0 is a tie."""
    ranks = (1, 1) if not winner else (1, 2) if winner == 1 else (2, 1)
    return PlayedMatch((first, second), map_name, winner, ranks, faults=faults, stage=stage, number=number)


def many(*ranks: int, teams: Sequence[str] = NAMES, scores: tuple[float, ...] = ()) -> PlayedMatch:
    """A match of several with these places."""
    firsts = [seat for seat, place in enumerate(ranks, start=1) if place == 1]
    return PlayedMatch(tuple(teams[: len(ranks)]), "m", firsts[0] if len(firsts) == 1 else 0, ranks, scores)


def fault(seat: int, kind: Termination = Termination.CRASH) -> SeatFault:
    """A fault of a seat."""
    return SeatFault(seat, kind, "boom")


@st.composite
def duels(draw: st.DrawFn, most: int = 30, with_byes: bool = True) -> list[PlayedMatch]:
    """Matches of two among NAMES, with faults, forfeits, failed managers, stages, own scores and byes."""
    matches: list[PlayedMatch] = []
    kinds = st.sampled_from((*[()] * 5, (fault(1),), (fault(2, Termination.TIMEOUT),), (fault(1, Termination.FORFEIT),)))
    for number in range(draw(st.integers(0, most))):
        if with_byes and draw(st.integers(0, 19)) == 0:
            matches.append(bye(draw(st.sampled_from(NAMES)), number, draw(st.sampled_from("rs"))))
            continue
        first, second = draw(st.permutations(NAMES))[:2]
        faults = draw(kinds)
        winner = draw(st.integers(0, 2)) if not faults else 3 - faults[0].seat
        match = duel(first, second, winner, draw(st.sampled_from("mn")), *faults, stage=draw(st.sampled_from("rs")), number=number)
        scores = tuple(draw(st.floats(-1e6, 1e6)) for _ in range(2)) if draw(st.booleans()) else ()
        counts = draw(st.integers(0, 9)) > 0
        matches.append(
            PlayedMatch(
                match.teams, match.map, match.winner, match.ranks, scores, match.faults, counts, match.number, stage=match.stage
            )
        )
    return matches


@st.composite
def orders(draw: st.DrawFn, most: int = 12) -> list[PlayedMatch]:
    """Matches of two to four among NAMES, places shared at will."""
    found: list[PlayedMatch] = []
    for _ in range(draw(st.integers(0, most))):
        teams = draw(st.permutations(NAMES))[: draw(st.integers(2, 4))]
        keys = [draw(st.integers(0, 3)) for _ in teams]
        found.append(many(*[1 + sum(other < key for other in keys) for key in keys], teams=teams))
    return found
