"""Games at a table that state their rules: what ``PlayableGame`` asks of a game is a few lines over such rules.

``Pile`` is for three and by turns, ``Pennies`` for two at once; ``Aim`` has too many answers to list them.
"""

from __future__ import annotations

import io
import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat, choose_all, start_all
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError
from tiltyard_kit.terminal.playable_game import PastMove, PlayableGame, TableScene, Words
from tiltyard_kit.terminal.saved_game import SavedGame
from tiltyard_kit.terminal.table_game import TableGame, TablePlayer

P = TypeVar("P")


class Rules(ABC, Generic[P]):
    """A game as pure methods over a position; answers are numbers."""

    @abstractmethod
    def to_move(self, position: P) -> Sequence[int]: ...

    @abstractmethod
    def legal(self, position: P, seat: int) -> Sequence[int]: ...

    @abstractmethod
    def play(self, position: P, answers: Mapping[int, int]) -> P: ...


@dataclass(frozen=True)
class Pile:
    left: int = 7
    turn: int = 1
    out: tuple[int, ...] = ()


class PileRules(Rules[Pile]):
    """Whoever takes the last of the pile has won."""

    def to_move(self, position: Pile) -> Sequence[int]:
        return [position.turn] if position.left and len(position.out) < 2 else []

    def legal(self, position: Pile, seat: int) -> Sequence[int]:
        return range(1, min(3, position.left) + 1)

    def play(self, position: Pile, answers: Mapping[int, int]) -> Pile:
        out = position.out if answers else (*position.out, position.turn)
        order = [(position.turn + step - 1) % 3 + 1 for step in (1, 2, 3)]
        return Pile(position.left - sum(answers.values()), next(seat for seat in order if seat not in out), out)


class PenniesRules(Rules[tuple[int, ...]]):
    """Two show a number at once, three times."""

    def to_move(self, position: tuple[int, ...]) -> Sequence[int]:
        return [1, 2] if len(position) < 6 else []

    def legal(self, position: tuple[int, ...], seat: int) -> Sequence[int]:
        return [0, 1]

    def play(self, position: tuple[int, ...], answers: Mapping[int, int]) -> tuple[int, ...]:
        return (*position, answers[1], answers[2])


class RulesTable(PlayableGame[P, int]):
    """Any game with rules, as people play it."""

    def __init__(self, rules: Rules[P]) -> None:
        self.rules = rules

    def moves(self, scene: TableScene[P]) -> Mapping[Words, int]:
        return {(str(answer),): answer for answer in self.rules.legal(scene.position, scene.seat)}

    def draw(self, scene: TableScene[P], console: Console) -> Sequence[str]:
        return [str(scene.position)]

    def after(self, scene: TableScene[P], words: Words) -> P | None:
        is_turn = self.rules.to_move(scene.position) == [scene.seat]
        return self.rules.play(scene.position, {scene.seat: int(words[0])}) if is_turn else None

    def tell(self, step: PastMove[P], name: str, console: Console) -> str:
        return super().tell(step, name, console) if len(self.rules.to_move(step.position)) == 1 else ""


class Referee(Generic[P]):
    """Plays rules; whoever fails is out."""

    def __init__(self, rules: Rules[P], start: P) -> None:
        self.rules, self.position = rules, start
        self._begin = start

    def __call__(self, seats: Sequence[TurnSeat[P, int]]) -> GameResult:
        self.position = self._begin
        start_all(dict.fromkeys(seats, self.position))
        while asked := self.rules.to_move(self.position):
            answers = choose_all({seats[index - 1]: self.position for index in asked})
            for seat in list(answers):
                if answers[seat] not in self.rules.legal(self.position, seat):
                    del answers[seat]
                    seats[seat - 1].charge(Termination.ILLEGAL_MOVE, "not legal")
            self.position = self.rules.play(self.position, answers)
        return GameResult(0, "OVER", 0, (str(self.position),))


class Taking(TurnAlgorithm[Pile, int]):
    """Takes what it is told to; fails at 0, before the first turn at -1."""

    def __init__(self, *answers: int) -> None:
        self.answers = list(answers)
        self.starts = 0

    def start(self, position: Pile) -> None:
        self.starts += 1
        if -1 in self.answers:
            raise SeatFault(Fault(3, Termination.CRASH, "no memory", 0))

    def choose(self, position: Pile) -> int:
        answer = self.answers.pop(0)
        if answer == 0:
            raise SeatFault(Fault(3, Termination.TIMEOUT, "too: slow", 1))
        return answer


@dataclass
class Table:
    """What was shown and saved in a game of Pile."""

    path: Path
    third: TablePlayer[Pile, int]
    screen: str = ""
    moves: tuple[str, ...] = ()
    position: Pile = Pile()
    faults: tuple[str, ...] = ()

    def play(self, typed: str | io.StringIO, *moves: object) -> Table:
        saved = SavedGame(self.path, {"game": "pile", "moves": list(moves)})
        rules, screen = PileRules(), io.StringIO()
        referee = Referee(rules, Pile())
        players: list[tuple[str, TablePlayer[Pile, int]]] = [("Anna", None), ("B\x1b[2Jen", None), ("Rob", self.third)]
        source = io.StringIO(typed) if isinstance(typed, str) else typed
        table = TableGame(Console(source, screen), RulesTable(rules), players, saved, confirms=False)
        try:
            table.play(referee)
        finally:
            self.screen = screen.getvalue()
            self.moves = tuple(saved.content["moves"])
        faults = tuple(f"{seat.fault.seat} {seat.fault.message}" for seat in table.seats if seat.fault is not None)
        self.position, self.faults = referee.position, faults
        return self


@pytest.fixture
def table(tmp_path: Path) -> Table:
    return Table(tmp_path / "game.json", Taking(1, 2))


def test_three_play_to_the_end(table: Table) -> None:
    table.play("2\n3\n1\n")
    assert (table.moves, table.position.left) == (("2", "3", "1", "1"), 0)
    assert "Rob: 1\n" in table.screen
    assert "Anna: 2" not in table.screen, "everybody saw it"
    assert "B\ufffd[2Jen> 3" in table.screen


def test_it_is_saved_after_every_move_and_played_on(table: Table) -> None:
    with pytest.raises(InputEndedError):
        table.play("2\n")
    saved = json.loads(table.path.read_text())
    assert saved == {"game": "pile", "moves": ["2"]}
    assert "Anna" not in table.play("3\n1\n", *saved["moves"]).screen.partition("3\n")[0]
    assert table.moves == ("2", "3", "1", "1")


class Interrupted(io.StringIO):
    """Somebody who presses Ctrl-C at the end."""

    def readline(self, size: int = -1, /) -> str:  # type: ignore[override]
        if line := super().readline(size):
            return line
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("typed", "moves", "error"),
    [
        (io.StringIO("2\nquit\n"), [], LeftError),
        (io.StringIO("q\n"), ["2"], LeftError),
        (Interrupted("2\n"), [], KeyboardInterrupt),
    ],
)
def test_whoever_leaves_finds_it_in_the_file(
    table: Table, typed: io.StringIO, moves: Sequence[str], error: type[BaseException]
) -> None:
    with pytest.raises(error):
        table.play(typed, *moves)
    assert json.loads(table.path.read_text())["moves"] == ["2"]


def test_moves_are_taken_back_to_a_persons_turn(table: Table) -> None:
    table.third = Taking(1, 1, 2)
    table.play("undo\n2\n3\nundo\n1\nundo\nundo\nundo\n1\n1\n3\n")
    assert table.screen.count("there is no move to take back") == 2
    assert table.screen.count("taken back: 2 moves\n") == 2
    assert table.screen.count("taken back: 1 move\n") == 1
    assert table.moves == ("1", "1", "2", "3")
    assert table.third.starts == 1, "a player is started once"


@pytest.mark.parametrize(("answers", "text"), [((0,), "! timeout: too: slow"), ((9,), "! illegal move: not legal")])
def test_who_has_failed_stays_out_when_moves_are_taken_back_or_resumed(table: Table, answers: Sequence[int], text: str) -> None:
    table.third = Taking(*answers)
    table.play("1\n1\n3\nundo\n2\n3\n")
    assert table.moves == ("1", "1", text, "2", "3")
    fault = f"3 {text.partition(': ')[2]}"
    assert (table.position, table.faults) == (Pile(0, 1, (3,)), (fault,))
    resumed = replace(table, third=Taking()).play("", *table.moves)
    assert (resumed.position, resumed.faults) == (table.position, (fault,))


def test_a_player_that_never_began(table: Table) -> None:
    table.third = Taking(-1)
    assert table.play("1\n1\n3\nundo\n2\n3\n").faults == ("3 no memory",)
    assert table.moves == ("1", "1", "2", "3")


def test_who_gives_up_is_out(table: Table) -> None:
    table.play("resign\nn\nresign\ny\n3\n3\n")
    assert table.moves == ("! forfeit: resigned", "3", "1", "3")
    assert table.faults == ("1 resigned",)


@pytest.mark.parametrize(
    ("moves", "message"),
    [
        (["4"], "move 1 is '4', which is not a legal move there"),
        (["2", 3, None], "move 3 is None, which is not a legal move there"),
        (["2", "! nothing: at all"], "move 2 is '! nothing: at all', which is not a legal move there"),
        (["2", "3", "2", "1", "1"], "the game is over, but 2 more moves follow"),
    ],
)
def test_saved_moves_that_cannot_be(table: Table, moves: Sequence[object], message: str) -> None:
    with pytest.raises(UserError, match=rf"game\.json: {message}"):
        table.play("", *moves)


def test_where_all_decide_at_once_nobody_hears_of_an_answer(tmp_path: Path) -> None:
    rules, screen = PenniesRules(), io.StringIO()
    saved = SavedGame(tmp_path / "game.json", {"moves": []})

    class Ones(TurnAlgorithm[tuple[int, ...], int]):
        def choose(self, position: tuple[int, ...]) -> int:
            return 1

    console = Console(io.StringIO("0\n\nundo\n1\n\n0\n\n0\n\n"), screen)
    referee = Referee(rules, ())
    TableGame(console, RulesTable(rules), [("Rob", Ones()), ("Anna", None)], saved).play(referee)
    assert referee.position == (1, 1, 1, 0, 1, 0)
    assert saved.content["moves"] == list("111010")
    assert "Rob" not in screen.getvalue()
    assert "taken back: 2 moves" in screen.getvalue(), "with the other's answer of the round that had begun"


class Aim(PlayableGame[float, float]):
    """Any number from 0 to 1."""

    def moves(self, scene: TableScene[float]) -> Mapping[Words, float]:
        return {("0.5",): 0.5}

    def draw(self, scene: TableScene[float], console: Console) -> Sequence[str]:
        return ["a wall"]

    def fitting_moves(self, scene: TableScene[float], words: Words) -> list[Words]:
        try:
            return [words] if 0 <= float(words[0]) <= 1 else []
        except (ValueError, IndexError):
            return list(self.moves(scene))[: not words]

    def answer(self, scene: TableScene[float], words: Words) -> float:
        return float(words[0])


def test_answers_that_cannot_be_listed_and_a_seat_by_itself() -> None:
    screen = io.StringIO()
    seat = TableGame(Console(io.StringIO("moves\n2\nx\nundo\n0.25\n\n"), screen), Aim(), [("Anna", None)]).seats[0]
    assert seat.choose(0.0) == 0.25
    assert "Anna> moves\n0.5\n" in screen.getvalue()
    assert screen.getvalue().count("is not a legal move") == 2
