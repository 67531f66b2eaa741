"""What is known of maps, as a table and in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiltyard_engine.lifecycle import Table
from tiltyard_engine.match_record import Outcome
from tiltyard_fairness.map_fairness import MapFairness, SeatVerdict, fairness_of

TITLE: Final = "Maps: seats, and how well they tell teams apart"
LITTLE: Final = 0.1
"""How much teams must decide who is better, or the map is said to tell them apart badly; see ``MapFairness.separation``."""
WHAT_DECIDES: Final = {
    SeatVerdict.UNFAIR: "the seat decides more than the team",
    SeatVerdict.NO_DIFFERENCE: "no seat has an advantage that can be seen, so chance or ties decide",
}
"""What decides the games of a map, by what is known of its seats, if not the teams."""
HEADERS: Final = ("map", "games", "different", "best seat", "its points, %", "from", "to", "p", "same team ahead", "seats")


def fair_maps(outcomes: Sequence[Outcome], *, only_if_conclusive: bool = False) -> Table:
    """What the games of a tournament say of its maps, with what follows as its note.

    Args:
        outcomes: of the games.
        only_if_conclusive: no row if there are too few games to say anything about any map.
    """
    maps = fairness_of(outcomes)
    is_conclusive = any(each.verdict is not SeatVerdict.TOO_FEW or each.separation is not None for each in maps)
    note = " ".join(f"{line[0].upper()}{line[1:]}." for line in sentences(maps))
    return replace(fairness_table(maps if is_conclusive or not only_if_conclusive else []), note=note)


def fairness_table(maps: Sequence[MapFairness]) -> Table:
    """A row a map."""
    rows = [
        (
            each.map,
            each.games,
            each.different,
            each.seat or "",
            round(100 * each.share) if each.seat else "",
            round(100 * each.low) if each.seat else "",
            round(100 * each.high) if each.seat else "",
            round(each.p_value, 3) if each.seat else "",
            "" if each.separation is None else round(each.separation, 2),
            each.verdict.value,
        )
        for each in maps
    ]
    return Table(TITLE, HEADERS, tuple(rows))


def sentences(maps: Sequence[MapFairness], too_few: str = "") -> list[str]:
    """What follows, for readers who are no statisticians.

    Args:
        maps: what is known of them.
        too_few: what to do where games are too few to tell; empty: no sentence is about that.
    """
    lines = []
    for each in maps:
        if each.verdict is SeatVerdict.UNFAIR:
            lines.append(
                f"the map {each.map} is unfair: every seat should get 50 % of the points, but seat {each.seat} gets"
                f" {100 * each.share:.0f} % ({100 * each.low:.0f} to {100 * each.high:.0f} %)."
                " It evens out only if each team plays from every seat"
            )
        elif each.verdict is SeatVerdict.ONE_GAME:
            lines.append(f"the map {each.map} shows nothing: every game on it had the same course")
        elif each.verdict is SeatVerdict.TOO_FEW and too_few:
            lines.append(f"the map {each.map}: {each.different} different games are too few to tell; {too_few}")
    weak: dict[str, list[str]] = {}
    for each in maps:
        if each.separation is not None and each.separation < LITTLE:
            weak.setdefault(WHAT_DECIDES.get(each.verdict, "the seat, chance or ties decide"), []).append(each.map)
    lines += [
        f"games on {', '.join(names)} tell little about which team is better: when teams change seats, the same team is not ahead"
        f" again; {what_decides}"
        for what_decides, names in weak.items()
    ]
    return lines
