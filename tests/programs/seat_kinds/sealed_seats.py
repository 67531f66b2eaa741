"""A kind of seat as the engine would have it: sealed bids. All seats answer at once, and each sees its own hand alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from tiltyard_engine.errors import show
from tiltyard_engine.records import GameInterface, TurnTeam
from tiltyard_engine.results import Termination
from tiltyard_engine.seat_kinds.seat_ports import InlinePort, ObservedSeat, OnCrash, PortFailure, SeatObserver, SeatPort
from tiltyard_engine.seats import Seat

Hand = tuple[int, ...]
PASS = 0
"""The bid of a seat that has failed."""


class SealedInterface(GameInterface):
    """What a game is played with."""


class Bidder(ABC):
    """What a team implements."""

    @abstractmethod
    def bid(self, hand: Hand) -> int:
        """A sealed bid."""


class SealedSeat(Seat):
    """What a GameManager sees."""

    @abstractmethod
    def bid(self, hand: Hand) -> int:
        """The seat's bid for this round, with that hand."""


class SealedPort(SeatPort):
    """How a seat reaches a bidder."""

    @abstractmethod
    def bid(self, hand: Hand) -> int:
        """Ask it."""


class PortSealedSeat(ObservedSeat, SealedSeat):
    """The one seat, however its team is held; it has no path so hot that observers would have to be kept from it."""

    port: SealedPort

    def observe(self, observers: Sequence[SeatObserver]) -> None:
        super().observe(observers)
        self._begin(0)

    def bid(self, hand: Hand) -> int:
        self._show(0, hand)
        if self.fault is None:
            self.round += 1
        bid = self._call(self.port.bid, hand)
        self._tell(0, PASS if bid is None else bid)
        return PASS if bid is None else bid


class InlineSealedPort(InlinePort, SealedPort):
    """A bidder in this process."""

    def __init__(self, index: int, team: TurnTeam, on_crash: OnCrash | None = None) -> None:
        super().__init__(index, on_crash)
        self._team = team
        self._bidder: Bidder

    def open(self) -> None:
        bidder: object = self.run("creating the bidder", self._team.create, self.index)
        if not isinstance(bidder, Bidder):
            raise PortFailure(Termination.PROTOCOL, f"create returned {type(bidder).__name__}, not a Bidder")
        self._bidder = bidder

    def bid(self, hand: Hand) -> int:
        bid: object = self.run("bid", self._bidder.bid, hand)
        if type(bid) is not int:
            raise PortFailure(Termination.PROTOCOL, f"bid returned {show(bid)}, expected a number")
        return bid
