"""The prisoner's dilemma: a game without a board. Its replays have a table, a plot and lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

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
    SeatFault,
    TablePanel,
    Termination,
    TextPanel,
    Theme,
    TurnAlgorithm,
    TurnInterface,
    TurnSeat,
    TurnTeam,
    hookimpl,
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
    try:
        return Position(int(data), "", "")
    except ValueError as error:
        raise MapError(f"{name}: not a number of rounds") from error


class Referee(GameManager[Position, TurnSeat[Position, str]]):
    def run(self, match: Match[Position, TurnSeat[Position, str]]) -> GameResult:
        recorder, rounds, seats = match.recorder, match.map.rounds, match.seats
        names = [seat.name for seat in seats]
        chosen = ["", ""]
        totals = [0, 0]
        if recorder.active:
            rules = TextPanel("points", ["      c     d", "c   3,3   0,5", "d   5,0   1,1"])
            recorder.start(panels=[rules, TablePanel("last rounds", ["round", *names], [], (0, 1, 2))])
        try:
            for seat in seats:
                seat.start(match.map)
            for number in range(1, rounds + 1):
                sides = ((0, 1), (1, 0))
                answers = [seats[one].choose(Position(rounds, chosen[one], chosen[other])) for one, other in sides]
                for seat, answer in zip(seats, answers):
                    if answer not in WORDS:
                        raise seat.charge(Termination.ILLEGAL_MOVE, f"{answer!r} is neither c nor d")
                chosen = [before + answer for before, answer in zip(chosen, answers)]
                points = POINTS[answers[0], answers[1]]
                totals = [total + point for total, point in zip(totals, points)]
                if recorder.active:
                    first = max(0, number - SHOWN)
                    rows = [[str(at + 1), chosen[0][at], chosen[1][at]] for at in range(first, number)]
                    shares = [100 * of_seat.count("c") / number for of_seat in chosen]
                    panels = [TablePanel("last rounds", ["round", *names], rows, (0, 1, 2)), PlotPanel("cooperation in %", shares)]
                    notes = ["both defect"] if answers == ["d", "d"] else []
                    recorder.frame((), [WORDS[answer] for answer in answers], list(map(float, totals)), notes, panels)
        except SeatFault as fault:
            return GameResult(3 - fault.fault.seat, fault.fault.termination.value, len(chosen[0]), ())
        winner = 0 if totals[0] == totals[1] else 1 + (totals[1] > totals[0])
        message = f"{totals[0]} to {totals[1]} points"
        return GameResult(winner, "ALL_ROUNDS", rounds, (), scores=tuple(map(float, totals)), message=message)


class TitForTat(TurnAlgorithm[Position, str]):
    def __init__(self, seat: int) -> None:
        pass

    def choose(self, position: Position) -> str:
        return position.other[-1:] or "c"


class Probing(TitForTat):
    def choose(self, position: Position) -> str:
        return "d" if len(position.own) % 4 == 3 else super().choose(position)


class Grim(TitForTat):
    def choose(self, position: Position) -> str:
        return "d" if "d" in position.other else "c"


@hookimpl
def games() -> Iterator[Game[Any]]:
    yield Game(
        name="dilemma",
        seats=range(2, 3),
        maps=GameMaps(read_map),
        interface=TurnInterface(Position, str),
        display=GameDisplay(theme=Theme(styles={}, seat_colors=("#0072b2", "#e69f00"))),
    )


@hookimpl
def game_managers() -> Iterator[Manager]:
    yield Manager(name="dilemma-referee", game="dilemma", create=Referee, on_fault="raise")


@hookimpl
def algorithms() -> Iterator[TurnTeam]:
    yield TurnTeam("tit-for-tat", "dilemma", TitForTat)
    yield TurnTeam("probing", "dilemma", Probing)
    yield TurnTeam("grim", "dilemma", Grim)


@hookimpl
def maps() -> Iterator[MapFile]:
    yield MapFile("twenty", "dilemma", b"20")
