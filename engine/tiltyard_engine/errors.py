"""Errors that are a user's to mend: each says what, where, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tiltyard_engine.replay import Replay


class UserError(Exception):
    """Base of all errors that a command prints as one message, without a traceback."""


class MapError(UserError):
    """A map file cannot be used."""


class LogError(MapError):
    """An output file that the chosen rules cannot have written."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line
        """The first bad line, from 1; one past the last where a line is missing."""
        self.replay: Replay | None = None
        """The game up to there. Where the rules could play the bad line, its round is the last, the error among its notes."""


class ContractError(UserError):
    """A plugin's code broke the contract, such as a GameManager that passes a tank of its own to a Player."""


class ForeignError(Exception):
    """What code of another language failed with: a traceback would show nothing but what stands between it and Python."""


class NotFoundError(UserError):
    """A name that nobody registered; ``because`` may say what became of somebody who tried."""

    def __init__(self, what: str, name: str, known: Iterable[str], because: str = "") -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
        hint = because or (f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names) or 'none'}")
        super().__init__(f"no {what} is called '{name}'; {hint}")


def describe(error: BaseException) -> str:
    """An exception in one phrase: its class, and what it says if it can say anything."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
