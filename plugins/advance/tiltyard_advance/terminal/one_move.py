"""``advance --interactive white|black IN OUT``: a person makes the move that a marker or a referee asks a program for."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import ClassVar, Final

from tiltyard_advance.positions import SIDES, AdvancePosition
from tiltyard_advance.rules import BLACK, Board
from tiltyard_advance.terminal.drawing import LEGEND
from tiltyard_advance.terminal.table import FLIP, AdvanceTable
from tiltyard_engine.errors import UserError
from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError, NoTerminalError, open_console
from tiltyard_kit.terminal.playable_game import QUESTION_COMMANDS, TableScene
from tiltyard_kit.terminal.table_game import TableGame

TERMINAL_VARIABLE: Final = "ADVANCE_TERMINAL"


class OneMove(AdvanceTable):
    """A board of which nobody knows how it came about."""

    commands: ClassVar[Mapping[str, str]] = {**QUESTION_COMMANDS, **FLIP, "quit": "make no move and lose the game"}
    farewell = "quit"

    def beside(self, scene: TableScene[AdvancePosition], console: Console) -> list[str]:
        """Whose move it is, and what the signs are."""
        return [f"{scene.position.colour.capitalize()} is to move.", "", *LEGEND.split("   "), "", "? for help"]


def ask_person(text: str, side: int, environment: Mapping[str, str] = os.environ) -> str:
    """The board after a person's move; empty where there is no legal move.

    Raises:
        UserError: there is no terminal, or the person makes no move.
    """
    if not Board(text).has_legal_move(side):
        return ""
    with contextlib.ExitStack() as stack:
        console = _open_console(stack, environment.get(TERMINAL_VARIABLE, ""))
        table = TableGame(console, OneMove(is_turned=side == BLACK), [(SIDES[side], None)])
        try:
            return table.seats[0].choose(AdvancePosition(text, side)).board
        except InputEndedError as ended:
            raise UserError(f"{ended} before a move was made") from None
        except LeftError as left:
            raise UserError(f"no move was made: {left}") from None
        except KeyboardInterrupt:
            raise UserError("interrupted before a move was made") from None


def _open_console(stack: contextlib.ExitStack, device: str) -> Console:
    """The terminal that is named, or the person's own; else what is piped in."""
    try:
        return stack.enter_context(open_console(device))
    except NoTerminalError as error:
        if device:
            raise UserError(str(error).replace(device, f"{device} (in {TERMINAL_VARIABLE})", 1)) from error
        return Console(sys.stdin, sys.stderr)
