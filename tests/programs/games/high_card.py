"""High card: each player has five cards that only they see, and plays one a round; the higher one takes the trick.

The map is a number that shuffles the pack. Replays show both hands, the trick, and how many cards are left in the pack.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tiltyard_engine import (
    CardsPanel,
    Game,
    GameDisplay,
    GameManager,
    GameMaps,
    GameResult,
    Manager,
    MapError,
    MapFile,
    Match,
    SeatFault,
    TablePanel,
    Termination,
    TextPanel,
    Theme,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    hides,
    hookimpl,
)

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
PACK = [rank + suit for rank in RANKS for suit in "♣♦♥♠"]
HAND = 5


@dataclass(frozen=True)
class Hand:
    """What a player sees: the own cards, and the card that was led, if one was."""

    cards: tuple[str, ...]
    led: str = ""


@dataclass(frozen=True)
class Deal:
    """All cards, which nobody sees."""

    pack: tuple[str, ...]
    hands: tuple[tuple[str, ...], tuple[str, ...]]
    led: str = ""


def dealt_again(deal: Deal, seat: int, chance: random.Random) -> Deal:
    """The same hand for one seat and the same card on the table; the other hand and the pack mixed."""
    other = deal.hands[2 - seat]
    cards = chance.sample([*other, *deal.pack], len(other) + len(deal.pack))
    hands = [deal.hands[0], deal.hands[1]]
    hands[2 - seat] = tuple(cards[: len(other)])
    return replace(deal, hands=(hands[0], hands[1]), pack=tuple(cards[len(other) :]))


@hides(dealt_again)
def hand_of(deal: Deal, seat: int) -> Hand:
    """What a seat is shown."""
    return Hand(deal.hands[seat - 1], deal.led)


def value(card: str) -> int:
    """By rank, then by suit: no two are equal."""
    return PACK.index(card)


def read_map(name: str, data: bytes, seats: int) -> int:
    try:
        return int(data)
    except ValueError as error:
        raise MapError(f"{name}: not a number to shuffle by") from error


class Dealer(GameManager[int, TurnSeat[Hand, str]]):
    def run(self, match: Match[int, TurnSeat[Hand, str]]) -> GameResult:
        pack = random.Random(match.map).sample(PACK, len(PACK))
        hands = {seat.index: sorted((pack.pop() for _ in range(HAND)), key=value) for seat in match.seats}
        tricks = dict.fromkeys(hands, 0)
        names = {seat.index: seat.name for seat in match.seats}
        leader, number = 1, 0

        def shown(seat: int, led: str = "") -> Hand:
            return hand_of(Deal(tuple(pack), (tuple(hands[1]), tuple(hands[2])), led), seat)

        def panels(table: dict[int, str]) -> list[Any]:
            rows = [[names[seat], str(tricks[seat])] for seat in hands]
            return [
                *(CardsPanel(f"hand of {names[seat]} ({seat})", hands[seat], seat=seat) for seat in hands),
                *(CardsPanel(f"played by {seat}", [table[seat]] if seat in table else [], seat=seat) for seat in hands),
                TablePanel("tricks", ["player", "tricks"], rows, row_seats=tuple(hands)),
            ]

        match.recorder.start(panels=[*panels({}), CardsPanel("pack", [], hidden=len(pack)), TextPanel("trick", ["none yet"])])
        try:
            for seat in match.seats:
                seat.start(shown(seat.index))
            for number in range(1, HAND + 1):  # noqa: B007 -- counted in the result
                table: dict[int, str] = {}
                for mover in (leader, 3 - leader):
                    seat = match.seats[mover - 1]
                    card = seat.choose(shown(mover, table.get(3 - mover, "")))
                    if card not in hands[mover]:
                        raise seat.charge(Termination.ILLEGAL_MOVE, f"{card!r} is not in the hand")
                    hands[mover].remove(card)
                    table[mover] = card
                leader = max(table, key=lambda seat: value(table[seat]))
                tricks[leader] += 1
                told = TextPanel("trick", [f"{names[leader]} takes {' and '.join(table.values())}"], seat=leader)
                played = [table[seat] for seat in sorted(table)]
                scores = [float(tricks[seat]) for seat in sorted(tricks)]
                match.recorder.frame((), played, scores, [told.lines[0]], [*panels(table), told])
        except SeatFault as fault:
            return GameResult(3 - fault.fault.seat, fault.fault.termination.value, number, ())
        winner = max(tricks, key=lambda seat: tricks[seat])
        message = f"Player {winner} won with {tricks[winner]} tricks"
        return GameResult(winner, "ALL_PLAYED", number, (), message=message)


class Lowest(TurnAlgorithm[Hand, str]):
    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Hand) -> str:
        return min(position.cards, key=value)


class Beats(Lowest):
    """Beats a card that was led with the lowest one that can; else it gives its lowest away."""

    def choose(self, position: Hand) -> str:
        higher = [card for card in position.cards if not position.led or value(card) > value(position.led)]
        return min(higher or position.cards, key=value)


@hookimpl
def games() -> Iterator[Game[Any]]:
    yield Game(
        name="high-card",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Hand, str),
        display=GameDisplay(theme=Theme(styles={}, seat_colors=("#0072b2", "#e69f00"))),
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="dealer", game="high-card", create=Dealer, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    yield TurnTeam("lowest", "high-card", Lowest)
    yield TurnTeam("beats", "high-card", Beats)


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("pack-7", "high-card", b"7")
