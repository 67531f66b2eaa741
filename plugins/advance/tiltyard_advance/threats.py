"""Which pieces stand to be lost: what viewers and the board at the terminal mark."""

from __future__ import annotations

from tiltyard_advance.rules import BLACK, PLACES, WHITE, Board


def threatened_places(board: Board) -> set[int]:
    """Places of pieces that the other side could take or convert if it were to move, and of Generals in danger.

    Only moves that would be legal count: a piece that may not leave its General's side threatens nothing but a General.
    """
    places: set[int] = set()
    for side in (WHITE, BLACK):
        places.update(PLACES[move & 255] for move in board.legal_moves(1 - side) if board.gain(move))
        if board.in_danger(side):
            places.add(PLACES[board.generals[side]])
    return places
