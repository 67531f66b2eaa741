"""A whole game at one terminal: people and algorithms in turn, refereed as in any match, kept after every move."""

from __future__ import annotations

from pathlib import Path

from tiltyard_engine.errors import UserError
from tiltyard_engine.inline import FailingSeat
from tiltyard_engine.match import Match
from tiltyard_engine.results import GameResult
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins import rules
from tiltyard_penguins.algorithms import ALGORITHMS
from tiltyard_penguins.positions import PLACEMENT, Move, PenguinsPosition
from tiltyard_penguins.referee import PenguinsGameManager
from tiltyard_penguins.table.drawing import draw_board, player_mark, square_name, table_lines
from tiltyard_penguins.table.person import Person
from tiltyard_penguins.table.saved_games import SavedGame
from tiltyard_penguins.table.terminal import Terminal


class TableGame:
    """One game from where it stands to its end.

    Args:
        terminal: where people sit.
        game: who plays on what, and the moves that were made.
        path: where it is kept.
    """

    def __init__(self, terminal: Terminal, game: SavedGame, path: Path) -> None:
        self._terminal, self._game, self._path = terminal, game, path
        self._news: list[str] = []
        self._has_people = any(not player.algorithm for player in game.players)
        self._names = {number: player.name for number, player in enumerate(game.players, start=1)}
        self._last: PenguinsPosition | None = None

    def play(self) -> None:
        """To the end.

        Raises:
            LeftError: somebody left.
            KeyboardInterrupt: Ctrl-C.
            UserError: the game cannot be kept, or a move of its file is not legal.
        """
        self._game.write(self._path)
        waiting = list(self._game.moves)
        seats = [
            _TableSeat(number, player.name, self._create(number, player.algorithm), self, waiting)
            for number, player in enumerate(self._game.players, start=1)
        ]
        result = PenguinsGameManager(asks_when_done=False).run(Match(self._game.board, "", seats))
        if waiting:
            raise UserError(f"{self._path}: the game ended, but there are {len(waiting)} moves more")
        self._show_end(result)

    def made(self, seat: int, position: PenguinsPosition, move: Move, is_new: bool) -> None:
        """A move was made: kept, and told to those who come next."""
        self._last = position
        if not is_new:
            return
        self._game.moves.append(move)
        self._game.write(self._path)
        mark, columns = player_mark(seat, self._terminal.color), position.columns
        fish = position.cells[move.target] // 10
        did = f"places at {square_name(move.target, columns)}"
        if position.phase != PLACEMENT:
            did = f"{square_name(move.origin, columns)} to {square_name(move.target, columns)}"
        told = f"{mark} {self._names[seat]}: {did}, {fish} fish"
        if self._has_people:
            self._news.append(told)
        else:
            self._terminal.say(told)

    def _create(self, number: int, algorithm: str) -> TurnAlgorithm[PenguinsPosition, Move]:
        if algorithm:
            return ALGORITHMS[algorithm][0](number)
        return Person(self._terminal, self._names[number], self._names, self._take_news)

    def _take_news(self) -> list[str]:
        news, self._news = self._news, []
        # Longer ago than a round is known to everybody.
        return news[-len(self._names) :]

    def _show_end(self, result: GameResult) -> None:
        terminal = self._terminal
        terminal.new_picture()
        if self._last is not None:
            text = "".join(result.final_state)
            cells = bytes(_cell(character) for character in text)
            last = PenguinsPosition(self._last.rows, self._last.columns, cells, "", 0, 0, (), ())
            for line in draw_board(last, terminal.width, terminal.color):
                terminal.say(line)
        for line in self._news:
            terminal.say(line)
        terminal.say("Nobody can move any more.")
        terminal.say()
        rows = [("place", "player", "fish")]
        for rank, number in sorted(zip(result.ranks, self._names)):
            rows.append((str(rank), f"{player_mark(number, False)} {self._names[number]}", f"{result.scores[number - 1]:g}"))
        for line in table_lines(rows):
            terminal.say(line)
        winners = [self._names[number] for rank, number in zip(result.ranks, self._names) if rank == 1]
        terminal.say(f"{winners[0]} wins." if len(winners) == 1 else f"Shared by {' and '.join(winners)}.")


def _cell(character: str) -> int:
    if character.isdigit():
        return 10 * int(character)
    return ord(character) - ord("A") + 1 if character.isalpha() else 0


class _TableSeat(FailingSeat, TurnSeat[PenguinsPosition, Move]):
    """A player at the table; the moves that a saved game holds are made before anybody is asked."""

    def __init__(
        self,
        index: int,
        name: str,
        algorithm: TurnAlgorithm[PenguinsPosition, Move],
        game: TableGame,
        waiting: list[Move],
    ) -> None:
        super().__init__(index, name, "raise")
        self._algorithm, self._game, self._waiting = algorithm, game, waiting

    def start(self, position: PenguinsPosition) -> None:
        """See the board."""
        self._algorithm.start(position)

    def choose(self, position: PenguinsPosition) -> Move:
        """The next move that was kept, or a new one."""
        self.round += 1
        if not self._waiting:
            move = self._algorithm.choose(position)
            self._game.made(self.index, position, move, True)
            return move
        move = self._waiting.pop(0)
        board = position.board()
        if position.phase == PLACEMENT:
            verdict = board.placement_verdict(move.target) if move.origin < 0 else rules.NOT_OWN
        else:
            verdict = board.move_verdict(position.player, move.origin, move.target)
        if verdict != rules.LEGAL:
            raise UserError(f"the saved game cannot be: {self.name}'s move {self.round}: {rules.WHY[verdict]}")
        self._game.made(self.index, position, move, False)
        return move
