"""Programs in a match: a process a move, which reads the state from a board file and writes the next one.

``PROGRAM name`` once, then ``PROGRAM phase=placement penguins=N board.txt board.txt`` and ``PROGRAM phase=movement board.txt
board.txt``. The file that a program gets is written again each time, in the canonical form, whatever the program did to it; of
what it writes, the one move is taken and nothing else.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tiltyard_engine.programs import Call, Program, ProgramError, last_words
from tiltyard_engine.results import Termination
from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_penguins.board_files import BoardFile, BoardFileError, PlayerRow, read_board_file, write_board_file
from tiltyard_penguins.differences import BreachError, Change, find_change
from tiltyard_penguins.exchanged import exchange_hint, with_size_exchanged
from tiltyard_penguins.positions import PASS, PLACEMENT, Move, PenguinsPosition, has_something_to_do, next_number

INPUT: Final = "board.txt"
OTHER_OUTPUT: Final = "newboard.txt"
TWO_FILES: Final = "two-files"
"""The protocol of a manifest whose program is to be given two names."""
LONGEST_NAME: Final = 100
NOTHING_TO_DO: Final = 1
BAD_INPUT: Final = 2
INTERNAL_ERROR: Final = 3


class ProgramPlayer(TurnAlgorithm[PenguinsPosition, Move]):
    """A player that is a program, called once for each move."""

    def __init__(self, program: Program, seat: int = 0) -> None:
        self.call: Call | None = None
        """The last one that ran to its end, but for that for the name."""
        self._program = program
        self._output = OTHER_OUTPUT if program.protocol == TWO_FILES else INPUT
        program.expected = f"the state with one move made, in {self._output}"
        self._said_name = ""
        self._own_name = ""
        """The ID in the row that it added, byte for byte; its number is in the position."""

    def start(self, position: PenguinsPosition) -> None:
        """Ask the program who it is. Many get this wrong, and it decides nothing: see ``_view``."""
        call = self._program.call(["name"], {}, ())
        words = call.stdout.decode("utf-8", "backslashreplace").split()
        self._said_name = words[0][:LONGEST_NAME] if words else ""

    def choose(self, position: PenguinsPosition) -> Move:
        """Run the program for one turn.

        Raises:
            ProgramError: it broke the rules or itself.
        """
        own = next((row for row in position.players if row.number == position.player), None)
        view = self._view(position, own)
        words = [f"phase={position.phase}"]
        if position.phase == PLACEMENT:
            words.append(f"penguins={position.penguins}")
        words += [INPUT, self._output]
        files = {INPUT: write_board_file(view)}
        if self._output != INPUT:
            # Else what it wrote the last time would be taken for this time's answer.
            files[self._output] = b""
        self.call = self._program.call(words, files, [self._output])
        return self._judge(self.call, position, view)

    def _view(self, position: PenguinsPosition, own: PlayerRow | None) -> BoardFile:
        """The state as this program is shown it: no two players have the same ID.

        It would take another's row for its own, or give up. Before its first penguin its ID is not known, but a copy
        of it says the same name.
        """
        names = {self._said_name} if own is None else {self._own_name}
        names_in_use = {row.name for row in position.players} | names
        players: list[PlayerRow] = []
        for row, said_name in zip(position.players, position.said_names):
            if own is not None and row.number == own.number:
                name = self._own_name
            elif row.name in names or (own is None and said_name and said_name == self._said_name):
                name = _other_name(row.name, names_in_use)
            else:
                name = row.name
                # A second row of a name is an error to some.
                names.add(name)
            players.append(replace(row, name=name))
        return replace(position.file(), players=tuple(players))

    def _judge(self, call: Call, position: PenguinsPosition, view: BoardFile) -> Move:
        call.expect(0, NOTHING_TO_DO, BAD_INPUT, INTERNAL_ERROR)
        if call.exit_code == INTERNAL_ERROR:
            raise ProgramError(Termination.CRASH, f"exited with code 3 (internal error){_reply(call)}")
        if call.exit_code == BAD_INPUT:
            hint = "; IN and OUT are one file: read it to its end before you open it for writing" if self._output == INPUT else ""
            raise ProgramError(Termination.PROTOCOL, f"exited with code 2 (bad input), but the file is correct{_reply(call)}{hint}")
        can_do = has_something_to_do(position, position.board())
        change = self._change(call, position, view)
        if call.exit_code == NOTHING_TO_DO:
            if change is not None:
                raise ProgramError(Termination.ILLEGAL_MOVE, "exited with code 1 (no move possible), but it changed the state")
            if can_do:
                message = f"exited with code 1 (no move possible), but it could {_what(position)}{_reply(call, '')}"
                raise ProgramError(Termination.ILLEGAL_MOVE, message)
            return PASS
        if change is None:
            if can_do:
                raise ProgramError(Termination.ILLEGAL_MOVE, f"exited with code 0 without a change, but it could {_what(position)}")
            return replace(PASS, remarks=("exited with code 0 instead of 1 although no move was possible",))
        return self._move(change, position)

    def _change(self, call: Call, position: PenguinsPosition, view: BoardFile) -> Change | None:
        output = call.files.get(self._output)
        if output is None or (not output.strip() and self._output != INPUT):
            if call.exit_code == NOTHING_TO_DO and self._output != INPUT and self._output not in call.left:
                return None
            raise ProgramError(Termination.PROTOCOL, f"exited with code {call.exit_code}, but {call.missing(self._output)}")
        own = next((row for row in view.players if row.number == position.player), None)
        try:
            after = read_board_file(output)
        except BoardFileError as error:
            exchanged = with_size_exchanged(output)
            hint = "" if exchanged is None else exchange_hint(view, exchanged, own, position, is_size_wrong=True)
            message = f"the file it wrote isn't a valid state: {error}{f'; {hint}' if hint else ''}"
            raise ProgramError(Termination.PROTOCOL, message, output) from None
        try:
            return find_change(view, after, own, position.phase, position.penguins)
        except BreachError as breach:
            hint = exchange_hint(view, after, own, position, is_size_wrong=False)
            raise ProgramError(Termination.ILLEGAL_MOVE, f"{breach}{f'; {hint}' if hint else ''}", output) from None

    def _move(self, change: Change, position: PenguinsPosition) -> Move:
        remarks: list[str] = []
        if change.keeps_fish_digit:
            remarks.append("leaves the number of fish under its penguins")
        row = change.row
        if row is None:
            return Move(change.target, change.origin, remarks=tuple(remarks))
        if len(row.name) > LONGEST_NAME:
            raise ProgramError(Termination.PROTOCOL, f"its ID has {len(row.name)} characters; the limit is {LONGEST_NAME}")
        self._own_name = row.name
        name = row.name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
        if row.number != next_number(position.players):
            remarks.append(f"took the number {row.number}, expected the next one, {next_number(position.players)}")
        if name != self._said_name:
            remarks.append(f"uses the ID '{name}', but gave '{self._said_name}' as its name")
        if '"' in name or "'" in name:
            remarks.append("has a quotation mark in its ID")
        return Move(change.target, -1, name=name, number=row.number, said_name=self._said_name, remarks=tuple(remarks))


def _other_name(name: str, names_in_use: set[str]) -> str:
    """The first of ``name~1``, ``name~2`` and so on that nobody has; it is added to ``names_in_use``."""
    number = 1
    while f"{name}~{number}" in names_in_use:
        number += 1
    names_in_use.add(f"{name}~{number}")
    return f"{name}~{number}"


def _what(position: PenguinsPosition) -> str:
    return "place a penguin" if position.phase == PLACEMENT else "move"


def _reply(call: Call, silent: str = " without a message") -> str:
    message = last_words(call.stderr.strip() or call.stdout)
    return f": {message}" if message else silent
