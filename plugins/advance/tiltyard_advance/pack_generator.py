"""Making tests of the levels from games that the levels play against each other: always the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from typing import Final

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.levels import LEVELS, best_of_three_plies, greatest_gains, winning_moves
from tiltyard_advance.map_files import generate_opening
from tiltyard_advance.moves import boards_after
from tiltyard_advance.positions import SIDES
from tiltyard_advance.rules import CHARACTERS, SWAP, Board
from tiltyard_engine.errors import UserError

COUNT: Final = 25
"""Tests of a level and a side, as the course has them."""
OPENING_PLIES: Final = (2, 4, 6, 8)
LONGEST_GAME: Final = 160
RANDOM_SHARE: Final = 0.3
"""The share of random moves: good players alone repeat themselves."""
DEEP_SHARE: Final = 0.12
"""Of positions that are tried for level 7, which takes the longest."""
LEAST_APART: Final = 12
"""Squares in which any two boards of a level differ at least."""
MOST_ALIKE: Final = 0.36
"""The largest share of a level's tests of a side that are answered by the same kind of move of the same kind of piece."""
GAMES_AHEAD: Final = 4
"""Games that each worker is given in advance."""
MOST_GAMES: Final = 50_000


@dataclass(frozen=True, slots=True)
class PackOptions:
    """Which tests a pack is to have: the levels, how many of each, and the seed."""

    levels: tuple[int, ...] = LEVELS
    count: int = COUNT
    """Of each level and side."""
    seed: int = 1


@dataclass(frozen=True, slots=True)
class Candidate:
    """A position that has one right answer at a level."""

    test: LevelTest
    kind: tuple[int, str]
    """What is done, and by which piece."""


@dataclass(slots=True)
class Collection:
    """The tests that a pack has so far, by level and side."""

    options: PackOptions
    chosen_tests: dict[tuple[int, int], list[Candidate]] = field(default_factory=dict)

    def offer(self, candidates: Sequence[Candidate]) -> None:
        """Take of one game's candidates at most one a level and side: those that are neither too like others nor too many."""
        keys: set[tuple[int, int]] = set()
        for candidate in candidates:
            key = (candidate.test.level, candidate.test.side)
            if key not in keys and self._is_wanted(key, candidate):
                self.chosen_tests.setdefault(key, []).append(candidate)
                keys.add(key)

    def _is_wanted(self, key: tuple[int, int], candidate: Candidate) -> bool:
        present = self.chosen_tests.get(key, [])
        if len(present) >= self.options.count:
            return False
        alike = sum(other.kind == candidate.kind for other in present)
        if alike >= max(1, round(self.options.count * MOST_ALIKE)):
            return False
        others = (other for side in (0, 1) for other in self.chosen_tests.get((key[0], side), ()))
        return all(squares_apart(other.test.board, candidate.test.board) >= LEAST_APART for other in others)

    @property
    def number(self) -> int:
        """How many tests the pack has."""
        return sum(map(len, self.chosen_tests.values()))

    @property
    def goal(self) -> int:
        """How many tests the pack is to have."""
        return 2 * self.options.count * len(self.options.levels)

    def open_levels(self) -> tuple[int, ...]:
        """The levels that still lack tests."""
        return tuple(
            level
            for level in self.options.levels
            if any(len(self.chosen_tests.get((level, side), ())) < self.options.count for side in (0, 1))
        )

    def tests(self) -> list[LevelTest]:
        """All of them by level and side, with their names."""
        return [
            replace(candidate.test, name=f"level-{level}/{SIDES[side]}-{number:02}")
            for level in self.options.levels
            for side in (0, 1)
            for number, candidate in enumerate(self.chosen_tests.get((level, side), ()), start=1)
        ]


def make_pack(options: PackOptions, workers: int, tell: Callable[[int, int], None] = lambda number, total: None) -> list[LevelTest]:
    """Tests as many as asked for; the same for a seed whatever the number of workers.

    Args:
        options: what is asked for.
        workers: processes.
        tell: called with how many there are, and how many there will be.

    Raises:
        UserError: MOST_GAMES games did not yield enough.
    """
    collection = Collection(options)
    for candidates in _games(options, workers, collection):
        collection.offer(candidates)
        tell(collection.number, collection.goal)
        if collection.number == collection.goal:
            return collection.tests()
    levels = ", ".join(map(str, collection.open_levels()))
    raise UserError(f"{MOST_GAMES:,} games are not enough for {options.count} tests per colour at level {levels}; ask for fewer")


def _games(options: PackOptions, workers: int, collection: Collection) -> Iterator[list[Candidate]]:
    """The candidates of game after game, in their order."""
    if workers == 1:
        for number in range(MOST_GAMES):
            yield play(options.seed, number, collection.open_levels())
        return
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        try:
            waiting = []
            for number in range(MOST_GAMES):
                waiting.append(pool.submit(play, options.seed, number, collection.open_levels()))
                if len(waiting) >= GAMES_AHEAD * workers:
                    yield waiting.pop(0).result()
            for future in waiting:
                yield future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def play(seed: int, number: int, levels: Sequence[int]) -> list[Candidate]:
    """One game, and all positions in it that are a test of one of the levels.

    What is found at a level does not depend on which others are looked for.
    """
    chance = random.Random(f"tests {seed} {number}")
    deep = random.Random(f"deep {seed} {number}")
    board = Board(generate_opening(chance.choice(OPENING_PLIES), chance.getrandbits(32)))
    candidates: list[Candidate] = []
    for ply in range(LONGEST_GAME):
        side = ply % 2
        moves = board.legal_moves(side)
        if not moves:
            break
        wins = winning_moves(board, side, moves)
        best = wins or greatest_gains(board, moves)
        goes_deep = deep.random() < DEEP_SHARE
        for level in levels:
            if level < 7 or goes_deep:
                candidates += _candidates(board, side, level, moves=moves, wins=wins, best=best)
        by_chance = chance.random() < RANDOM_SHARE
        # A game that could be won goes on now and then: positions with a win in them need not be its last.
        options = moves if by_chance else [move for move in best if move not in wins] or moves
        board.make(chance.choice(options))
    return candidates


def _candidates(board: Board, side: int, level: int, *, moves: list[int], wins: list[int], best: list[int]) -> Iterator[Candidate]:
    """The position as a test of the level, if it has one right answer there and several that are wrong."""
    right = _right_moves(board, side, level, moves=moves, wins=wins, best=best)
    boards = boards_after(board, right)
    if len(boards) == 1:
        ((expected, move),) = boards.items()
        if _is_disputed(board, side, move):
            return
        piece = CHARACTERS[board.squares[move >> 8 & 255]].upper()
        yield Candidate(LevelTest(level, side, board.text(), expected), (move >> 16, piece))


def _is_disputed(board: Board, side: int, move: int) -> bool:
    """Whether the course's text leaves open that the move is allowed: a Jester that changes places with its own General."""
    return move >> 16 == SWAP and board.generals[side] == move & 255


def _right_moves(board: Board, side: int, level: int, *, moves: list[int], wins: list[int], best: list[int]) -> list[int]:
    """Empty where the position says nothing of the level, as the course chose its tests."""
    if level == 4:
        return moves
    several = len(moves) > 1
    if level == 5:
        return wins if several and len(wins) < len(moves) else []
    if wins or not several:
        return []
    if level == 6:
        return best if len(best) < len(moves) else []
    return best_of_three_plies(board, side, best) if len(best) > 1 else []


def squares_apart(one: str, other: str) -> int:
    """In how many squares two boards differ."""
    return sum(map(str.__ne__, one, other))
