"""A whole game at one terminal: people and algorithms in turn, refereed as in any match, and saved after every move.

A game that goes back to an earlier turn is played again from its beginning: moves that were made are answered from the list.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final, Generic, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.results import Fault, GameResult, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.texts.sanitize import printable
from tiltyard_engine.turns import A, P, TurnAlgorithm
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.move_prompt import Command, MovePrompt, whole_moves
from tiltyard_kit.terminal.playable_game import UNDO, PastMove, PlayableGame, TableScene, Words
from tiltyard_kit.terminal.saved_game import SavedGame

FAILED: Final = "! "
"""Before a fault among the moves: whoever is asked next is out, as when the game was played."""
TablePlayer: TypeAlias = TurnAlgorithm[P, A] | TurnSeat[P, A] | None
"""An algorithm in this process, a seat of a host's, or a person at the console."""


class TakenBackError(Exception):
    """Moves were taken back: the game goes on from an earlier turn."""


class TableSeat(TurnSeat[P, A]):
    """A player at a table, as the referee sees it. The player is started once, however often the game is played again."""

    def __init__(self, index: int, name: str, player: TablePlayer[P, A], table: TableGame[P, A]) -> None:
        self.index, self.name, self.player = index, name, player
        self.fault: Fault | None = None
        self.round = 0
        self._table = table
        self._has_started = False
        self._first_fault: Fault | None = None
        """The player's, where it failed before its first turn."""

    def charge(self, termination: Termination, message: str) -> SeatFault:
        """Record the seat's first fault; later ones leave it as it is."""
        if self.fault is None:
            self.fault = Fault(self.index, termination, message, self.round)
            self._table.add_fault(self, self.fault)
        return SeatFault(self.fault)

    def start(self, position: P) -> None:
        """Tell the player, the first time.

        Raises:
            SeatFault: it has failed.
        """
        if self.player is not None and not self._has_started:
            self._has_started = True
            try:
                self.player.start(position)
            except SeatFault as failure:
                self._first_fault = failure.fault
        if self._first_fault is not None:
            self.fault = self._first_fault
            raise SeatFault(self._first_fault)

    def choose(self, position: P) -> A:
        """The answer of the saved game, or a new one.

        Raises:
            SeatFault: the player has failed, or the person resigned.
            LeftError: the person left.
        """
        if self.fault is not None:
            raise SeatFault(self.fault)
        self.round += 1
        try:
            return self._table.answer(self, position)
        except SeatFault as failure:
            if self.fault is None:
                self.fault = failure.fault
                self._table.add_fault(self, self.fault)
            raise


class TableGame(Generic[P, A]):
    """One game at a table. A single seat of it can also be asked by a referee elsewhere, without ``play``.

    Args:
        console: where people sit.
        game: its words and its drawing.
        players: their names and who they are, seat 1 first.
        saved: the game's file with the moves until now; None: it is not saved, and no move can be taken back.
        confirms: whether people are shown a move before it is made.
    """

    def __init__(
        self,
        console: Console,
        game: PlayableGame[P, A],
        players: Sequence[tuple[str, TablePlayer[P, A]]],
        saved: SavedGame | None = None,
        *,
        confirms: bool = True,
    ) -> None:
        self._console, self._game, self._saved, self._confirms = console, game, saved, confirms
        self.seats = [TableSeat(index, printable(name), player, self) for index, (name, player) in enumerate(players, start=1)]
        self._names = {seat.index: seat.name for seat in self.seats}
        self._has_people = any(seat.player is None for seat in self.seats)
        self._moves: list[object] = [] if saved is None else saved.content["moves"]
        """As in the file, faults among them."""
        self._askers: list[TableSeat[P, A]] = []
        """Whose each of the moves is, as far as the game has been played or played again."""
        self._steps: list[PastMove[P]] = []
        self._news: list[str] = []

    def play(self, run: Callable[[Sequence[TableSeat[P, A]]], GameResult]) -> GameResult:
        """Play to the end, which is shown. The game is in its file whenever somebody leaves.

        Args:
            run: lets a GameManager play with the seats; more than once where moves are taken back.

        Raises:
            LeftError: somebody left.
            KeyboardInterrupt: Ctrl-C.
            UserError: the file cannot be written, or a move of it is not legal.
        """
        while True:
            self._askers, self._steps, self._news = [], [], []
            for seat in self.seats:
                seat.round, seat.fault = 0, None
            try:
                result = run(self.seats)
                break
            except TakenBackError:
                continue
            except (LeftError, KeyboardInterrupt):
                self._save()
                raise
        if self._saved is not None and len(self._moves) > len(self._askers):
            more = len(self._moves) - len(self._askers)
            raise UserError(f"{self._saved.path}: the game is over, but {more} more moves follow")
        position = self._game.last_position(result)
        if position is not None:
            scene = replace(self._scene(self.seats[0], position), moment="end")
            self._console.show(*self._game.draw(scene, self._console))
        self._console.say(*self._news)
        return result

    # The seats' questions

    def answer(self, seat: TableSeat[P, A], position: P) -> A:
        """The seat's answer to a position: that of the saved game, or a new one, which is saved and told.

        Raises:
            SeatFault: the seat has failed, now or in the saved game.
            UserError: the saved game's move is not legal.
        """
        game, scene, player = self._game, self._scene(seat, position), seat.player
        is_new = len(self._askers) == len(self._moves)
        if is_new and player is not None:
            if game.thinking:
                self._console.say(game.thinking.format(name=seat.name))
            answer = player.choose(position)
            legal_words = game.words_of(scene, answer)
            if legal_words is None:
                return answer
            words = legal_words
        else:
            words = self._ask(seat, scene) if is_new else self._saved_words(seat, scene)
            answer = game.answer(scene, words)
        self._steps.append(PastMove(seat.index, position, words))
        if is_new:
            self._add(seat, game.join(words))
            self._tell(seat)
        return answer

    def add_fault(self, seat: TableSeat[P, A], fault: Fault) -> None:
        """Keep a seat's fault among the moves, unless it is there."""
        number = len(self._askers)
        if number == len(self._moves):
            self._add(seat, f"{FAILED}{fault.termination.value}: {fault.message}")
        elif str(self._moves[number]).startswith(FAILED):
            self._askers.append(seat)

    def _saved_words(self, seat: TableSeat[P, A], scene: TableScene[P]) -> Words:
        text, game = self._moves[len(self._askers)], self._game
        try:
            if str(text).startswith(FAILED):
                kind, _, message = str(text).removeprefix(FAILED).partition(": ")
                raise SeatFault(Fault(seat.index, Termination(kind), message, seat.round))
            moves = whole_moves(game, scene, game.split(str(text)))
        except ValueError:
            moves = []
        same_text = [move for move in moves if game.join(move) == text]
        if len(same_text or moves) != 1:
            raise UserError(game.explain_saved(scene, self._saved.path if self._saved else Path(), text))
        self._askers.append(seat)
        return (same_text or moves)[0]

    def _ask(self, seat: TableSeat[P, A], scene: TableScene[P]) -> Words:
        if () in self._game.moves(scene):
            return ()
        commands: dict[str, Command] = {"quit": lambda _: self._leave(seat), "resign": lambda _: self._resign(seat)}
        if (saved := self._saved) is not None:
            commands["save"] = lambda name: self._save_as(saved, name)
            if self._game.takes_back:
                commands[UNDO] = lambda _: self._take_back()
        # What is longer ago than a round is known to everybody.
        news, self._news = self._news[-len(self.seats) :], []
        return MovePrompt(self._console, self._game, scene, commands, confirms=self._confirms).ask(news)

    def _scene(self, seat: TableSeat[P, A], position: P) -> TableScene[P]:
        return TableScene(position, seat.index, self._names, tuple(self._steps))

    def _tell(self, seat: TableSeat[P, A]) -> None:
        step = self._steps[-1]
        line = self._game.tell(step, seat.name, self._console) if step.words and len(self.seats) > 1 else ""
        if line and self._has_people and self._game.tells_with_board:
            self._news.append(line)
        elif line and seat.player is not None:
            self._console.say(line)

    # Commands

    def _take_back(self) -> None:
        """Go back until it is a person's turn again, with one move of theirs less."""
        number = next((number for number in reversed(range(len(self._askers))) if self._askers[number].player is None), -1)
        if number < 0:
            self._console.say(self._game.nothing_to_undo)
            return
        count = len(self._moves) - number
        del self._moves[number:]
        self._save()
        self._console.say(f"taken back: {count} move{'s' if count > 1 else ''}")
        raise TakenBackError

    def _resign(self, seat: TableSeat[P, A]) -> None:
        if self._console.ask("Give up the game? (y or n)>").lower() in ("y", "yes"):
            raise seat.charge(Termination.FORFEIT, "resigned")

    def _leave(self, seat: TableSeat[P, A]) -> None:
        raise LeftError(self._game.farewell.format(name=seat.name))

    # The file

    def _add(self, seat: TableSeat[P, A], text: str) -> None:
        self._askers.append(seat)
        self._moves.append(text)
        self._save()

    def _save(self) -> None:
        if self._saved is not None:
            self._saved.write()

    def _save_as(self, saved: SavedGame, name: str) -> None:
        path = Path(name) if name else saved.path
        try:
            saved.write(path)
        except UserError as error:
            self._console.say(str(error))
        else:
            self._console.say(f"saved in {path}")
