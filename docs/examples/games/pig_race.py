"""Pig race: roll a die as often as you like and go as far; but a 1 takes you back to where your turn began.

Shows chance from the match's seed, and a game of 2 to 9 players with scores, in which the others play on when
one has failed. Play it with::

    tiltyard watch bold bold careful --map fifty --trust ./pig_race.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from tiltyard_engine import TurnAlgorithm, ranks_of, winner_of
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers

ROLL, HOLD = "roll", "hold"
MOST_TURNS = 500


@dataclass(frozen=True)
class Race:
    """What all players see."""

    goal: int
    places: tuple[int, ...]
    """How far each player was when this turn began; player 1 first."""
    turns: int = 0
    rolled: tuple[int, ...] = ()
    """What was rolled in this turn, or in the last one if a new one begins."""
    begins: bool = True
    """Whether a turn begins."""
    out: tuple[int, ...] = ()
    """Players who have failed."""

    @property
    def gained(self) -> int:
        """What the rolls of this turn add up to; 0 at its beginning."""
        return 0 if self.begins or 1 in self.rolled else sum(self.rolled)

    @property
    def seat(self) -> int:
        """Whose turn it is: one after the other, but for those who are out."""
        order = [1 + (self.turns + step) % len(self.places) for step in range(len(self.places))]
        return next(seat for seat in order if seat not in self.out)


class PigRace(Rules[Race, str]):
    """The rules. ``without`` says that the others play on when somebody has failed."""

    def start(self, board: int, seats: int, chance: Random) -> Race:
        return Race(board, (0,) * seats)

    def to_move(self, position: Race) -> Sequence[int]:
        return [position.seat]

    def legal(self, position: Race, seat: int) -> Sequence[str]:
        return (ROLL, HOLD)

    def play(self, position: Race, answers: Mapping[int, str], chance: Random) -> Race:
        seat, before = position.seat, () if position.begins else position.rolled
        rolled = (*before, chance.randint(1, 6)) if answers[seat] == ROLL else before
        place = position.places[seat - 1] + (0 if 1 in rolled else sum(rolled))
        if answers[seat] == ROLL and 1 not in rolled and place < position.goal:
            return replace(position, rolled=rolled, begins=False)
        places = [min(position.goal, place) if number == seat else each for number, each in enumerate(position.places, start=1)]
        passed = 1 + (seat - 1 - position.turns) % len(places)
        return replace(position, places=tuple(places), turns=position.turns + passed, rolled=rolled, begins=True)

    def outcome(self, position: Race) -> Ending | None:
        if max(position.places) < position.goal and position.turns < MOST_TURNS:
            return None
        winner = winner_of(ranks_of(position.places, position.out))
        message = f"Player {winner} is in front" if winner else "Several players are in front"
        return Ending(reason="RACE_OVER", message=message, rounds=position.turns)

    def scores(self, position: Race) -> Sequence[int]:
        return position.places

    def without(self, position: Race, seat: int) -> Race:
        return replace(position, rolled=(), begins=True, out=(*position.out, seat))

    def draw(self, position: Race, names: Sequence[str]) -> Picture | None:
        if not position.begins:
            return None
        lanes = ["." * place + str(seat) + "." * (position.goal - place) for seat, place in enumerate(position.places, start=1)]
        told = f"rolls {' '.join(map(str, position.rolled)) or 'nothing'}"
        mover = (position.turns - 1) % len(names)
        return Picture(lanes, actions=[told if position.turns and seat == mover else "" for seat in range(len(names))])


class Careful(TurnAlgorithm[Race, str]):
    """Holds with 10 or more."""

    enough = 10

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Race) -> str:
        """Answer one question."""
        return HOLD if position.gained >= self.enough else ROLL


class Bold(Careful):
    """Holds with 20 or more."""

    enough = 20


games, algorithms, maps = game_hooks(
    "pig-race",
    PigRace(),
    seats=range(2, 10),
    read=whole_numbers("how far the goal is", most=200),
    maps={"fifty": b"50"},
    players={"careful": Careful, "bold": Bold},
    description="roll as often as you like, but a 1 costs the turn; 2 to 9 players",
)
