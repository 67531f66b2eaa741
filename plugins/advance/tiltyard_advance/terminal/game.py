"""A whole game at the terminal: people and algorithms in turn, moves taken back, the game kept in its file as it goes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from tiltyard_advance.judging import AdvanceSeat, judge
from tiltyard_advance.manager import AdvanceGameManager, material
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.moves import describe_move
from tiltyard_advance.positions import AdvancePosition, Turn, position_of, turn_after
from tiltyard_advance.rules import Board
from tiltyard_advance.start import SIDES
from tiltyard_advance.terminal.console import Console, InputEndedError
from tiltyard_advance.terminal.drawing import LEGEND, View, changed_places, draw_board
from tiltyard_advance.terminal.players import shown_name
from tiltyard_advance.terminal.saved_games import SavedGame, write_game
from tiltyard_advance.terminal.turn import Decision, Scene, ask_move
from tiltyard_engine.errors import UserError
from tiltyard_engine.match import Match
from tiltyard_engine.replay import Replay, ReplayRecorder
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat

EXTRA: Final = {
    "undo": "take your last move back, and the answer to it",
    "resign": "give the game up",
    "save": "write the game to its file, or to another: save FILE",
    "quit": "leave; the game is saved and can be gone on with",
}
LAST_SHOWN: Final = 3
"""So many moves stand beside the board."""
BESIDE: Final = 36
"""Columns that are left beside the board in eighty."""


class Left(Enum):
    """Why a game was left before its end."""

    QUIT = "left"
    ENDED = "the input ended"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Finished:
    """A game that has been played to its end."""

    result: GameResult
    replay: Replay
    fault: Fault | None


class TerminalGame:
    """Plays a game on from where it is. ``seats`` has None for people."""

    def __init__(
        self, console: Console, game: SavedGame, seats: list[AdvanceSeat | None], path: Path, confirms: bool = True
    ) -> None:
        self._console = console
        self._game = game
        self._seats = seats
        self._path = path
        self._confirms = confirms
        self._board = game.board()
        self._names = [shown_name(player, seat, console.look) for player, seat in zip(game.players, seats)]
        people = [side for side, seat in enumerate(seats) if seat is None]
        self._turned = people == [1]
        """Who plays alone against an algorithm sits below."""
        self._is_over = False
        self._told = self._tell_moves()
        """What was done in each ply."""

    @property
    def side(self) -> int:
        """Whose turn it is."""
        return len(self._game.moves) % 2

    def play(self) -> Finished | Left:
        """To the end, or until whoever plays leaves it. The game is in its file then."""
        fault: Fault | None = None
        try:
            for seat in self._seats:
                if seat is not None:
                    seat.start(self._position(seat.index - 1))
            while len(self._game.moves) < self._game.plies and (moves := self._board.legal_moves(self.side)):
                left = self._take_turn(moves)
                if left is not None:
                    self._save()
                    return left
        except SeatFault as failed:
            fault = failed.fault
        except InputEndedError:
            self._save()
            return Left.ENDED
        except KeyboardInterrupt:
            self._console.say("")
            self._save()
            return Left.INTERRUPTED
        finished = self._finish(fault)
        self._is_over = True
        self._console.show(draw_board(self._board, self._view(), self._console.look, self._beside()))
        return finished

    # One turn

    def _take_turn(self, moves: list[int]) -> Left | None:
        seat = self._seats[self.side]
        if seat is None:
            return self._ask(Scene(self._board, self.side, self._changed(), self._beside(), self._turned, EXTRA, self._confirms))
        self._console.say(f"{self._names[self.side]} is thinking ...")
        move = judge(seat, seat.choose(self._position(self.side)), self._board, moves)
        self._console.say(f"{SIDES[self.side]}: {describe_move(self._board, move)}")
        self._play(move)
        return None

    def _ask(self, scene: Scene) -> Left | None:
        decision = ask_move(self._console, scene)
        self._turned = scene.turned
        if decision.move:
            self._play(decision.move)
        elif decision.word == "undo":
            self._take_back()
        elif decision.word == "resign":
            self._resign()
        elif decision.word == "save":
            self._save_as(decision)
        else:
            return Left.QUIT
        return None

    def _play(self, move: int) -> None:
        self._told.append(f"{SIDES[self.side]} {describe_move(self._board, move)}")
        self._board.make(move)
        self._game.moves.append(move)
        self._save()

    def _take_back(self) -> None:
        """Until it is a person's turn again, with one move of theirs less."""
        kept = len(self._game.moves) - 1
        while kept >= 0 and self._seats[kept % 2] is not None:
            kept -= 1
        if kept < 0:
            self._console.say("there is nothing to take back")
            return
        taken = len(self._game.moves) - kept
        del self._game.moves[kept:], self._told[kept:]
        self._board = self._game.board()
        self._save()
        self._console.say(f"taken back: {taken} move{'s' if taken > 1 else ''}")

    def _resign(self) -> None:
        typed = self._console.ask("Give the game up? (y or n)> ").lower()
        if typed in ("y", "yes"):
            raise SeatFault(Fault(self.side + 1, Termination.FORFEIT, "resigned", len(self._game.moves)))

    # The file

    def _save(self) -> None:
        if self._game.moves:
            write_game(self._path, self._game)
        else:
            self._path.unlink(missing_ok=True)

    def _save_as(self, decision: Decision) -> None:
        path = Path(decision.rest) if decision.rest else self._path
        try:
            write_game(path, self._game)
        except UserError as error:
            self._console.say(str(error))
        else:
            self._console.say(f"saved in {path}")

    # What is shown

    def _changed(self) -> list[int]:
        if not self._game.moves:
            return []
        before = SavedGame(self._game.players, self._game.start, moves=self._game.moves[:-1]).board()
        return changed_places(before.text(), self._board.text())

    def _view(self) -> View:
        return View(self._changed(), turned=self._turned)

    def _beside(self) -> list[str]:
        ply, look = len(self._game.moves), self._console.look
        number = f"Move {min(ply, self._game.plies - 1) // 2 + 1} of {self._game.plies // 2}"
        lines = [look.paint(number if self._is_over else f"{number}, {SIDES[self.side]} to move", "strong")]
        for side, name in enumerate(self._names):
            own = f"{name[: BESIDE - 12]:{BESIDE - 12}}{material(self._board, side):4}"
            lines.append(f"{look.paint(f' {SIDES[side]} ', SIDES[side])} {own}")
        told = [f"{index // 2 + 1}. {did}" for index, did in enumerate(self._told)]
        lines += ["", *[line[:BESIDE] for line in told[-LAST_SHOWN:]]]
        lines += [""] * (5 + LAST_SHOWN - 1 - len(lines))
        first, second, third = LEGEND.split("   ")
        return [*lines, f"{first}   {second}", f"{third}   ? helps"]

    def _tell_moves(self) -> list[str]:
        board, told = Board(self._game.start), []
        for ply, move in enumerate(self._game.moves):
            told.append(f"{SIDES[ply % 2]} {describe_move(board, move)}")
            board.make(move)
        return told

    # The end

    def _position(self, side: int) -> AdvancePosition:
        return position_of(self._board, side, len(self._game.moves), self._game.seed)

    def _finish(self, fault: Fault | None) -> Finished:
        """Let the referee of all matches see the moves: its result counts, and its recording is what viewers know."""
        turns = turns_of(self._game)
        seats: list[AdvanceSeat] = [_Played(side + 1, self._names[side], turns[side::2], fault) for side in (0, 1)]
        recorder = ReplayRecorder("advance", self._names, "advance")
        played = AdvanceMap(self._game.start, self._game.plies)
        result = AdvanceGameManager().run(Match(played, "advance", seats, self._game.seed, recorder))
        recorder.replay.message = result.message if fault is None else f"{result.message}; {_told_fault(fault)}"
        return Finished(result, recorder.replay, fault)


def _told_fault(fault: Fault) -> str:
    who = SIDES[fault.seat - 1]
    return f"{who} resigned" if fault.termination is Termination.FORFEIT else f"{who}: {fault.termination.value}: {fault.message}"


def turns_of(game: SavedGame) -> list[Turn]:
    """The answer of each ply."""
    board, turns = Board(game.start), []
    for move in game.moves:
        turns.append(turn_after(board, move))
        board.make(move)
    return turns


class _Played(TurnSeat[AdvancePosition, Turn]):
    """A seat that answers what was played, and fails where its player did."""

    def __init__(self, index: int, name: str, turns: list[Turn], fault: Fault | None) -> None:
        self.index = index
        self.name = name
        self.fault = None
        self._turns = list(turns)
        self._end = fault

    def start(self, position: AdvancePosition) -> None:
        return

    def choose(self, position: AdvancePosition) -> Turn:
        if self._turns:
            return self._turns.pop(0)
        assert self._end is not None
        raise SeatFault(self._end)

    def charge(self, termination: Termination, message: str) -> SeatFault:
        raise AssertionError(f"a move that was legal is not: {termination.value}: {message}")
