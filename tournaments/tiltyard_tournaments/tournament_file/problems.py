"""What is wrong with a tournament file: everything at once, each with its line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tiltyard_engine.errors import UserError


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong."""

    line: int
    key: str
    """Such as ``format.rounds``; empty where no key is to blame."""
    message: str
    """What was found, and what was expected."""


class TournamentFileError(UserError):
    """A file with problems; its text has a line for each, as compilers write them."""

    see = "tournament-file"
    undone: ClassVar[str] = "nothing was played"

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        self.problems = sorted(set(problems))
        lines = [
            f"{name}:{problem.line}: {f'{problem.key}: ' if problem.key else ''}{problem.message}" for problem in self.problems
        ]
        count = f"{len(lines)} problem{'s' if len(lines) > 1 else ''}; {self.undone}"
        super().__init__("\n".join([*lines, f"{name}: {count}"]))
