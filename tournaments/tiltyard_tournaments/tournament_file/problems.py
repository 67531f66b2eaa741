"""What is wrong with a tournament file: everything at once, each with its line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError, and_more

_PLACE: Final = re.compile(r"\[\d+\]")
_PLUGIN_IN_A_FILE: Final = re.compile(r"(.+\.(?:py|so)):([^:/ ]+): (.*)", re.DOTALL)
"""What is wrong with one plugin of a file, as in ``teams/bots.py:acorn: cannot be imported``."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing that is wrong."""

    line: int
    key: str
    """Such as ``format.rounds``; empty where no key is to blame."""
    message: str
    """What was found, and what was expected."""

    @property
    def kind(self) -> tuple[str, ...]:
        """Equal for entries of one list that have the same wrong with them, such as plugins of one file that can't be imported."""
        match = _PLUGIN_IN_A_FILE.fullmatch(self.message)
        return _PLACE.sub("[]", self.key), *((match[1], match[3]) if match else (self.message,))

    def with_others(self, others: Sequence[Problem]) -> str:
        """The text, with others of its kind in brackets."""
        names = [(_PLUGIN_IN_A_FILE.fullmatch(each.message) or [each.key] * 3)[2] for each in others]
        return f"{f'{self.key}: ' if self.key else ''}{self.message}{and_more(names)}"


class TournamentFileError(UserError):
    """A file with problems; its text has a line for each, as compilers write them."""

    see = "tournament-file"
    undone: ClassVar[str] = "nothing was played"

    def __init__(self, name: str, problems: Sequence[Problem]) -> None:
        self.problems = sorted(set(problems))
        alike: dict[tuple[str, ...], list[Problem]] = {}
        for problem in self.problems:
            alike.setdefault(problem.kind, []).append(problem)
        lines = [f"{name}:{first.line}: {first.with_others(others)}" for first, *others in alike.values()]
        count = f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}; {self.undone}"
        super().__init__("\n".join([*lines, f"{name}: {count}"]))
