"""High card: each player has cards that only they see, and plays one a round; the higher one takes the trick.

Shows hidden information: each player sees a view of the table. The pack is shuffled by the match's seed. There is no board: replays
show both hands, the trick, and how many cards are left in the pack. Play it with::

    tiltyard watch lowest beats --map five --trust ./high_card.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_engine import CardsPanel, TablePanel, TextPanel, TurnAlgorithm
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
PACK = [rank + suit for rank in RANKS for suit in "♣♦♥♠"]


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
    mover: int = 1
    led: str = ""
    tricks: tuple[int, ...] = (0, 0)
    """How many each has taken."""
    trick: tuple[tuple[int, str], ...] = ()
    """Of the last one who played which card, the leader first."""


def value(card: str) -> int:
    """By rank, then by suit: no two are equal."""
    return PACK.index(card)


class HighCard(Rules[Table, str]):
    """The rules. ``view`` is all that a player is shown, and ``guess`` a table that they could sit at."""

    def start(self, board: int, seats: int, chance: Random) -> Table:
        pack = chance.sample(PACK, len(PACK))
        hands = tuple(tuple(sorted((pack.pop() for _ in range(board)), key=value)) for _ in range(seats))
        return Table(hands, tuple(pack))

    def to_move(self, position: Table) -> Sequence[int]:
        return [position.mover]

    def legal(self, position: Table, seat: int) -> Sequence[str]:
        return position.hands[seat - 1]

    def play(self, position: Table, answers: Mapping[int, str], chance: Random) -> Table:
        mover, card = position.mover, answers[position.mover]
        hands = tuple(tuple(own for own in hand if own != card) for hand in position.hands)
        if not position.led:
            return replace(position, hands=hands, mover=3 - mover, led=card)
        taker = mover if value(card) > value(position.led) else 3 - mover
        tricks = tuple(taken + (seat == taker) for seat, taken in enumerate(position.tricks, start=1))
        return Table(hands, position.pack, taker, "", tricks, ((3 - mover, position.led), (mover, card)))

    def outcome(self, position: Table) -> Ending | None:
        if any(position.hands) or position.led:
            return None
        first, second = position.tricks
        message = f"Player {1 + (second > first)} won with {max(first, second)} tricks" if first != second else "Tie"
        return Ending(reason="ALL_PLAYED", message=message, rounds=first + second)

    def view(self, position: Table, seat: int) -> Hand:
        return Hand(position.hands[seat - 1], position.led if position.mover == seat else "")

    def guess(self, view: Hand, seat: int, chance: Random) -> Table:
        unseen = [card for card in PACK if card not in (*view.cards, view.led)]
        chance.shuffle(unseen)
        theirs = tuple(unseen.pop() for _ in range(len(view.cards) - bool(view.led)))
        hands = (view.cards, theirs) if seat == 1 else (theirs, view.cards)
        return Table(hands, tuple(unseen), seat, view.led)

    def scores(self, position: Table) -> Sequence[float]:
        return position.tricks

    def draw(self, position: Table, names: Sequence[str]) -> Picture | None:
        if position.led:
            return None
        cards = dict(position.trick)
        line = f"{names[position.mover - 1]} takes {' and '.join(cards.values())}" if cards else "none yet"
        rows = [[name, str(taken)] for name, taken in zip(names, position.tricks)]
        hands = [CardsPanel(f"hand of {names[seat - 1]} ({seat})", position.hands[seat - 1], seat=seat) for seat in (1, 2)]
        played = [CardsPanel(f"played by {seat}", [cards[seat]] if cards else [], seat=seat) for seat in (1, 2)]
        table = TablePanel("tricks", ["player", "tricks"], rows, row_seats=(1, 2))
        pack = CardsPanel("pack", [], hidden=len(position.pack))
        trick = TextPanel("trick", [line], seat=position.mover if cards else 0)
        return Picture(panels=[*hands, *played, table, pack, trick], notes=[line] if cards else [])


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


games, algorithms, maps = game_hooks(
    "high-card",
    HighCard(),
    read=whole_numbers("cards for each player", most=len(PACK) // 2),
    maps={"five": b"5"},
    players={"lowest": Lowest, "beats": Beats},
    description="play a card each; the higher one takes the trick",
)
