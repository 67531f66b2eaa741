"""The quickest way to a square and heading from which an enemy can be hit."""

from __future__ import annotations

from collections import deque
from collections.abc import Container

from tiltyard_coyote.board import Board, Square
from tiltyard_engine import ActionRequest

State = tuple[Square, int]
"""A square and a heading."""

TURNS = (
    (ActionRequest.ROTATE_LEFT_45, -1),
    (ActionRequest.ROTATE_RIGHT_45, 1),
    (ActionRequest.ROTATE_LEFT_90, -2),
    (ActionRequest.ROTATE_RIGHT_90, 2),
)


class Hunt:
    """A breadth-first search: every action takes one round, so the first firing position found is the soonest."""

    def __init__(self, board: Board, forbidden: Container[Square], reach: int, most_states: int) -> None:
        self.board = board
        self.forbidden = forbidden
        self.reach = reach
        self.most_states = most_states
        self.lines = self._firing_lines()

    def _firing_lines(self) -> set[State]:
        """Squares and headings from which a shot meets an enemy first: looked for from the enemies, backwards."""
        lines: set[State] = set()
        for enemy in self.board.enemies:
            for heading in range(8):
                square = enemy
                for _ in range(self.reach):
                    square = self.board.step(square, (heading + 4) % 8)
                    if self.board.at(square) not in " @*%":
                        break
                    lines.add((square, heading))
        return lines

    def way(self, start: State) -> list[ActionRequest] | None:
        """Actions that lead to a firing line and end with the shot; without one in reach, towards the nearest enemy."""
        previous: dict[State, tuple[State, ActionRequest] | None] = {start: None}
        queue = deque([start])
        nearest, nearest_distance = start, self._distance(start[0])
        while queue and len(previous) < self.most_states:
            state = queue.popleft()
            if state in self.lines:
                return [*_unwind(previous, state), ActionRequest.SHOOT]
            distance = self._distance(state[0])
            if distance < nearest_distance:
                nearest, nearest_distance = state, distance
            for action, following in self._moves(state):
                if following not in previous:
                    previous[following] = (state, action)
                    queue.append(following)
        return _unwind(previous, nearest) or None

    def _moves(self, state: State) -> list[tuple[ActionRequest, State]]:
        square, heading = state
        moves: list[tuple[ActionRequest, State]] = []
        ahead = self.board.step(square, heading)
        if self.board.at(ahead) in " *" and ahead not in self.forbidden:
            moves.append((ActionRequest.MOVE_FORWARD, (ahead, heading)))
        moves.extend((action, (square, (heading + eighths) % 8)) for action, eighths in TURNS)
        return moves

    def _distance(self, square: Square) -> int:
        """Steps to the nearest enemy as if nothing were in between."""
        board = self.board
        nearest = board.width + board.height
        for x, y in self.board.enemies[:8]:
            across, down = abs(x - square[0]), abs(y - square[1])
            nearest = min(nearest, max(min(across, board.width - across), min(down, board.height - down)))
        return nearest


def _unwind(previous: dict[State, tuple[State, ActionRequest] | None], state: State) -> list[ActionRequest]:
    actions: list[ActionRequest] = []
    link = previous[state]
    while link is not None:
        state, action = link
        actions.append(action)
        link = previous[state]
    actions.reverse()
    return actions
