"""Competition mode of assignment 3: on each map every algorithm meets one other, points decide."""

from __future__ import annotations

from collections.abc import Sequence

from tiltyard_engine.registry import Reference
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec

WIN_POINTS = 3
TIE_POINTS = 1


def pairings(algorithms: int, map_number: int) -> list[tuple[int, int]]:
    """Who meets whom on map ``map_number`` (from 0): (player 1, player 2) as places in the list of algorithms.

    Algorithm i meets (i + 1 + k % (N - 1)) % N. Where that pairs everybody twice with the same opponent, each pair
    plays once, the smaller place as player 1 (assignment 3).
    """
    shift = 1 + map_number % (algorithms - 1)
    games = [(first, (first + shift) % algorithms) for first in range(algorithms)]
    if algorithms % 2 == 0 and shift == algorithms // 2:
        return games[: algorithms // 2]
    return games


def schedule(
    game: Reference, manager: Reference, maps: Sequence[MapSource], algorithms: Sequence[Reference], verbose: bool = False
) -> list[MatchSpec]:
    """All games, map by map."""
    return [
        MatchSpec(game, manager, source, (algorithms[first], algorithms[second]), verbose=verbose)
        for number, source in enumerate(maps)
        for first, second in pairings(len(algorithms), number)
    ]


def score(algorithms: Sequence[Reference], games: Sequence[tuple[MatchSpec, MatchOutcome]]) -> list[tuple[str, int]]:
    """Total points by algorithm, higher first, equal ones by name. A game without a result gives nobody points."""
    points = dict.fromkeys(algorithms, 0)
    for spec, outcome in games:
        if not outcome.counts:
            continue
        for seat, reference in enumerate(spec.algorithms, start=1):
            if outcome.winner == seat:
                points[reference] += WIN_POINTS
            elif outcome.winner == 0:
                points[reference] += TIE_POINTS
    return sorted(((reference.name, total) for reference, total in points.items()), key=lambda line: (-line[1], line[0]))


def competition_text(header: Sequence[tuple[str, str]], totals: Sequence[tuple[str, int]]) -> str:
    """The results file of assignment 3; ``header`` holds game_maps_folder and game_manager as they were given."""
    head = "\n".join(f"{key}={value}" for key, value in header)
    return "\n".join([head, "", *[f"{name} {total}" for name, total in totals]]) + "\n"
