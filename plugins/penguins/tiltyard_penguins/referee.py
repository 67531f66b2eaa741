"""The referee of a match: it alone keeps the state, asks each player for one move at a time, checks it and applies it."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import inf
from typing import Final

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.results import GameResult, SeatFault, Termination
from tiltyard_engine.seats import TurnSeat
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_penguins import rules
from tiltyard_penguins.board_files import PlayerRow
from tiltyard_penguins.map_files import PenguinsMap
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition, can_play, next_number, place_name
from tiltyard_penguins.recording import Recording, plain_rows
from tiltyard_penguins.rules import Board

NO_MOVES: Final = "NO_MOVES"
"""Nobody who still plays can move."""
FAULT: Final = "FAULT"
"""Nobody is left to play."""
NO_NAME: Final = "player"

PenguinsSeat = TurnSeat[PenguinsPosition, Move]
Tell = Callable[[str], None]


class PenguinsGameManager(GameManager[PenguinsMap, PenguinsSeat]):
    """Plays by the course's rules, in the order of the seats in both phases; shares the first place where scores are equal.

    Whoever breaks a rule is out: the penguins stay where they stand, the score is kept, and all who finish come before.

    Args:
        asks_when_done: whether players with nothing to do are asked too, as the course's loop does, and must leave the state as it
            is; else they are passed over.
    """

    def __init__(self, asks_when_done: bool = True) -> None:
        self._asks_when_done = asks_when_done

    def run(self, match: Match[PenguinsMap, PenguinsSeat]) -> GameResult:
        """Play both phases of a match and count the fish."""
        game = _Game(match, self._asks_when_done)
        game.play()
        return game.result()


class _Game:
    """On its board a player's number is the seat; what players are shown has the numbers that they chose themselves."""

    def __init__(self, match: Match[PenguinsMap, PenguinsSeat], asks_when_done: bool) -> None:
        start = match.map
        self._seats = match.seats
        self._penguins = start.penguins
        self._asks_when_done = asks_when_done
        self._board = Board(start.rows, start.columns, start.cells)
        self._phase = PLACEMENT
        self._playing = [seat.index for seat in match.seats]
        self._rows: dict[int, PlayerRow] = {}
        """By seat, in the order of the first penguins; the scores are on the board."""
        self._said_names: list[str] = []
        """In the same order."""
        self._out: list[str] = []
        self._moves = 0
        self._log: list[str] = []
        self._verbose = match.verbose
        self._remarks: set[str] = set()
        names = [seat.name for seat in match.seats]
        self._recording = Recording(match.recorder, self._board, names) if match.recorder.active else None

    # Playing

    def play(self) -> None:
        """Both phases to their ends."""
        for seat in self._seats:
            try:
                seat.start(self._position(seat.index))
            except SeatFault as fault:
                self._throw_out(seat, fault)
        for phase in (PLACEMENT, MOVEMENT):
            self._phase = phase
            while self._play_round():
                pass

    def _play_round(self) -> bool:
        """Ask everybody once; whether anybody could do anything."""
        anything = False
        for seat in self._seats:
            if seat.index not in self._playing:
                continue
            can_do = can_play(self._board, seat.index, self._phase, self._penguins)
            if can_do or self._asks_when_done:
                self._ask(seat, can_do)
            anything |= can_do
        return anything

    def _ask(self, seat: PenguinsSeat, can_do: bool) -> None:
        try:
            move = seat.choose(self._position(seat.index))
            problem = self._problem(seat.index, move, can_do)
            if problem:
                raise seat.charge(Termination.ILLEGAL_MOVE, problem)
        except SeatFault as fault:
            self._throw_out(seat, fault)
            return
        notes = self._note(seat, move)
        if can_do:
            self._apply(seat, move, notes)

    def _position(self, seat: int) -> PenguinsPosition:
        board = self._board
        table = bytearray(range(256))
        for index, row in self._rows.items():
            table[index] = row.number
        players = tuple(PlayerRow(row.name, row.number, board.scores[index]) for index, row in self._rows.items())
        expected = self._expected_numbers(players)
        first = self._playing.index(seat) if seat in self._playing else 0
        order = self._playing[first:] + self._playing[:first]
        return PenguinsPosition(
            rows=board.rows,
            columns=board.columns,
            cells=board.cells().translate(bytes(table)),
            phase=self._phase,
            penguins=self._penguins,
            player=expected[seat],
            order=tuple(expected[index] for index in order),
            players=players,
            said_names=tuple(self._said_names),
        )

    def _expected_numbers(self, players: tuple[PlayerRow, ...]) -> dict[int, int]:
        """Everybody's number: the one taken, or the one that will be next when it is the seat's turn."""
        expected = {seat: row.number for seat, row in self._rows.items()}
        rows = players
        for seat in (each.index for each in self._seats):
            if seat not in expected:
                expected[seat] = next_number(rows)
                rows = (*rows, PlayerRow("", expected[seat], 0))
        return expected

    # Checking

    def _problem(self, seat: int, move: Move, can_do: bool) -> str:
        """Why a move is illegal; empty where it is not."""
        board = self._board
        is_pass = move.target == PASS.target and move.origin == PASS.origin
        if not can_do:
            return "" if is_pass else f"no move was possible, but it {_describe(move, board.columns)}"
        if is_pass:
            return f"passed, but it could {'move' if self._phase == MOVEMENT else 'place a penguin'}"
        if (self._phase == MOVEMENT) != (move.origin != PASS.origin):
            return f"{_describe(move, board.columns)} in the {self._phase} phase"
        if self._phase == MOVEMENT:
            verdict = board.move_verdict(seat, move.origin, move.target)
        else:
            verdict = board.placement_verdict(move.target)
        if verdict != rules.LEGAL:
            return f"{_describe(move, board.columns)}: {rules.WHY[verdict]}"
        return "" if seat in self._rows else self._row_problem(move)

    def _row_problem(self, move: Move) -> str:
        numbers = {row.number for row in self._rows.values()}
        if move.number and (not 0 < move.number <= rules.MOST_PLAYERS or move.number in numbers):
            return f"took the number {move.number}, which is not free"
        if move.name and (len(move.name.split()) != 1 or not move.name.isprintable()):
            return f"took the ID {move.name[:60]!r}, which is not a single word"
        return ""

    # Applying

    def _apply(self, seat: PenguinsSeat, move: Move, notes: list[str]) -> None:
        board, index = self._board, seat.index
        self._moves += 1
        if self._phase == PLACEMENT:
            if index not in self._rows:
                self._add_row(seat, move)
            board.place(index, move.target)
            fish = 1
        else:
            fish = board.move(index, move.origin, move.target)
        words = f"{_describe(move, board.columns)}, {fish} fish"
        self._log.append(f"{self._moves}. {seat.index} {seat.name}: {words}\n")
        if self._recording is not None:
            self._recording.move(index, move, fish, notes)

    def _add_row(self, seat: PenguinsSeat, move: Move) -> None:
        name = move.name or re.sub(r"[\s\"']+", "_", seat.name) or NO_NAME
        self._rows[seat.index] = PlayerRow(name, move.number or next_number(tuple(self._rows.values())), 0)
        self._said_names.append(move.said_name)

    def _note(self, seat: PenguinsSeat, move: Move) -> list[str]:
        """What is to be remarked of a move, each thing once."""
        notes = [f"{seat.name} {remark}" for remark in move.remarks]
        new = [note for note in dict.fromkeys(notes) if note not in self._remarks]
        self._remarks.update(new)
        self._log += [f"note: {note}\n" for note in new]
        return new

    def _throw_out(self, seat: PenguinsSeat, fault: SeatFault) -> None:
        self._playing.remove(seat.index)
        note = f"{seat.name} is out: {fault.fault.termination.value}: {one_line(fault.fault.message)}"
        self._out.append(note)
        self._log.append(f"{note}\n")
        if self._recording is not None:
            self._recording.out(seat.index, note)

    # The end

    def result(self) -> GameResult:
        """The claim: who finished by fish, then who was thrown out, later before earlier."""
        scores = self._board.scores
        places = [self._place_of(seat) for seat in self._seats]
        ranks = tuple(1 + sum(1 for other in places if other > own) for own in places)
        firsts = [seat for seat, rank in zip(self._seats, ranks) if rank == 1]
        winner = firsts[0] if len(firsts) == 1 else None
        table = ", ".join(f"{seat.name} {scores[seat.index]}{'' if seat.fault is None else ' (out)'}" for seat in self._seats)
        if winner is not None:
            message = f"{winner.name} won: {table}"
        else:
            message = f"Shared by {' and '.join(seat.name for seat in firsts)}: {table}"
        faults = tuple(seat.fault for seat in self._seats if seat.fault is not None)
        return GameResult(
            0 if winner is None else winner.index,
            NO_MOVES if self._playing else FAULT,
            # Whoever was thrown out in a turn has had that turn: viewers show it as a round of its own.
            self._moves + len(self._out),
            plain_rows(self._board),
            ranks=ranks,
            scores=tuple(float(scores[seat.index]) for seat in self._seats),
            message=message,
            faults=faults,
            log="".join([*self._log, f"{message}\n"]) if self._verbose else "",
        )

    def _place_of(self, seat: PenguinsSeat) -> tuple[float, int]:
        if seat.fault is not None:
            return (seat.fault.round, 0)
        return (inf, self._board.scores[seat.index])


def _describe(move: Move, columns: int) -> str:
    """A move in words, also one that is none."""
    where = place_name(move.target, columns)
    if move.origin == PASS.origin:
        return "passed" if move.target == PASS.target else f"placed a penguin at {where}"
    return f"moved from {place_name(move.origin, columns)} to {where}"
