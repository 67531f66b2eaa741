"""``advance --interactive white|black IN OUT``: a person makes the move that a marker or a referee asks a program for."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Mapping
from typing import Final

from tiltyard_advance.positions import SIDES, turn_after
from tiltyard_advance.rules import BLACK, Board
from tiltyard_advance.terminal.drawing import LEGEND
from tiltyard_advance.terminal.prompt import AdvancePrompt, Scene
from tiltyard_engine.errors import UserError
from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError, NoTerminalError, open_console
from tiltyard_kit.terminal.move_prompt import Command

TERMINAL_VARIABLE: Final = "ADVANCE_TERMINAL"


def ask_person(text: str, side: int, environment: Mapping[str, str] = os.environ) -> str:
    """The board after a person's move; empty where there is no legal move.

    Raises:
        UserError: there is no terminal, or the person makes no move.
    """
    board = Board(text)
    if not board.has_legal_move(side):
        return ""
    about = [f"{SIDES[side].capitalize()} is to move.", "", *LEGEND.split("   "), "", "? for help"]
    with contextlib.ExitStack() as opened:
        console = _open_console(opened, environment.get(TERMINAL_VARIABLE, ""))
        scene = Scene(board, side, beside=about, turned=side == BLACK)
        prompt = AdvancePrompt(console, scene, {"quit": Command("make no move and lose the game", _quit)})
        try:
            return turn_after(board, prompt.ask()).board
        except InputEndedError as ended:
            raise UserError(f"{ended} before a move was made") from None
        except LeftError as left:
            raise UserError(f"no move was made: {left}") from None
        except KeyboardInterrupt:
            raise UserError("interrupted before a move was made") from None


def _quit(_: str) -> None:
    raise LeftError("quit")


def _open_console(opened: contextlib.ExitStack, named: str) -> Console:
    """The terminal that is named, or the person's own; else what is piped in."""
    try:
        return opened.enter_context(open_console(named))
    except NoTerminalError as error:
        if named:
            raise UserError(str(error).replace(named, f"{named} (in {TERMINAL_VARIABLE})", 1)) from error
        return Console(sys.stdin, sys.stderr)
