"""``champion``: judges what it reaches before the enemy does, after the enemy's best answers to its own best moves.

Who reaches a square first depends on pieces that nobody knows yet. So each race is run several times, with some steps ahead for one
side or the other, and a square counts the more, the more of the races it is won in: what is won narrowly is not yet won.
Where nothing is disputed any more the champion fills its own part instead, tightly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from math import isqrt
from typing import Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_filler.algorithms.bitboards import NOWHERE, Field, Shape, Turn, field_of, squares_of
from tiltyard_filler.algorithms.distances import nearest_placements, rings
from tiltyard_filler.algorithms.filling import choose_filling
from tiltyard_filler.algorithms.races import octagon_race
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import OWN_CELLS, FillerPosition, Placement
from tiltyard_filler.standalone import play

CANDIDATES: Final = 60
"""The number of placements that are judged: those nearest to the enemy; at most twice as many where many are as near."""
BUDGET: Final = 2_400_000
"""For looking ahead, in squares of all boards together."""
AHEAD: Final = (-2, -1, 0, 1, 2)
"""My steps ahead in the races that tell the best moves; negative: the enemy's."""
AHEAD_LATER: Final = (-1, 0, 1)
"""My steps ahead in these races after the enemy's answers."""
REPLIES: Final = 24
"""Of the enemy to one placement with one piece, those nearest to the own territory; half of that on large boards."""
LARGE: Final = 5000
"""Squares from which on a board is large."""
SAMPLE_SEED: Final = -987_654_321
SAMPLES: Final = 256
"""Pieces that might come, drawn once for a board's size."""
FILLING_SAMPLES: Final = 32
"""The number of these that are tried where nothing is disputed."""


class Champion(TurnAlgorithm[FillerPosition, Placement]):
    """Works within a budget of squares, not of time: the same game always gets the same answers."""

    def __init__(self, seat: int) -> None:
        self._begun_with: int | None = None
        """How many plain cells the enemy had when it was first seen."""

    def start(self, position: FillerPosition) -> None:
        """See what the enemy begins with."""
        self._begun_with = _plain_cells(position)

    def choose(self, position: FillerPosition) -> Placement:
        """Legal wherever there is a legal one."""
        if self._begun_with is None:
            self.start(position)
        turn = Turn(position)
        if not turn.legal:
            return NOWHERE
        if self._is_alone(position) or not _is_disputed(turn):
            return turn.answer(choose_filling(turn, _sample(position.width, position.height)[:FILLING_SAMPLES]))
        return turn.answer(_choose_disputing(turn))

    def _is_alone(self, position: FillerPosition) -> bool:
        """Whether the enemy is out: its last answer made the piece before it plain, and placed no other."""
        has_played = self._begun_with is not None and _plain_cells(position) > self._begun_with
        return position.dialect == "01" and has_played and OWN_CELLS[3 - position.player][1] not in position.board


def _plain_cells(position: FillerPosition) -> int:
    """The enemy's cells but those of the piece that it placed last."""
    return position.board.count(OWN_CELLS[3 - position.player][0])


def _is_disputed(turn: Turn) -> bool:
    """Whether both can still reach the same free squares; that their territories touch is not enough."""
    field = turn.field
    reached = 0
    for ring in rings(field, turn.enemy, turn.free):
        reached |= ring
    return bool(field.grow(reached) & turn.own)


def _choose_disputing(turn: Turn) -> int:
    """The corner after which the enemy's best answers leave the most."""
    field, shape = turn.field, turn.shape
    corners = _nearest(field, turn.own, turn.enemy, shape, CANDIDATES)
    own = [turn.own | shape.bits << corner for corner in corners]
    values = _judge(field, own, [turn.enemy] * len(own), AHEAD)
    order = sorted(range(len(own)), key=values.__getitem__, reverse=True)
    moves, samples, replies = _budget(field)
    order = order[:moves]
    if len(order) == 1:
        return corners[order[0]]
    # Which pieces are tried depends on the position alone.
    first = (turn.own | turn.enemy).bit_count() * samples
    pieces = _sample(field.width, field.height)
    tried = [pieces[(first + number) % SAMPLES] for number in range(samples)]
    after = _after_replies(field, [own[index] for index in order], turn.enemy, tried, replies)
    best = max(range(len(order)), key=after.__getitem__)
    return corners[order[best]]


def _after_replies(field: Field, own: Sequence[int], enemy: int, pieces: Sequence[Shape], replies: int) -> list[int]:
    """What each of the own boards is worth after the enemy's best reply with each of the pieces, summed up."""
    mine: list[int] = []
    theirs: list[int] = []
    spans: list[int] = []
    for board in own:
        for piece in pieces:
            corners = _nearest(field, enemy, board, piece, replies)
            boards = [enemy | piece.bits << corner for corner in corners] or [enemy]
            theirs += boards
            mine += [board] * len(boards)
            spans.append(len(boards))
    values = _judge(field, mine, theirs, AHEAD_LATER)
    worst: list[int] = []
    start = 0
    for span in spans:
        worst.append(min(values[start : start + span]))
        start += span
    return [sum(worst[start : start + len(pieces)]) for start in range(0, len(worst), len(pieces))]


def _nearest(field: Field, own: int, enemy: int, shape: Shape, minimum: int) -> list[int]:
    """Corners of a player's legal placements that come nearest to the other."""
    free = field.inside & ~(own | enemy)
    legal = field.placements(own, free, shape)
    return (
        squares_of(nearest_placements(field, legal, shape, own=own, enemy=enemy, free=free, minimum=minimum))[: 2 * minimum]
        if legal
        else []
    )


def _judge(field: Field, mine: Sequence[int], theirs: Sequence[int], ahead: Sequence[int]) -> list[int]:
    """By board: how many squares more than the enemy I have or reach first, summed up over races with so many steps ahead."""
    count = len(mine)
    my_stack, their_stack = field.stack(mine), field.stack(theirs)
    inside = field.repeat(field.inside, count)
    free = inside & ~(my_stack | their_stack)
    values = [0] * count
    for steps in ahead:
        my_start = _grown(field, my_stack, free, steps)
        their_start = _grown(field, their_stack, free, -steps)
        my_share, their_share = octagon_race(field, my_start, their_start, inside & ~(my_start | their_start))
        my_counts, their_counts = field.counts(my_start | my_share, count), field.counts(their_start | their_share, count)
        values = [
            value + my_count - their_count for value, my_count, their_count in zip(values, my_counts, their_counts, strict=True)
        ]
    return values


def _grown(field: Field, stack: int, free: int, steps: int) -> int:
    for _ in range(steps):
        stack |= field.grow(stack) & free
    return stack


@lru_cache(maxsize=8)
def _sample(width: int, height: int) -> list[Shape]:
    """Pieces as they come on boards of a size."""
    generator = PieceGenerator(SAMPLE_SEED, width, height)
    return [Shape(field_of(width, height), generator.draw()) for _ in range(SAMPLES)]


def _budget(field: Field) -> tuple[int, int, int]:
    """How many own placements are looked into, with how many pieces of the enemy's, and how many replies."""
    replies = REPLIES if field.bits < LARGE else REPLIES // 2
    games = max(4, BUDGET // field.bits // replies)
    samples = min(16, max(2, isqrt(games * 3 // 4)))
    return min(16, games // samples), samples, replies


main = partial(play, Champion)
"""Play one game as a program of its own."""
