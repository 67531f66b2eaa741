"""What the course's levels 4 to 7 may play, exactly. Plain typed Python that mypyc compiles as it is.

Level 4 plays any legal move. Level 5 wins at once where it can. Level 6 else plays a move after which its material difference is
the greatest. Level 7 chooses among those the moves with the greatest difference two plies later, after the answer of a level 6 and
its own next move as a level 6; of answers that are equally good for the opponent it expects the worst one for itself.
"""

from __future__ import annotations

from typing import Final

from tiltyard_advance.rules import EMPTY, GENERAL, SCAN, SQUARES, Board

LEVELS: Final = (4, 5, 6, 7)
WIN: Final = 1000
"""More than any material: what level 7 gives a line that ends the game."""


def best_moves(board: Board, side: int, level: int) -> list[int]:
    """The moves that are equally good to a level, in the order of generation; empty where there is no legal move."""
    moves = board.legal_moves(side)
    if level == 4:
        return moves
    wins = winning_moves(board, side, moves)
    if wins or level == 5:
        return wins or moves
    best = greatest_gains(board, moves)
    return best if level == 6 else best_of_three_plies(board, side, best)


def winning_moves(board: Board, side: int, moves: list[int]) -> list[int]:
    """Those of a side's moves after which the other side has no legal move."""
    return [move for move in moves if wins(board, side, move)]


def wins(board: Board, side: int, move: int) -> bool:
    """Whether the other side has no legal move after a move."""
    content = board.make(move)
    is_win = not board.has_legal_move(1 - side)
    board.unmake(move, content)
    return is_win


def greatest_gains(board: Board, moves: list[int]) -> list[int]:
    """Those of the moves that gain the most material."""
    most = -1
    best: list[int] = []
    for move in moves:
        gain = board.gain(move)
        if gain > most:
            most = gain
            best.clear()
        if gain == most:
            best.append(move)
    return best


def best_of_three_plies(board: Board, side: int, candidates: list[int]) -> list[int]:
    """Those of the candidates, level 6's moves of a side that cannot win at once, that level 7 may play."""
    if len(candidates) < 2:
        return candidates
    most = -2 * WIN
    best: list[int] = []
    for move in candidates:
        content = board.make(move)
        value = _value_after(board, side, most)
        board.unmake(move, content)
        if value > most:
            most = value
            best.clear()
        if value == most:
            best.append(move)
    return best


def _value_after(board: Board, side: int, least: int) -> int:
    """What the opponent's answer and the own next move gain; ``-WIN`` and ``WIN`` where one of them ends the game.

    Where it is below ``least``, anything below ``least`` is returned.
    """
    answers = board.legal_moves(1 - side)
    for answer in answers:
        if wins(board, 1 - side, answer):
            return -WIN
    answers = greatest_gains(board, answers)
    lost = board.gain(answers[0])
    worst = WIN
    for answer in answers:
        content = board.make(answer)
        worst = min(worst, _best_gain(board, side, worst))
        board.unmake(answer, content)
        if worst - lost < least and worst < WIN:
            break
    return worst if worst == WIN else worst - lost


def _best_gain(board: Board, side: int, enough: int) -> int:
    """The greatest gain of any legal move, or WIN where one wins; from ``enough`` on, any value of at least that much."""
    squares = board.squares
    first, last = 1 + 8 * side, GENERAL + 8 * side
    must_test = board.in_danger(side)
    moves: list[int] = []
    for square in SQUARES:
        if first <= squares[square] <= last:
            board.add_moves(square, moves)
    board.work += SCAN + len(moves)
    most = -1
    for move in moves:
        gain = board.gain(move) if squares[move & 255] != EMPTY else 0
        if gain > most and board.keeps_safe(move, side, must_test):
            most = gain
            if most >= enough:
                return most
    for move in moves:
        if board.keeps_safe(move, side, must_test) and wins(board, side, move):
            return WIN
    return most
