"""A robot of Filler, as ``benchmarks/alike.py`` draws many of them: ORDER and the numbers differ from team to team.

``filler.c`` beside it is the same in another language.
"""

from __future__ import annotations

from collections.abc import Iterator

from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl
from tiltyard_filler.positions import OWN_CELLS, FillerPosition, Placement

NAME = "team"
ORDER = "rows"
NUMBERS = {"near": 3, "total": 1, "centre": 0, "wall": 0, "down": 0, "right": 0, "home": 0}


class Player(TurnAlgorithm[FillerPosition, Placement]):
    """Puts each piece where it costs least."""

    def __init__(self, seat: int) -> None:
        self.home: list[int] = []

    def choose(self, position: FillerPosition) -> Placement:
        """Answer one turn."""
        width, height = position.width, position.height
        own = {place for place, cell in enumerate(position.board) if cell in OWN_CELLS[position.player]}
        enemy = [place for place, cell in enumerate(position.board) if cell in OWN_CELLS[3 - position.player]]
        if not self.home:
            self.home = self.distances(sorted(own), width, height)
        far = self.distances(enemy, width, height)
        best, best_cost = Placement(0, 0), 1 << 30
        for x, y in self.corners(position):
            places = self.covered(position, own, x, y)
            if places:
                cost = self.cost(places, far, width, height)
                if cost < best_cost:
                    best, best_cost = Placement(x, y), cost
        return best

    def corners(self, position: FillerPosition) -> list[tuple[int, int]]:
        """Where the corner of the piece may lie, that first which is taken where several cost as much."""
        rows = range(1 - position.piece.height, position.height)
        columns = range(1 - position.piece.width, position.width)
        corners = [(x, y) for y in rows for x in columns]
        if ORDER == "columns":
            corners.sort()
        if ORDER == "back":
            corners.reverse()
        return corners

    def covered(self, position: FillerPosition, own: set[int], x: int, y: int) -> list[int]:
        """The squares that the piece covers there; none if it doesn't fit."""
        places, shared = [], 0
        for right, down in position.piece.offsets:
            column, row = x + right, y + down
            if not (0 <= column < position.width and 0 <= row < position.height):
                return []
            place = row * position.width + column
            if place in own:
                shared = shared + 1
            elif position.board[place] != ord("."):
                return []
            places.append(place)
        return places if shared == 1 else []

    def cost(self, places: list[int], far: list[int], width: int, height: int) -> int:
        """What a placement costs."""
        cost = 40 * NUMBERS["near"] * min(far[place] for place in places)
        for place in places:
            column, row = place % width, place // width
            middle = abs(2 * column - width) + abs(2 * row - height)
            is_at_wall = column == 0 or column == width - 1 or row == 0 or row == height - 1
            cost = cost + 10 * NUMBERS["total"] * far[place] + 5 * NUMBERS["centre"] * middle + 30 * NUMBERS["wall"] * is_at_wall
            cost = cost - 10 * NUMBERS["down"] * row - 10 * NUMBERS["right"] * column + 10 * NUMBERS["home"] * self.home[place]
        return cost

    def distances(self, starts: list[int], width: int, height: int) -> list[int]:
        """How many steps in eight directions every square is from the nearest start."""
        steps, queue = [99] * (width * height), list(starts)
        for place in queue:
            steps[place] = 0
        for place in queue:
            column, row = place % width, place // width
            for y in range(max(0, row - 1), min(height, row + 2)):
                for x in range(max(0, column - 1), min(width, column + 2)):
                    if steps[y * width + x] > steps[place] + 1:
                        steps[y * width + x] = steps[place] + 1
                        queue.append(y * width + x)
        return steps


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The team."""
    yield TurnTeam(NAME, "filler", Player)
