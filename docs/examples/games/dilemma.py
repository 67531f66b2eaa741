"""The prisoner's dilemma, round after round: both choose at once whether they cooperate or defect.

Shows simultaneous moves (``choose_all``), and a game without a board: its replays have a table, a plot and lines of text.
Play it with::

    tiltyard watch tit-for-tat probing --map twenty --trust ./dilemma.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltyard_engine import (
    Game,
    GameDisplay,
    GameManager,
    GameMaps,
    GameResult,
    Manager,
    MapError,
    MapFile,
    Match,
    PlotPanel,
    TablePanel,
    Termination,
    TextPanel,
    Theme,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    choose_all,
    hookimpl,
    start_all,
)

POINTS = {("c", "c"): (3, 3), ("c", "d"): (0, 5), ("d", "c"): (5, 0), ("d", "d"): (1, 1)}
WORDS = {"c": "cooperates", "d": "defects"}
SHOWN = 6


@dataclass(frozen=True)
class Position:
    """What both chose so far, one's own choices first: ``("cd", "cc")``."""

    rounds: int
    own: str
    other: str


def read_map(name: str, data: bytes, seats: int) -> Position:
    """Read a map: how many rounds a match has."""
    try:
        return Position(int(data), "", "")
    except ValueError as error:
        raise MapError(f"{name}: not a number of rounds") from error


class Referee(GameManager[Position, TurnSeat[Position, str]]):
    """Plays one match."""

    def run(self, match: Match[Position, TurnSeat[Position, str]]) -> GameResult:
        """Ask both, round after round. Who fails loses at once."""
        recorder, rounds, seats = match.recorder, match.map.rounds, match.seats
        names = [seat.name for seat in seats]
        chosen = ["", ""]
        totals = [0, 0]
        rules = TextPanel("points", ["      c     d", "c   3,3   0,5", "d   5,0   1,1"])
        recorder.start(panels=[rules, TablePanel("last rounds", ["round", *names], [], (0, 1, 2))])
        start_all(dict.fromkeys(seats, match.map))
        for number in range(1, rounds + 1):
            # Both are asked before either hears of the other's answer, and each sees the own choices first.
            given = choose_all({seat: Position(rounds, chosen[at], chosen[1 - at]) for at, seat in enumerate(seats)})
            for seat in seats:
                if given.get(seat, "c") not in WORDS:
                    seat.charge(Termination.ILLEGAL_MOVE, f"{given[seat]!r} is neither c nor d")
            failed = [seat.index for seat in seats if seat.fault is not None]
            if failed:
                winner = 3 - failed[0] if len(failed) == 1 else 0
                return GameResult(winner, "FAULT", number - 1, (), message="A player failed")
            answers = [given[seat] for seat in seats]
            chosen = [before + answer for before, answer in zip(chosen, answers)]
            points = POINTS[answers[0], answers[1]]
            totals = [total + point for total, point in zip(totals, points)]
            first = max(0, number - SHOWN)
            rows = [[str(at + 1), chosen[0][at], chosen[1][at]] for at in range(first, number)]
            shares = [100 * of_seat.count("c") / number for of_seat in chosen]
            panels = [TablePanel("last rounds", ["round", *names], rows, (0, 1, 2)), PlotPanel("cooperation in %", shares)]
            notes = ["both defect"] if answers == ["d", "d"] else []
            recorder.frame((), [WORDS[answer] for answer in answers], list(map(float, totals)), notes, panels)
        winner = 0 if totals[0] == totals[1] else 1 + (totals[1] > totals[0])
        message = f"{totals[0]} to {totals[1]} points"
        return GameResult(winner, "ALL_ROUNDS", rounds, (), scores=tuple(map(float, totals)), message=message)


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


@hookimpl
def games() -> Iterator[Game[Position]]:
    """The game itself."""
    yield Game(
        name="dilemma",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Position, str),
        display=GameDisplay(theme=Theme(styles={}, seat_colors=("#0072b2", "#e69f00"))),
        description="cooperate or defect, both at once, for many rounds",
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    """The referee."""
    yield Manager(name="dilemma-referee", game="dilemma", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    """The players."""
    yield TurnTeam("tit-for-tat", "dilemma", TitForTat)
    yield TurnTeam("probing", "dilemma", Probing)
    yield TurnTeam("grim", "dilemma", Grim)


@hookimpl
def maps() -> Iterator[MapFile]:
    """One to begin with."""
    yield MapFile("twenty", "dilemma", b"20")
