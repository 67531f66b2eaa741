"""Errors that are a user's to mend: each says what, where, what was expected and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """Base of all errors that a command prints as one message, without a traceback."""


class MapError(UserError):
    """A map file cannot be used."""


class ContractError(UserError):
    """A plugin's code broke the contract, such as a GameManager that passes a tank of its own to a Player."""


class NotFoundError(UserError):
    """A name that nobody registered."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else f"known: {', '.join(names) or 'none'}"
        super().__init__(f"no {what} is called '{name}'; {hint}")
