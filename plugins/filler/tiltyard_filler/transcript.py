"""What an engine of Filler prints, read back as the match that it tells of: while it is printed, or later from a file.

Both engines are understood: that of the subject (``Anfield``, ``-> Answer``) and that of 42 (``Plateau``, ``<got``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_filler.manager import describe_answer, describe_next
from tiltyard_filler.positions import Piece, Placement
from tiltyard_filler.rules import LEGAL, Board

EXEC: Final = re.compile(rb"^\$\$\$ exec p([12]) : \[(.*)\]", re.MULTILINE)
BOARD: Final = re.compile(rb"(Anfield|Plateau) (\d+) (\d+):")
PIECE: Final = re.compile(rb"Piece (\d+) (\d+):")
ANSWER: Final = re.compile(rb"-> Answer \(([@$])\): (.*)")
PLACE: Final = re.compile(rb"(-?\d+) (-?\d+)")
GOT: Final = re.compile(rb"<got \(([OX])\): \[(-?\d+), (-?\d+)\]")
SCORE: Final = re.compile(rb"Player[12] \(.*\): (\d+)")
RESULT: Final = re.compile(rb"Player1 won!|Player2 won!|Player1 and Player2 have the same score.*")
FINAL_42: Final = re.compile(rb"== ([OX]) fin: (\d+)")
TO_SUBJECT: Final = bytes.maketrans(b"OoXx*", b"@a$sO")
"""From the characters of 42's boards to the subject's."""
PIECE_TO_SUBJECT: Final = bytes.maketrans(b"*", b"O")
ROW_PREFIX: Final = 4
MAX_SIDE: Final = 10_000
LONGEST_NUMBER: Final = 1_000
"""Digits. Python works out no number of a few thousand."""


def is_transcript(head: bytes) -> bool:
    """Whether a text that begins so is printed by an engine of Filler."""
    return EXEC.search(head) is not None


def read_transcript(lines: Iterable[bytes]) -> tuple[Replay, Iterator[Frame]]:
    """The start of the match, and its frames as the lines come.

    The replay's message comes with the last lines.

    Raises:
        UserError: no board is printed, or a line is not what has to stand there; also while frames are taken.
    """
    reader = _Reader(lines)
    return reader.replay, reader.frames()


class _Reader:
    def __init__(self, lines: Iterable[bytes]) -> None:
        self._lines = iter(lines)
        self._number = 0
        """Of the line that was read last."""
        self._seats = ["player 1", "player 2"]
        self._scores: list[str] = []
        self._piece: Piece | None = None
        self._awaits_board = False
        """Only for 42's engine: whether the next board shows the result of the answer."""
        self._action = ""
        self._player = 0
        self._pending: dict[int, str] = {}
        """Squares that the engine prints differently from the rules; shown with the next turn."""
        self._last_turn: tuple[int, Frame] | None = None
        """The last turn, and who played it, until the next piece and whose it is are known."""
        self._is_42 = False
        first = self._find_board()
        self._board = Board(*first)
        self.replay = Replay(
            game="filler", width=first[0], height=first[1], squares=tuple(chr(cell) for cell in first[2]), seats=tuple(self._seats)
        )

    def frames(self) -> Iterator[Frame]:
        """A frame a turn, when the turn after it, or the end, is printed: it tells what piece is to be placed then."""
        try:
            for player, frame in self._turns():
                yield from self._release(player)
                self._last_turn = player, frame
        except UserError:
            yield from self._release()
            raise
        yield from self._release()

    def _release(self, next_player: int = 0) -> Iterator[Frame]:
        if self._last_turn is None:
            return
        player, frame = self._last_turn
        self._last_turn = None
        if next_player and self._piece is not None:
            actions = list(frame.actions)
            action = actions[next_player - 1] if next_player == player else ""
            actions[next_player - 1] = describe_next(action, self._piece)
            frame = replace(frame, actions=tuple(actions))
        yield frame

    def _turns(self) -> Iterator[tuple[int, Frame]]:
        """Each turn as the player and the frame after it."""
        while (line := self._next()) is not None:
            if BOARD.match(line):
                board = self._read_board(line)
                yield from self._take_board(*board)
            elif PIECE.match(line):
                yield from self._no_board_came()
                self._piece = self._read_piece(line)
            elif match := ANSWER.match(line):
                player = 1 if match[1] == b"@" else 2
                yield player, self._answer(player, match[2])
            elif match := GOT.match(line):
                yield from self._no_board_came()
                self._player = 1 if match[1] == b"O" else 2
                self._action = self._describe(Placement(self._int(match[3]), self._int(match[2])), LEGAL)
                self._awaits_board = True
            else:
                self._take_end(line)
        yield from self._no_board_came()

    # Lines

    def _next(self) -> bytes | None:
        line = next(self._lines, None)
        if line is None:
            return None
        self._number += 1
        return line.rstrip(b"\r\n")

    def _need(self, what: str) -> bytes:
        line = self._next()
        if line is None:
            raise UserError(f"the input ends after line {self._number}, in the middle of {what}")
        return line

    def _find_board(self) -> tuple[int, int, bytes]:
        while (line := self._next()) is not None:
            if match := EXEC.match(line):
                self._seats[int(match[1]) - 1] = match[2].decode("utf-8", "replace").rpartition("/")[2] or f"player {int(match[1])}"
            elif BOARD.match(line):
                return self._read_board(line)
        raise UserError("there is no board; did the game run with -q, or did a robot fail before its first answer?")

    def _read_board(self, header: bytes) -> tuple[int, int, bytes]:
        match = BOARD.match(header)
        assert match is not None
        self._is_42 = match[1] == b"Plateau"
        width, height = self._sides(match[2], match[3])
        self._need("a board")
        rows = [self._row(self._need("a board")[ROW_PREFIX:], width, b".@a$s", "a row of the board") for _ in range(height)]
        return width, height, b"".join(rows)

    def _read_piece(self, header: bytes) -> Piece:
        match = PIECE.match(header)
        assert match is not None
        width, height = self._sides(match[1], match[2])
        rows = [self._row(self._need("a piece"), width, b".O", "a row of the piece") for _ in range(height)]
        return Piece(width, height, b"".join(rows))

    def _sides(self, first: bytes, second: bytes) -> tuple[int, int]:
        """Width and height; 42's engine says them the other way round."""
        sides = (self._int(second), self._int(first)) if self._is_42 else (self._int(first), self._int(second))
        if max(sides) > MAX_SIDE:
            raise UserError(f"line {self._number}: a board with a side of {max(sides)} is too large")
        return sides

    def _int(self, digits: bytes) -> int:
        if len(digits) > LONGEST_NUMBER:
            raise UserError(f"line {self._number}: a number of {len(digits.removeprefix(b'-'))} digits is too large")
        return int(digits)

    def _row(self, line: bytes, width: int, letters: bytes, what: str) -> bytes:
        row = line.translate((TO_SUBJECT if b"@" in letters else PIECE_TO_SUBJECT) if self._is_42 else None)
        if len(row) != width or row.strip(letters):
            text = line[:60].decode("utf-8", "replace")
            raise UserError(f"line {self._number}: expected {what} of {width} characters, got '{text}'")
        return row

    # Turns

    def _answer(self, player: int, raw: bytes) -> Frame:
        """The subject's engine prints the board only before the next turn: the rules tell what it will be."""
        match = PLACE.fullmatch(raw)
        if match is None or self._piece is None:
            text = raw[:60].decode("utf-8", "replace")
            return self._frame(player, f"no answer: '{text}'", (f"player {player} failed",))
        placement = Placement(self._int(match[1]), self._int(match[2]))
        verdict = self._board.play(player, self._piece.offsets, placement.x, placement.y)
        self._pending.update((square, chr(self._board.cells[square])) for square in self._board.changed)
        notes = () if verdict == LEGAL else (f"player {player} is out",)
        return self._frame(player, self._describe(placement, verdict), notes)

    def _describe(self, placement: Placement, verdict: int) -> str:
        # 42's engine need not print a piece before an answer.
        return describe_answer(self._piece or Piece(1, 1, b"O"), placement, verdict)

    def _take_board(self, width: int, height: int, cells: bytes) -> Iterator[tuple[int, Frame]]:
        board = self._board
        if (width, height) != (board.width, board.height):
            raise UserError(f"line {self._number}: the board was {board.width} x {board.height}, but is now {width} x {height}")
        if cells != board.cells:
            self._pending.update((square, chr(cell)) for square, cell in enumerate(cells) if cell != board.cells[square])
            self._board = Board(width, height, cells)
        if self._awaits_board:
            self._awaits_board = False
            yield self._player, self._frame(self._player, self._action, ())

    def _no_board_came(self) -> Iterator[tuple[int, Frame]]:
        if self._awaits_board:
            self._awaits_board = False
            yield self._player, self._frame(self._player, self._action, (f"player {self._player} is out",))

    def _frame(self, player: int, action: str, notes: tuple[str, ...]) -> Frame:
        changes, self._pending = tuple(sorted(self._pending.items())), {}
        actions = (action, "") if player == 1 else ("", action)
        return Frame(changes, actions, tuple(float(count) for count in self._board.counts[1:]), notes)

    def _take_end(self, line: bytes) -> None:
        if match := SCORE.match(line):
            self._scores.append(match[1].decode())
        elif RESULT.fullmatch(line):
            self.replay.message = f"{line.decode()} {' : '.join(self._scores)} cells"
        elif match := FINAL_42.match(line):
            self._scores.append(f"{match[1].decode()} {match[2].decode()}")
            self.replay.message = f"Pieces placed: {', '.join(self._scores)}"
        elif line.startswith(b"seed: "):
            self.replay.title = line.decode("utf-8", "replace")
            self.replay.message = "The game has no result: a robot failed"
