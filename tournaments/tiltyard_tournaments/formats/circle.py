"""Rounds in which everybody meets everybody once: the circle method.

All but one of the teams sit round a table and move on by a seat after each round; opposite teams meet. Described for tournaments by
Schurig (1886); see Anderson, "Combinatorial Designs and Tournaments" (1997), chapter 2.
"""

from __future__ import annotations


def circle_rounds(teams: int) -> list[list[tuple[int, int]]]:
    """All pairs of ``teams`` in rounds where nobody plays twice, the smaller number first in each pair.

    With an odd number of teams each sits out one round. Pairs of a round are listed in the order of the table: there a team
    moves by at most one place from round to round, so that its games lie about equally far apart. The rounds may be played
    again from the start as often as wanted: the distances stay.
    """
    places = [*([-1] if teams % 2 else []), *range(teams)]
    half = len(places) // 2
    rounds: list[list[tuple[int, int]]] = []
    for _ in range(len(places) - 1):
        facing = [(places[table], places[-1 - table]) for table in range(half)]
        rounds.append([(min(pair), max(pair)) for pair in facing if -1 not in pair])
        places = [places[0], places[-1], *places[1:-1]]
    return rounds
