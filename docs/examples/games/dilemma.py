"""The prisoner's dilemma, round after round: both choose at once whether they cooperate or defect.

Shows simultaneous moves, a view for each seat, and a game without a board: its replays have a table, a plot and lines of text.
Play it with::

    tiltyard watch tit-for-tat probing --map twenty --trust ./dilemma.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from tiltyard_engine import PlotPanel, TablePanel, TextPanel, TurnAlgorithm
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers

POINTS = {("c", "c"): (3, 3), ("c", "d"): (0, 5), ("d", "c"): (5, 0), ("d", "d"): (1, 1)}
WORDS = {"c": "cooperates", "d": "defects"}
SHOWN = 6
POINTS_PANEL = TextPanel("points", ["      c     d", "c   3,3   0,5", "d   5,0   1,1"])


@dataclass(frozen=True)
class Match:
    """What was chosen so far: a word for each player, such as ``("cd", "cc")``."""

    rounds: int
    chosen: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Position:
    """What a player sees: the same, one's own choices first."""

    rounds: int
    own: str
    other: str


class Dilemma(Rules[Match, str]):
    """The rules. Both answer at once, so ``to_move`` names both."""

    def start(self, board: int, seats: int, chance: Random) -> Match:
        return Match(board)

    def to_move(self, position: Match) -> Sequence[int]:
        return (1, 2)

    def legal(self, position: Match, seat: int) -> Sequence[str]:
        return ("c", "d")

    def play(self, position: Match, answers: Mapping[int, str], chance: Random) -> Match:
        first, second = position.chosen
        return Match(position.rounds, (first + answers[1], second + answers[2]))

    def outcome(self, position: Match) -> Ending | None:
        # Asked after every round: what only the end needs waits until then.
        if len(position.chosen[0]) < position.rounds:
            return None
        first, second = self.scores(position)
        return Ending(reason="ALL_ROUNDS", message=f"{first} to {second} points")

    def view(self, position: Match, seat: int) -> Position:
        return Position(position.rounds, position.chosen[seat - 1], position.chosen[2 - seat])

    def guess(self, view: Position, seat: int, chance: Random) -> Match:
        return Match(view.rounds, (view.own, view.other) if seat == 1 else (view.other, view.own))

    def scores(self, position: Match) -> Sequence[int]:
        points = [POINTS[pair] for pair in zip(*position.chosen)]
        return [sum(each[seat] for each in points) for seat in (0, 1)]

    def draw(self, position: Match, names: Sequence[str]) -> Picture:
        number = len(position.chosen[0])
        rows = [[str(at + 1), position.chosen[0][at], position.chosen[1][at]] for at in range(max(0, number - SHOWN), number)]
        panels = [POINTS_PANEL, TablePanel("last rounds", ["round", *names], rows, (0, 1, 2))]
        if number:
            panels.append(PlotPanel("cooperation in %", [100 * of_seat.count("c") / number for of_seat in position.chosen]))
        return Picture(panels=panels, notes=["both defect"] if [of_seat[-1:] for of_seat in position.chosen] == ["d", "d"] else [])

    def to_text(self, answer: str, position: Match, seat: int) -> str:
        return WORDS[answer]


class TitForTat(TurnAlgorithm[Position, str]):
    """Cooperates first, then does what the other one did last."""

    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Position) -> str:
        """Answer one round."""
        return position.other[-1:] or "c"


class Probing(TitForTat):
    """Like tit for tat, but tries in every fourth round whether defecting pays."""

    def choose(self, position: Position) -> str:
        """Answer one round."""
        return "d" if len(position.own) % 4 == 3 else super().choose(position)


class Grim(TitForTat):
    """Never forgives."""

    def choose(self, position: Position) -> str:
        """Answer one round."""
        return "d" if "d" in position.other else "c"


games, algorithms, maps = game_hooks(
    "dilemma",
    Dilemma(),
    read=whole_numbers("rounds", most=100_000),
    maps={"twenty": b"20"},
    players={"tit-for-tat": TitForTat, "probing": Probing, "grim": Grim},
    description="cooperate or defect, both at once, for many rounds",
)
