"""A whole game at the terminal: people and algorithms in turn, moves taken back, the game kept in its file as it goes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tiltyard_advance.board_files import BoardFileError, read_board_file
from tiltyard_advance.manager import AdvanceGameManager, AdvanceSeat, material
from tiltyard_advance.map_files import AdvanceMap
from tiltyard_advance.moves import boards_after, changed_places, describe_move
from tiltyard_advance.positions import SIDES, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import Board
from tiltyard_advance.terminal.drawing import LEGEND, STRONG, View, draw_board, paint_side
from tiltyard_advance.terminal.prompt import AdvancePrompt, Scene
from tiltyard_advance.terminal.saved_games import SavedGame
from tiltyard_engine.errors import UserError
from tiltyard_engine.match import Match
from tiltyard_engine.replay import Replay, ReplayRecorder
from tiltyard_engine.results import Fault, SeatFault, Termination
from tiltyard_engine.texts.sanitize import one_line, printable, with_own_options
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.move_prompt import Command
from tiltyard_kit.terminal.table_seat import TableSeat

OPTIONS: Final = {"move_seconds": "--time", "wall_factor": "--time"}
"""Of 'tiltyard play advance', for its limits."""
LAST_SHOWN: Final = 3
"""The number of moves listed beside the board."""
BESIDE: Final = 36
"""Columns that are left beside the board in eighty."""


class _TakenBackError(Exception):
    """Moves were taken back: the game goes on from an earlier turn."""


class TerminalGame:
    """Plays a game on from where it is. ``seats`` has None for people."""

    def __init__(
        self, console: Console, game: SavedGame, seats: Sequence[AdvanceSeat | None], path: Path, confirms: bool = True
    ) -> None:
        self._console = console
        self._game = game
        self._seats = seats
        self._path = path
        self._confirms = confirms
        self._names = [printable(player if seat is None else seat.name) for player, seat in zip(game.players, seats)]
        self._turned = [side for side, seat in enumerate(seats) if seat is None] == [1]
        """Who plays alone against an algorithm sits below."""
        self._table = [TableSeat(side + 1, self._names[side], seats[side] or _Person(self), self) for side in (0, 1)]

    def play(self) -> Replay:
        """To the end; returns the recording. The game is in its file, if it has any moves, whenever somebody leaves.

        Raises:
            LeftError: somebody left.
            KeyboardInterrupt: Ctrl-C.
            UserError: the file cannot be written.
        """
        while True:
            try:
                return self._run()
            except _TakenBackError:
                continue
            except (LeftError, KeyboardInterrupt):
                self._save()
                raise

    def _run(self) -> Replay:
        """Let the referee of all matches see all moves: its result counts, and its recording is what viewers know."""
        recorder = ReplayRecorder("advance", self._names, "advance")
        played = AdvanceMap(self._game.start, self._game.plies)
        result = AdvanceGameManager().run(
            Match(map=played, map_name="advance", seats=self._table, seed=self._game.seed, recorder=recorder)
        )
        fault = next((seat.fault for seat in self._table if seat.fault is not None), None)
        recorder.replay.message = result.message if fault is None else f"{result.message}; {_told_fault(fault)}"
        view = View(self._changed(), turned=self._turned)
        self._console.show(*draw_board(self._game.board(), view, self._console.palette, self._beside(is_over=True)))
        return recorder.replay

    # Its seats' questions

    def kept_answer(self, seat: TableSeat[AdvancePosition, Turn], position: AdvancePosition) -> Turn | None:
        """The move of the file that was made there."""
        if position.ply < len(self._game.moves):
            return turn_after(Board(position.board), self._game.moves[position.ply])
        if self._seats[position.side] is not None:
            self._console.say(f"{seat.name} is thinking ...")
        return None

    def answered(self, seat: TableSeat[AdvancePosition, Turn], position: AdvancePosition, turn: Turn) -> None:
        """A move is kept; whatever else was answered ends the game."""
        board = Board(position.board)
        try:
            move = boards_after(board, board.legal_moves(position.side))[read_board_file(turn.board.encode("utf-8", "replace"))]
        except (BoardFileError, KeyError):
            return
        if self._seats[position.side] is not None:
            self._console.say(f"{SIDES[position.side]}: {describe_move(board, move)}")
        self._game.moves.append(move)
        self._save()

    def ask(self, position: AdvancePosition) -> Turn:
        """A person's move.

        Raises:
            LeftError: the person left.
            SeatFault: the person resigned.
        """
        board = Board(position.board)
        scene = Scene(board, position.side, self._changed(), self._beside(), self._turned)
        commands = {
            "undo": Command("take back your last move and the reply to it", lambda _: self._take_back()),
            "resign": Command("give up the game", lambda _: self._resign(position)),
            "save": Command("save the game, or save a copy with: save FILE", self._save_as, takes_words=True),
            "quit": Command("quit; the game is saved, and you can resume it", lambda _: self._leave()),
        }
        try:
            return turn_after(board, AdvancePrompt(self._console, scene, commands, self._confirms).ask())
        finally:
            self._turned = scene.turned

    # Commands

    def _take_back(self) -> None:
        """Until it is a person's turn again, with one move of theirs less."""
        moves = self._game.moves
        kept = next((ply for ply in reversed(range(len(moves))) if self._seats[ply % 2] is None), -1)
        if kept < 0:
            self._console.say("there is no move to take back")
            return
        taken = len(moves) - kept
        del moves[kept:]
        self._save()
        self._console.say(f"taken back: {taken} move{'s' if taken > 1 else ''}")
        raise _TakenBackError

    def _resign(self, position: AdvancePosition) -> None:
        typed = self._console.ask("Give up the game? (y or n)>").lower()
        if typed in ("y", "yes"):
            raise SeatFault(Fault(position.side + 1, Termination.FORFEIT, "resigned", position.ply))

    def _leave(self) -> None:
        raise LeftError("left")

    def _save(self) -> None:
        if self._game.moves:
            self._game.write(self._path)
        else:
            self._path.unlink(missing_ok=True)

    def _save_as(self, name: str) -> None:
        path = Path(name) if name else self._path
        try:
            self._game.write(path)
        except UserError as error:
            self._console.say(str(error))
        else:
            self._console.say(f"saved in {path}")

    # What is shown

    def _changed(self) -> list[int]:
        if not self._game.moves:
            return []
        return changed_places(self._game.board(-1).text(), self._game.board().text())

    def _beside(self, is_over: bool = False) -> list[str]:
        game, palette = self._game, self._console.palette
        ply, board = len(game.moves), game.board()
        number = f"Move {min(ply, game.plies - 1) // 2 + 1} of {game.plies // 2}"
        lines = [palette.paint(number if is_over else f"{number}, {SIDES[ply % 2]} to move", STRONG)]
        for side, name in enumerate(self._names):
            own = f"{name[: BESIDE - 12]:{BESIDE - 12}}{material(board, side):4}"
            lines.append(f"{paint_side(palette, f' {SIDES[side]} ', side)} {own}")
        lines.append("")
        for index in range(max(0, ply - LAST_SHOWN), ply):
            did = describe_move(game.board(index), game.moves[index])
            lines.append(f"{index // 2 + 1}. {SIDES[index % 2]} {did}"[:BESIDE])
        lines += [""] * (5 + LAST_SHOWN - 1 - len(lines))
        first, second, third = LEGEND.split("   ")
        return [*lines, f"{first}   {second}", f"{third}   ? for help"]


class _Person(TurnAlgorithm[AdvancePosition, Turn]):
    def __init__(self, game: TerminalGame) -> None:
        self._game = game

    def choose(self, position: AdvancePosition) -> Turn:
        return self._game.ask(position)


def _told_fault(fault: Fault) -> str:
    who = SIDES[fault.seat - 1]
    if fault.termination is Termination.FORFEIT:
        return f"{who} resigned"
    return f"{who}: {fault.termination.value}: {one_line(with_own_options(fault.message, OPTIONS))}"
