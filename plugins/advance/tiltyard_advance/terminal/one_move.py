"""``advance --interactive white|black IN OUT``: a person makes the move that a marker or a referee asks a program for."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Mapping
from typing import Final, TextIO

from tiltyard_advance.moves import boards_after
from tiltyard_advance.rules import BLACK, Board
from tiltyard_advance.start import SIDES
from tiltyard_advance.terminal.console import Console, InputEndedError
from tiltyard_advance.terminal.drawing import LEGEND
from tiltyard_advance.terminal.turn import Scene, ask_move

TERMINAL_VARIABLE: Final = "ADVANCE_TERMINAL"
TERMINAL: Final = "/dev/tty"


class NobodyThereError(Exception):
    """No move came of it; the message says why."""


def ask_person(text: str, side: int, environment: Mapping[str, str] = os.environ) -> str:
    """The board after a person's move; empty where there is no legal move.

    Raises:
        NobodyThereError: there is no terminal, or whoever sits there makes no move.
    """
    board = Board(text)
    if not board.has_legal_move(side):
        return ""
    with _open_console(environment) as console:
        about = [f"{SIDES[side].capitalize()} is to move.", "", LEGEND.split("   ")[0], *LEGEND.split("   ")[1:], "", "? helps"]
        scene = Scene(board, side, beside=about, turned=side == BLACK, extra={"quit": "make no move, which loses the game"})
        try:
            decision = ask_move(console, scene)
        except InputEndedError:
            raise NobodyThereError("the input ended before a move was made") from None
        except KeyboardInterrupt:
            console.say("")
            raise NobodyThereError("interrupted before a move was made") from None
    if decision.word:
        raise NobodyThereError("no move was made: quit")
    after = {move: result for result, move in boards_after(board, [decision.move]).items()}
    return after[decision.move]


@contextlib.contextmanager
def _open_console(environment: Mapping[str, str]) -> Iterator[Console]:
    """The terminal that the environment names, standard input and output, or the controlling terminal; else what is piped in."""
    named = environment.get(TERMINAL_VARIABLE, "")
    if not named and sys.stdin.isatty() and sys.stdout.isatty():
        yield Console(sys.stdin, sys.stdout)
        return
    source: TextIO
    target: TextIO
    with contextlib.ExitStack() as opened:
        try:
            path = named or TERMINAL
            source = opened.enter_context(open(path, encoding="utf-8", errors="replace"))  # noqa: PTH123 -- a device
            target = opened.enter_context(open(path, "w", encoding="utf-8", errors="replace"))  # noqa: PTH123
        except OSError as error:
            if named:
                raise NobodyThereError(f"{named} (in {TERMINAL_VARIABLE}): cannot be opened: {error.strerror}") from error
            source, target = sys.stdin, sys.stderr
        yield Console(source, target)
