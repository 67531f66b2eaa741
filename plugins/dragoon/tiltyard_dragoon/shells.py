"""Shells in flight. A view shows where they are but not where they go, so each is kept as one or more guesses."""

from __future__ import annotations

from collections.abc import Iterable

from tiltyard_dragoon.torus import WALL, Torus

MOST_GUESSES = 400
"""More shells than this are not followed: the work a view costs stays bounded."""


class ShellTracker:
    """Guesses ``(square, heading)`` with weights; those that a view contradicts are dropped."""

    def __init__(self, torus: Torus) -> None:
        self.torus = torus
        self.guesses: dict[tuple[int, int], float] = {}
        """How likely a shell on that square flies in that heading."""
        self.weak_walls: set[int] = set()
        """Walls that one shell has hit, as far as worked out."""

    def advance(self, before: int, now: int, ground: bytes, shots: Iterable[tuple[int, int, int]]) -> None:
        """Fly on from the end of one round to the end of another, with the shots that own tanks were told to fire.

        A shot is a round, the tank's square and its heading.
        """
        ahead = self.torus.ahead
        births: dict[int, list[tuple[int, int]]] = {}
        for shot_round, square, heading in shots:
            if before < shot_round <= now:
                births.setdefault(shot_round, []).append((ahead[heading][square], heading))
        if now - before > 40:
            self.guesses = {}
            before = now - 40
        for flight_round in range(before + 1, now + 1):
            guesses: dict[tuple[int, int], float] = {}
            for (square, heading), weight in self.guesses.items():
                table = ahead[heading]
                middle = table[square]
                if ground[middle] == WALL:
                    self._hit_wall(middle, weight)
                    continue
                end = table[middle]
                if ground[end] == WALL:
                    self._hit_wall(end, weight)
                    continue
                guesses[end, heading] = weight
            for square, heading in births.get(flight_round, ()):
                if ground[square] == WALL:
                    self._hit_wall(square, 1.0)
                else:
                    guesses[square, heading] = 1.0
            self.guesses = guesses

    def _hit_wall(self, square: int, weight: float) -> None:
        if weight > 0.5:
            self.weak_walls.add(square)

    def match(self, flying: list[int]) -> list[int]:
        """Keep the guesses that the view allows, and say which shells nobody had guessed."""
        squares = set(flying)
        totals: dict[int, float] = {}
        for (square, _), weight in self.guesses.items():
            if square in squares:
                totals[square] = totals.get(square, 0.0) + weight
        self.guesses = {
            (square, heading): weight / totals[square] for (square, heading), weight in self.guesses.items() if square in totals
        }
        return [square for square in flying if square not in totals]

    def add(self, square: int, headings: list[int]) -> None:
        """A new shell that flies in one of ``headings``; naming one twice makes it as much likelier."""
        if len(self.guesses) < MOST_GUESSES:
            for heading in headings:
                key = (square, heading)
                self.guesses[key] = self.guesses.get(key, 0.0) + 1 / len(headings)
