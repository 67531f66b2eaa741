"""For games in which all players decide at once: nobody hears of an answer before everybody has given theirs."""

from __future__ import annotations

from collections.abc import Mapping

from tiltyard_engine.results import SeatFault
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import A, P


def start_all(positions: Mapping[TurnSeat[P, A], P]) -> None:
    """Show each seat its first position. A seat that fails here has its ``fault`` set, and the others start all the same."""
    for seat, position in positions.items():
        try:
            seat.start(position)
        except SeatFault:
            continue


def choose_all(positions: Mapping[TurnSeat[P, A], P]) -> dict[int, A]:
    """Ask each seat for its answer to its own position.

    Whether the seats are asked one after the other is not promised; no position can depend on another seat's answer.

    Args:
        positions: what each seat is shown, by the seat.

    Returns:
        The answers by the seats' numbers. A seat that has failed, now or before, is missing, and its ``fault`` says why.
    """
    answers: dict[int, A] = {}
    for seat, position in positions.items():
        try:
            answers[seat.index] = seat.choose(position)
        except SeatFault:
            continue
    return answers
