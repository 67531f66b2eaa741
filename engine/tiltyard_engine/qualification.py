"""What a game may ask of a team before it plays in a tournament: tests, each of which is a match with one seat."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class QualifyingTest:
    """One test: a map with one seat. It is passed if the match's winner is seat 1."""

    name: str
    group: str
    """What it belongs to, such as ``level 4``: groups are told one by one."""
    map_data: bytes
    """The bytes of a map file of the qualifier's game."""


@dataclass(frozen=True, slots=True)
class Qualifier:
    """A game's tests for those who want to play it. An algorithm of the game must be able to sit in the tests' game as well."""

    game: str
    """The registered game, of one seat, that the tests are matches of; its positions and answers are those of the game itself."""
    manager: str
    """Its GameManager."""
    options: type[Any]
    """What an organiser can ask for: a frozen dataclass of plain values with defaults; see ``tiltyard_engine.formats.option``."""
    tests: Callable[[Any, Path], Sequence[QualifyingTest]]
    """``tests(options, folder)``: the tests, in order; paths are relative to the folder. Raises UserError."""
