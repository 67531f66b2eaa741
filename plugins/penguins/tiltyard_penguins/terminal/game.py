"""A whole game at one terminal: people and algorithms in turn, refereed as in any match, kept after every move."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.match import Match
from tiltyard_engine.results import GameResult
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_kit.terminal.console import Console, table_lines
from tiltyard_kit.terminal.palette import Palette
from tiltyard_kit.terminal.squares import square_name
from tiltyard_kit.terminal.table_seat import TableSeat
from tiltyard_penguins import rules
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.board_files import BoardFile
from tiltyard_penguins.positions import MOVEMENT, PLACEMENT, Move, PenguinsPosition, position_of
from tiltyard_penguins.recording import cells_of
from tiltyard_penguins.referee import PenguinsGameManager, PenguinsSeat
from tiltyard_penguins.terminal.drawing import draw_board, player_mark
from tiltyard_penguins.terminal.person import Person
from tiltyard_penguins.terminal.saved_games import SavedGame


class TerminalGame:
    """One game from where it stands to its end.

    Args:
        console: where people sit.
        game: who plays on what, and the moves that were made.
        path: where it is kept.
    """

    def __init__(self, console: Console, game: SavedGame, path: Path) -> None:
        self._console, self._game, self._path = console, game, path
        self._waiting = list(game.moves)
        self._news: list[str] = []
        self._has_people = any(not player.algorithm for player in game.players)
        self._names = {number: player.name for number, player in enumerate(game.players, start=1)}

    def play(self) -> None:
        """To the end.

        Raises:
            LeftError: somebody left.
            KeyboardInterrupt: Ctrl-C.
            UserError: the game cannot be kept, or a move of its file is not legal.
        """
        self._game.write(self._path)
        seats: list[PenguinsSeat] = [
            TableSeat(number, player.name, self._create(number, player.algorithm), self)
            for number, player in enumerate(self._game.players, start=1)
        ]
        result = PenguinsGameManager(asks_when_done=False).run(Match(map=self._game.board, map_name="", seats=seats))
        if self._waiting:
            raise UserError(f"{self._path}: the game is over, but {len(self._waiting)} more moves follow")
        self._show_end(result)

    def kept_answer(self, seat: TableSeat[PenguinsPosition, Move], position: PenguinsPosition) -> Move | None:
        """The next move of the file.

        Raises:
            UserError: it is not legal.
        """
        if not self._waiting:
            return None
        move, board = self._waiting.pop(0), position.board()
        if position.phase == PLACEMENT:
            verdict = board.placement_verdict(move.target) if move.origin < 0 else rules.NOT_OWN
        else:
            verdict = board.move_verdict(position.player, move.origin, move.target)
        if verdict != rules.LEGAL:
            raise UserError(f"the saved game is not possible: {seat.name}'s move {seat.round}: {rules.WHY[verdict]}")
        return move

    def answered(self, seat: TableSeat[PenguinsPosition, Move], position: PenguinsPosition, move: Move) -> None:
        """A move was made: it is kept, and told to those who come next."""
        self._game.moves.append(move)
        self._game.write(self._path)
        columns = position.columns
        did = f"places at {square_name(move.target, columns)}"
        if position.phase != PLACEMENT:
            did = f"{square_name(move.origin, columns)} to {square_name(move.target, columns)}"
        fish = position.cells[move.target] // 10
        told = f"{player_mark(seat.index, self._console.palette)} {self._names[seat.index]}: {did}, {fish} fish"
        if self._has_people:
            self._news.append(told)
        else:
            self._console.say(told)

    def _create(self, number: int, algorithm: str) -> TurnAlgorithm[PenguinsPosition, Move]:
        if algorithm:
            return ALGORITHMS[algorithm][0](number)
        return Person(self._console, self._names[number], self._names, self._take_news)

    def _take_news(self) -> list[str]:
        news, self._news = self._news, []
        # Longer ago than a round is known to everybody.
        return news[-len(self._names) :]

    def _show_end(self, result: GameResult) -> None:
        console, board = self._console, self._game.board
        last = position_of(BoardFile(board.rows, board.columns, cells_of(result.final_state)), MOVEMENT, board.penguins, player=1)
        console.show(*draw_board(last, console.width, console.palette), *self._news, "Nobody can move any more.", "")
        rows = [("place", "player", "fish")]
        for rank, number in sorted(zip(result.ranks, self._names)):
            rows.append((str(rank), f"{player_mark(number, Palette())} {self._names[number]}", f"{result.scores[number - 1]:g}"))
        console.say(*table_lines(rows))
        winners = [self._names[number] for rank, number in zip(result.ranks, self._names) if rank == 1]
        console.say(f"{winners[0]} wins." if len(winners) == 1 else f"Shared by {' and '.join(winners)}.")
