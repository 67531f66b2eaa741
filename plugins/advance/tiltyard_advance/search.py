"""The champion's search: which is the best of the moves that are equally good to level 7. mypyc compiles it as it is.

Both sides are bound by the levels, here as at the course: near the root by level 7, where that would take too long by level 6: who
can win at once does, and else plays a move that gains the most at once. So where anything can be taken there are few moves to look
at, and a line is followed until nothing can. The work is counted in moves generated and looks over the board, never in time: the
same position gets the same answer anywhere.
"""

from __future__ import annotations

from typing import Final

from tiltyard_advance.evaluation import shelter_of, worth_change, worth_of
from tiltyard_advance.levels import best_of_three_plies, greatest_gains, winning_moves
from tiltyard_advance.rules import CELLS, WHITE, Board
from tiltyard_advance.zobrist import key_change, key_of

BUDGET: Final = 2_000_000
"""Of the board's work for one move, about: some tenth of a second, compiled."""
DEEPEST: Final = 30
FORCED: Final = 12
"""The number of plies that a line of captures is followed beyond the depth."""
STRICT: Final = 2
"""From this depth on both sides are bound by level 7, below by level 6 alone."""
MATE: Final = 1_000_000
TABLE_BITS: Final = 15
EXACT: Final = 0
AT_LEAST: Final = 1
AT_MOST: Final = 2


class Search:
    """The search for one move, within a budget of work."""

    def __init__(self, board: Board, budget: int) -> None:
        self.board: Board = board
        self._until: int = board.work + budget
        self._is_over: bool = False
        self._bound: dict[int, list[int]] = {}
        """By key: the moves of level 7."""
        self._history: list[int] = [0] * (CELLS * 256)
        """By target square and origin: how often a move was good."""
        self._killers: list[int] = [0] * (4 * (DEEPEST + FORCED))
        size = 1 << TABLE_BITS
        self._mask: int = size - 1
        self._table_keys: list[int] = [0] * size
        self._table_values: list[int] = [0] * size
        self._table_depths: list[int] = [-1] * size
        """Four times the depth, plus the kind of value."""
        self._table_moves: list[int] = [0] * size

    def best(self, side: int, candidates: list[int]) -> int:
        """The best of the candidates, searched ever deeper until the budget is spent."""
        order = list(candidates)
        key, worth = key_of(self.board, side), worth_of(self.board)
        best = order[0]
        for depth in range(1, DEEPEST):
            move, value = self._search_root(side, depth, order, key, worth)
            if move:
                best = move
                # The best first; those behind it keep their order.
                order.remove(best)
                order.insert(0, best)
            if self._is_over:
                break
            if abs(value) > MATE // 2:
                break
        return best

    def _search_root(self, side: int, depth: int, order: list[int], key: int, worth: int) -> tuple[int, int]:
        """The best move, 0 where the budget ended before the first was judged, and its value."""
        best, alpha = 0, -2 * MATE
        for move in order:
            value = -self._value_after(move, 1 - side, depth - 1, -2 * MATE, -alpha, key, worth, 1)
            if self._is_over:
                break
            if value > alpha:
                best, alpha = move, value
        return best, alpha

    def _value_after(  # noqa: PLR0917 -- keywords would slow the search
        self, move: int, side: int, depth: int, alpha: int, beta: int, key: int, worth: int, ply: int
    ) -> int:
        """To ``side``, who is to move after ``move``."""
        board = self.board
        key ^= key_change(board.squares, move)
        worth += worth_change(board.squares, move)
        content = board.make(move)
        value = self._value(side, depth, alpha, beta, key, worth, ply)
        board.unmake(move, content)
        return value

    def _value(self, side: int, depth: int, alpha: int, beta: int, key: int, worth: int, ply: int) -> int:  # noqa: PLR0917
        """The value of the board to ``side``, who is to move."""
        if self.board.work > self._until:
            self._is_over = True
            return 0
        slot = key & self._mask
        table_move = 0
        if depth > 0 and self._table_keys[slot] == key:
            entry = self._table_depths[slot]
            table_move = self._table_moves[slot]
            if entry >= 4 * depth:
                value = self._table_values[slot]
                kind = entry & 3
                if kind == EXACT or (kind == AT_LEAST and value >= beta) or (kind == AT_MOST and value <= alpha):
                    return value
        board = self.board
        if depth >= STRICT:
            moves = list(self._bound_moves(side, key))
            if not moves:
                return ply - MATE
            most = board.gain(moves[0])
        else:
            moves = board.legal_moves(side)
            if not moves:
                return ply - MATE
            most = 0
            for move in moves:
                gain = board.gain(move)
                if gain > most:
                    most = gain
            if most == 0 and depth <= 0:
                total = worth + shelter_of(board)
                return total if side == WHITE else -total
            if most > 0:
                if depth < -FORCED:
                    total = worth if side == WHITE else -worth
                    return total + 50 * most
                moves = [move for move in moves if board.gain(move) == most]
        if len(moves) > 1:
            self._sort(moves, table_move, ply)
        best, best_move, first_alpha = -2 * MATE, 0, alpha
        # A forced answer costs no depth, as long as the line is not too long.
        deeper = depth if len(moves) == 1 and depth > 0 and ply < DEEPEST else depth - 1
        for move in moves:
            value = -self._value_after(move, 1 - side, deeper, -beta, -alpha, key, worth, ply + 1)
            if self._is_over:
                return 0
            if value > best:
                best, best_move = value, move
                if value > alpha:
                    alpha = value
                    if value >= beta:
                        if most == 0:
                            self._remember(move, depth, ply)
                        break
        if depth > 0:
            self._table_keys[slot] = key
            self._table_values[slot] = best
            self._table_depths[slot] = 4 * depth + (AT_LEAST if best >= beta else AT_MOST if best <= first_alpha else EXACT)
            self._table_moves[slot] = best_move
        return best

    def _bound_moves(self, side: int, key: int) -> list[int]:
        moves = self._bound.get(key)
        if moves is None:
            moves = self.board.legal_moves(side)
            wins = winning_moves(self.board, side, moves)
            if wins:
                moves = wins[:1]
            else:
                moves = greatest_gains(self.board, moves)
                if len(moves) > 1:
                    moves = best_of_three_plies(self.board, side, moves)
            self._bound[key] = moves
        return moves

    def _sort(self, moves: list[int], table_move: int, ply: int) -> None:
        """The move known to be good first, then those that refuted a neighbour, then by how often they did."""
        killers = self._killers
        first, second = killers[2 * ply], killers[2 * ply + 1]
        history = self._history
        keyed: list[int] = []
        for index, move in enumerate(moves):
            if move == table_move:
                merit = 1 << 29
            elif move == first:
                merit = 1 << 28
            elif move == second:
                merit = 1 << 27
            else:
                merit = history[(move & 255) << 8 | (move >> 8 & 255)]
            keyed.append(-merit << 10 | index)
        keyed.sort()
        ordered = [moves[entry & 1023] for entry in keyed]
        for index, move in enumerate(ordered):
            moves[index] = move

    def _remember(self, move: int, depth: int, ply: int) -> None:
        killers = self._killers
        if killers[2 * ply] != move:
            killers[2 * ply + 1] = killers[2 * ply]
            killers[2 * ply] = move
        index = (move & 255) << 8 | (move >> 8 & 255)
        if self._history[index] < 1 << 26:
            self._history[index] += depth * depth


def choose_as_champion(board: Board, side: int, candidates: list[int]) -> int:
    """The best of the candidates; the board stays as it is."""
    return Search(board, BUDGET).best(side, candidates)
