"""Seats of a game at one terminal: answers that a saved game holds are given again before anybody is asked for new ones."""

from __future__ import annotations

from abc import abstractmethod
from typing import Protocol

from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import A, P, TurnAlgorithm


class TableGame(Protocol[P, A]):
    """What a seat needs of the game that it is in."""

    @abstractmethod
    def kept_answer(self, seat: TableSeat[P, A], position: P) -> A | None:
        """The answer that the saved game holds for this position; None: ask the player."""

    @abstractmethod
    def answered(self, seat: TableSeat[P, A], position: P, answer: A) -> None:
        """A player has given a new answer, which the GameManager has not seen yet."""


class TableSeat(TurnSeat[P, A]):
    """A person, an algorithm in this process, or a seat of a host's.

    A game that goes back to an earlier turn is played again from its beginning: the player behind the seat is started once.
    """

    def __init__(self, index: int, name: str, player: TurnAlgorithm[P, A] | TurnSeat[P, A], game: TableGame[P, A]) -> None:
        self.index = index
        self.name = name
        self.fault: Fault | None = None
        """The player's own, where a seat of a host's is the player."""
        self.round = 0
        self._player, self._game = player, game
        self._has_started = False

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record the seat's first fault; later ones leave it as it is."""
        if self.fault is None:
            self.fault = Fault(self.index, termination, message, self.round)
        return SeatFault(self.fault)

    def start(self, position: P) -> None:
        """Tell the player, the first time."""
        self.round = 0
        if not self._has_started:
            self._has_started = True
            try:
                self._player.start(position)
            except SeatFault as failed:
                self.fault = failed.fault
                raise

    def choose(self, position: P) -> A:
        """The answer that was kept, or a new one."""
        self.round += 1
        answer = self._game.kept_answer(self, position)
        if answer is not None:
            return answer
        try:
            answer = self._player.choose(position)
        except SeatFault as failed:
            self.fault = failed.fault
            raise
        self._game.answered(self, position, answer)
        return answer
