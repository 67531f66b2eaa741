"""Two small games by rules: one by turns in which all see all, one for exactly three with hidden hands and chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_engine.rules import Ending, Picture, Rules


@dataclass(frozen=True)
class Pile:
    """Stones, and who takes next. ``out`` is who has failed."""

    stones: int
    mover: int = 1
    seats: int = 2
    out: tuple[int, ...] = ()


class Nim(Rules[Pile, int]):
    """Take one to three stones. Who takes the last one wins."""

    def start(self, board: int, seats: int, chance: Random) -> Pile:
        return Pile(board, seats=seats)

    def to_move(self, position: Pile) -> Sequence[int]:
        return [position.mover]

    def legal(self, position: Pile, seat: int) -> Sequence[int]:
        return range(1, min(3, position.stones) + 1)

    def play(self, position: Pile, answers: Mapping[int, int], chance: Random) -> Pile:
        left = position.stones - answers[position.mover]
        return replace(position, stones=left, mover=self.after(position) if left else position.mover)

    def after(self, position: Pile) -> int:
        """Who takes after the mover."""
        order = [1 + (position.mover + step) % position.seats for step in range(position.seats)]
        return next(seat for seat in order if seat not in position.out)

    def outcome(self, position: Pile) -> Ending | None:
        return None if position.stones else Ending.won_by(position.mover, position.seats, reason="LAST_STONE")

    def draw(self, position: Pile, names: Sequence[str]) -> Picture:
        return Picture(["o" * position.stones + "." * (20 - position.stones)])

    def to_text(self, answer: int, position: Pile, seat: int) -> str:
        return f"take {answer}"


class OpenNim(Nim):
    """The others play on when somebody has failed."""

    def without(self, position: Pile, seat: int) -> Pile:
        smaller = replace(position, out=(*position.out, seat))
        if len(smaller.out) == smaller.seats or seat != position.mover:
            return smaller
        return replace(smaller, mover=self.after(smaller))


@dataclass(frozen=True)
class Table:
    """The cards of three players, the prize that they bid for, and what each has won."""

    hands: tuple[tuple[int, ...], ...]
    prize: int
    won: tuple[int, ...] = (0, 0, 0)


@dataclass(frozen=True)
class Hand:
    """What a player sees."""

    cards: tuple[int, ...]
    prize: int
    won: tuple[int, ...]


class Bids(Rules[Table, int]):
    """All bid a card at once. The highest wins the prize, and equal ones nobody."""

    def start(self, board: int, seats: int, chance: Random) -> Table:
        hands = tuple(tuple(sorted(chance.choices(range(1, 10), k=board))) for _ in range(seats))
        return Table(hands, chance.randint(1, 5))

    def to_move(self, position: Table) -> Sequence[int]:
        return (1, 2, 3)

    def legal(self, position: Table, seat: int) -> Sequence[int]:
        return sorted(set(position.hands[seat - 1]))

    def play(self, position: Table, answers: Mapping[int, int], chance: Random) -> Table:
        best = [seat for seat, bid in answers.items() if bid == max(answers.values())]
        won = [won + position.prize * (best == [seat]) for seat, won in enumerate(position.won, start=1)]
        hands = []
        for seat, cards in enumerate(position.hands, start=1):
            at = cards.index(answers[seat])
            hands.append((*cards[:at], *cards[at + 1 :]))
        return Table(tuple(hands), chance.randint(1, 5), tuple(won))

    def outcome(self, position: Table) -> Ending | None:
        return None if any(position.hands) else Ending(reason="NO_CARDS")

    def view(self, position: Table, seat: int) -> Hand:
        return Hand(position.hands[seat - 1], position.prize, position.won)

    def guess(self, view: Hand, seat: int, chance: Random) -> Table:
        hands = [tuple(sorted(chance.choices(range(1, 10), k=len(view.cards)))) for _ in view.won]
        hands[seat - 1] = view.cards
        return Table(tuple(hands), view.prize, view.won)

    def scores(self, position: Table) -> Sequence[int]:
        return position.won
