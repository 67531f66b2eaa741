"""A game played with sealed bids: the higher bid takes the round, and everybody pays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.programs.seat_kinds.sealed_seats import Bidder, SealedInterface, SealedSeat

from tiltyard_engine import Game, GameManager, GameMaps, GameResult, Manager, Match, SeatFault, Termination, TurnTeam, hookimpl

ROUNDS = 4


class Auctioneer(GameManager[None, SealedSeat]):
    def run(self, match: Match[None, SealedSeat]) -> GameResult:
        taken: list[int] = [0, 0]
        lines: list[str] = []
        for number in range(1, ROUNDS + 1):
            bids: list[int] = []
            for seat in match.seats:
                try:
                    bids.append(seat.bid((seat.index, number, 7 * number % 5)))
                except SeatFault as fault:
                    lines.append(f"raised {fault.fault.message}")
                    bids.append(-1)
                if bids[-1] > 100:
                    seat.charge(Termination.ILLEGAL_MOVE, f"bid {bids[-1]}")
            lines.append(f"{bids} {[seat.fault and (seat.fault.message, seat.fault.round) for seat in match.seats]}")
            for place, bid in enumerate(bids):
                taken[place] += bid == max(bids) and bids.count(bid) == 1
        winner = 0 if taken[0] == taken[1] else 1 + (taken[1] > taken[0])
        return GameResult(winner, "SOLD", ROUNDS, (), scores=(float(taken[0]), float(taken[1])), log="\n".join(lines))


class Careful(Bidder):
    def __init__(self, seat: int) -> None:
        self.bids = 0

    def bid(self, hand: tuple[int, ...]) -> int:
        self.bids += 1
        return sum(hand) + self.bids


class Crashing(Careful):
    def bid(self, hand: tuple[int, ...]) -> int:
        if self.bids == 2:
            raise ValueError(f"no more with {hand}")
        return super().bid(hand)


class Boasting(Careful):
    def bid(self, hand: tuple[int, ...]) -> int:
        return 1000 if hand[1] == 2 else super().bid(hand)


class Lying(Careful):
    def bid(self, hand: tuple[int, ...]) -> int:
        return "a lot" if hand[1] == 3 else 1  # type: ignore[return-value]


@hookimpl
def games() -> Iterator[Game[Any]]:
    yield Game(name="auction", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: None), interface=SealedInterface())


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="auctioneer", game="auction", create=Auctioneer)
    yield Manager(name="strict-auctioneer", game="auction", create=Auctioneer, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    factories: dict[str, Callable[[int], Any]] = {
        "careful": Careful,
        "crashing": Crashing,
        "boasting": Boasting,
        "lying": Lying,
        "absent": lambda seat: None,
    }
    for name, factory in factories.items():
        yield TurnTeam(name, "auction", partial(_create, factory))


def _create(factory: Callable[[int], Any], seat: int) -> Any:
    """Any function will do for the record; a class would have to be that of an algorithm for games of turns."""
    return factory(seat)
