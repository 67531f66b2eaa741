"""High card: each player has cards that only they see, and plays one a round; the higher one takes the trick.

Shows hidden information: each player is shown something else. The pack is shuffled by the match's seed. There is no board: replays
show both hands, the trick, and how many cards are left in the pack. Play it with::

    tiltyard watch lowest beats --map five --trust ./high_card.py
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass

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
    Panel,
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
MOST_CARDS = len(PACK) // 2


@dataclass(frozen=True)
class Hand:
    """What a player sees: the own cards, and the card that was led, if one was."""

    cards: tuple[str, ...]
    led: str = ""


@dataclass(frozen=True)
class Table:
    """Everything: what only the dealer knows."""

    hands: tuple[tuple[str, ...], ...]
    """Those of player 1 first."""
    pack: tuple[str, ...]
    led: str = ""


def dealt_again(table: Table, seat: int, chance: random.Random) -> Table:
    """The same table as far as a player may know: all cards that they do not see are dealt again. Only tests call this."""
    known = (*table.hands[seat - 1], table.led)
    unseen = [card for hand in (*table.hands, table.pack) for card in hand if card not in known]
    chance.shuffle(unseen)
    hands = tuple(hand if number == seat else tuple(unseen.pop() for _ in hand) for number, hand in enumerate(table.hands, start=1))
    return Table(hands, tuple(unseen), table.led)


@hides(dealt_again)
def view_of(table: Table, seat: int) -> Hand:
    """What a player is shown. Nothing else of the table may reach them; ``tiltyard check-game`` looks whether that is so."""
    return Hand(table.hands[seat - 1], table.led)


def value(card: str) -> int:
    """By rank, then by suit: no two are equal."""
    return PACK.index(card)


def read_map(name: str, data: bytes, seats: int) -> int:
    """Read a map: how many cards each player gets."""
    if not (data.strip().isdigit() and 1 <= int(data) <= MOST_CARDS):
        raise MapError(f"{name}: expected a number of cards, 1 to {MOST_CARDS}")
    return int(data)


class Dealer(GameManager[int, TurnSeat[Hand, str]]):
    """Plays one match."""

    def run(self, match: Match[int, TurnSeat[Hand, str]]) -> GameResult:
        """Deal, and ask the leader first. Each player is only ever shown a Hand of their own."""
        # The only source of chance: the same seed deals the same cards.
        pack = random.Random(match.seed).sample(PACK, len(PACK))
        dealt = [tuple(sorted((pack.pop() for _ in range(match.map)), key=value)) for _ in match.seats]
        table = Table(tuple(dealt), tuple(pack))
        names = {seat.index: seat.name for seat in match.seats}
        tricks = dict.fromkeys(names, 0)
        leader, number = 1, 0

        def panels(played: dict[int, str]) -> list[Panel]:
            rows = [[names[seat], str(tricks[seat])] for seat in names]
            return [
                *(CardsPanel(f"hand of {names[seat]} ({seat})", table.hands[seat - 1], seat=seat) for seat in names),
                *(CardsPanel(f"played by {seat}", [played[seat]] if seat in played else [], seat=seat) for seat in names),
                TablePanel("tricks", ["player", "tricks"], rows, row_seats=tuple(names)),
            ]

        match.recorder.start(panels=[*panels({}), CardsPanel("pack", [], hidden=len(pack)), TextPanel("trick", ["none yet"])])
        try:
            for seat in match.seats:
                seat.start(view_of(table, seat.index))
            for number in range(1, match.map + 1):  # noqa: B007 -- counted in the result
                played: dict[int, str] = {}
                for mover in (leader, 3 - leader):
                    seat = match.seats[mover - 1]
                    card = seat.choose(view_of(table, mover))
                    if card not in table.hands[mover - 1]:
                        raise seat.charge(Termination.ILLEGAL_MOVE, f"{card!r} is not in the hand")
                    hands = tuple(tuple(own for own in hand if own != card) for hand in table.hands)
                    table = Table(hands, table.pack, led="" if played else card)
                    played[mover] = card
                leader = max(played, key=lambda seat: value(played[seat]))
                tricks[leader] += 1
                told = TextPanel("trick", [f"{names[leader]} takes {' and '.join(played.values())}"], seat=leader)
                scores = [float(tricks[seat]) for seat in sorted(tricks)]
                actions = [played[seat] for seat in sorted(played)]
                match.recorder.frame((), actions, scores, [told.lines[0]], [*panels(played), told])
        except SeatFault as fault:
            return GameResult(3 - fault.fault.seat, fault.fault.termination.value, number, ())
        winner = 0 if tricks[1] == tricks[2] else max(tricks, key=lambda seat: tricks[seat])
        message = f"Player {winner} won with {tricks[winner]} tricks" if winner else "Tie"
        return GameResult(winner, "ALL_PLAYED", number, (), message=message)


class Lowest(TurnAlgorithm[Hand, str]):
    """Plays its lowest card."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Hand) -> str:
        """Answer one turn."""
        return min(position.cards, key=value)


class Beats(Lowest):
    """Beats a card that was led with the lowest one that can; else it gives its lowest away."""

    def choose(self, position: Hand) -> str:
        """Answer one turn."""
        higher = [card for card in position.cards if not position.led or value(card) > value(position.led)]
        return min(higher or position.cards, key=value)


@hookimpl
def games() -> Iterator[Game[int]]:
    """The game itself."""
    yield Game(
        name="high-card",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Hand, str),
        display=GameDisplay(theme=Theme(styles={}, seat_colors=("#0072b2", "#e69f00"))),
        description="play a card each; the higher one takes the trick",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee."""
    yield Manager(name="dealer", game="high-card", create=Dealer, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The players."""
    yield TurnTeam("lowest", "high-card", Lowest)
    yield TurnTeam("beats", "high-card", Beats)


@hookimpl
def maps() -> Iterator[MapFile]:
    """One to begin with."""
    yield MapFile("five", "high-card", b"5")
