"""The subject's engine: what it prints and what it sends the robots, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from tiltyard_filler.anfield import BoardText, write_hello, write_piece
from tiltyard_filler.answers import Answer, OutOfTimeError
from tiltyard_filler.map_files import FillerMap
from tiltyard_filler.pieces import PieceGenerator
from tiltyard_filler.positions import Piece
from tiltyard_filler.rules import LEGAL, Board

MARKS: Final = b"\0@$"
REFRESH_SECONDS: Final = 0.4
NAME_WIDTH: Final = 40
PANIC: Final = "panic: strings: negative Repeat count\n\ngoroutine 1 [running]:\n"
"""How the subject's engine ends where a board has fewer than five rows and a piece is two high."""


class StartError(Exception):
    """A robot cannot be started; the message is that of the subject's engine."""


class _StoppedError(Exception):
    """The game has come to an end without a result."""


class _PanicError(Exception):
    """The subject's engine would break down here."""


class Robot(Protocol):
    """One of the two robots."""

    path: str
    """As it was given."""

    def start(self, hello: bytes) -> None:
        """Start it and send it its first line; StartError."""

    def ask(self, turn: bytes) -> Answer:
        """Send it a turn; OutOfTimeError."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the engine plays a game and what it prints, from the flags."""

    seed: int
    is_quiet: bool = False
    is_throttled: bool = False
    is_strict: bool = False
    """Whether to break where the subject's engine does."""
    explains: bool = False
    """Whether to say more on standard error than the subject's engine, for people at a terminal."""


class Engine:
    """One game between two robots.

    Args:
        board: where they play.
        robots: player 1 and player 2.
        settings: how to play.
        output: what is printed goes there, piece by piece.
        errors: what is said on standard error goes there.
    """

    def __init__(
        self,
        board: FillerMap,
        robots: Sequence[Robot],
        settings: Settings,
        output: Callable[[bytes], object],
        errors: Callable[[str], object],
    ) -> None:
        self._robots = robots
        self._settings = settings
        self._output = output
        self._errors = errors
        self._board = Board(board.width, board.height, board.cells)
        self._text = BoardText(self._board)
        self._pieces = PieceGenerator(settings.seed, board.width, board.height)
        self._most_rows = board.height // 5 + 1
        self._not_started = ["", "", ""]
        """By player: why it could not be started."""

    def run(self) -> int:
        """Play a game and return the exit status."""
        for player, robot in enumerate(self._robots, start=1):
            self._start(player, robot)
        seed = b"seed: %d\n" % self._settings.seed
        try:
            self._check_started()
            self._play()
        except _StoppedError as stopped:
            self._output(seed)
            self._errors(f"{stopped}\n")
        except _PanicError:
            self._errors(PANIC)
            return 2
        else:
            self._output(seed + self._result())
        return 0

    def _start(self, player: int, robot: Robot) -> None:
        hello = write_hello(player, encode(robot.path))
        self._output(hello)
        try:
            robot.start(hello)
        except StartError as error:
            # Said once for the start and once for the line that could not be sent.
            self._not_started[player] = str(error)
            self._errors(f"{error}{error}\n")

    def _check_started(self) -> None:
        """The game ends before any turn if one of the two could not be started, whosever turn it is first."""
        for player in (1, 2):
            if self._not_started[player]:
                self._errors(f"{self._not_started[player]}\n")
                raise _StoppedError(f"Error: Unexpected error for player{player}")

    def _play(self) -> None:
        """Play until both players are out. Whoever is out is never asked again."""
        is_out = [True, False, False]
        player = 2
        while not (is_out[1] and is_out[2]):
            player = player if is_out[3 - player] else 3 - player
            if not self._turn(player):
                is_out[player] = True
            if self._settings.is_throttled:
                time.sleep(REFRESH_SECONDS)

    def _turn(self, player: int) -> bool:
        """Whether the player may go on."""
        piece = self._pieces.draw()
        text = self._text.read() + write_piece(piece)
        try:
            answer = self._robots[player - 1].ask(text)
        except OutOfTimeError as late:
            self._explain(str(late))
            raise _StoppedError(f"Error: Timeout for player{player}") from None
        if not self._settings.is_quiet:
            self._print_turn(text, player, answer, piece)
        if answer.placement is None:
            for error in answer.errors:
                self._errors(f"{error}\n")
            self._explain(answer.hint)
            raise _StoppedError(f"Error: Unexpected error for player{player}")
        verdict = self._board.play(player, piece.offsets, answer.placement.x, answer.placement.y)
        self._text.update()
        return verdict == LEGAL

    def _explain(self, hint: str) -> None:
        if hint and self._settings.explains:
            self._errors(f"note: {hint}\n")

    def _print_turn(self, text: bytes, player: int, answer: Answer, piece: Piece) -> None:
        padding = self._most_rows - piece.height
        line = b"%s-> Answer (%c): %s\n" % (text, MARKS[player], answer.raw)
        self._output(line + b"\n" * padding)
        if padding < 0 and self._settings.is_strict:
            raise _PanicError

    def _result(self) -> bytes:
        first, second = self._board.counts[1:]
        lines = [
            f"Player{player} ({robot.path:>{NAME_WIDTH}}): {self._board.counts[player]}"
            for player, robot in enumerate(self._robots, start=1)
        ]
        if first == second:
            lines.append("Player1 and Player2 have the same score, it's a draw!")
        else:
            lines.append(f"Player{1 if first > second else 2} won!")
        return encode("".join(f"{line}\n" for line in lines))


def encode(text: str) -> bytes:
    """A path's bytes, whatever they are."""
    return text.encode("utf-8", "surrogateescape")
