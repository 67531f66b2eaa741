"""What all parts of looking a tournament file up share: the file, where names are found, and what was found wrong."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tiltyard_engine.data_classes import dataclass, field
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.game_search import path_in
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.store.team_notes import PreviousTeams
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted
from tiltyard_tournaments.tournament_file.key_places import KeyPlaces
from tiltyard_tournaments.tournament_file.problems import Problem

if TYPE_CHECKING:
    from tiltyard_tournaments.tournament_file.model import TournamentKeys


def output_folder(path: Path, output: object) -> Path:
    """The folder for the results of a file with this key ``output``."""
    return path.parent / output if output and isinstance(output, str) else path.with_suffix("")


CONFINEMENT: Final = frozenset(["isolation", "trust", "unconfined"])
"""The keys that say how code from outside is run."""


@dataclass(frozen=True, slots=True)
class EarlierTournaments:
    """How to find teams that come from earlier tournaments."""

    whole: Document
    """With all stages."""
    load: Callable[..., Any]
    """Loads a document's tournament, with the same plugins and objects."""
    is_preview: bool = False
    """Whether the first teams of one that is not over stand in for those who will go on."""
    is_redraw: bool = False
    """Whether it doesn't matter who was there when this tournament began."""
    files: tuple[Path, ...] = ()
    """This one, after those whose teams come from it."""


@dataclass(slots=True, kw_only=True)
class Lookup:
    """One look-up of all names of a file."""

    document: Document
    path: Path
    keys: TournamentKeys
    broken: set[KeyPath]
    """What is told already: keys, for which their default stands here, and items of lists, for which a placeholder does."""
    problems: list[Problem]
    finder: Finder = field(init=False)
    """Set as soon as it is known how code from outside is run."""
    policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    key_places: Callable[[], KeyPlaces] | None = None
    """Where keys belong that stand elsewhere."""
    previous: PreviousTeams = field(default_factory=PreviousTeams)
    """The teams that a run has noted."""
    earlier: EarlierTournaments | None = None
    earlier_limits: dict[str, Mapping[str, float]] = field(default_factory=dict)
    """The limits of single teams that they had in the tournaments from which they come."""
    carried: dict[Reference, Outcome] = field(default_factory=dict)
    """The points that single teams bring from these."""
    earlier_names: set[str] = field(default_factory=set)
    """Of all teams of these, also of those that did not go on."""
    earlier_links: dict[str, str] = field(default_factory=dict)
    """The titles of other files' tournaments from which teams come, and the addresses of their sites."""
    left_out: list[str] = field(default_factory=list)
    """What stands in the folders that the file names, and can't be used."""
    notes: list[str] = field(default_factory=list)
    """What is not as readers of the file may expect."""

    def is_broken(self, *where: str | int) -> bool:
        """Whether this, or something around it, is told already."""
        return any(where[:length] in self.broken for length in range(1, len(where) + 1))

    def has_problem_in(self, *keys: str) -> bool:
        """Whether something is wrong with one of these keys of the file, or below."""
        return any(re.split(r"[.\[]", problem.key)[0] in keys for problem in self.problems)

    def sound_limits(self, limits: Mapping[str, float], where: KeyPath) -> dict[str, float]:
        """Those of the limits that can be set; all others are noted."""
        sound: dict[str, float] = {}
        for name, value in limits.items():
            try:
                LimitChanges({name: value}, where="limits")
                sound[name] = value
            except UserError as error:
                self.problem(where, str(error))
        return sound

    def problem(self, where: KeyPath, message: str) -> None:
        """Note what is wrong with a key, once."""
        if self.is_broken(*where):
            return
        if len(where) == 2 and isinstance(where[1], int) and not isinstance(self.document.data.get(where[0]), list):
            where = where[:1]  # A word or a mapping, in place of a list with only that.
        self.problems.append(Problem(self.document.line_of(where), dotted(where), message))

    def may_look_up(self, name: str) -> bool:
        """Whether what is named can be looked at: no code from outside where the file doesn't say soundly how it is run."""
        if not any(place[0] in CONFINEMENT for place in self.broken):
            return True
        return path_in(self.in_folder(name)) is None

    def in_folder(self, text: str) -> str:
        """A path as the file means it: relative to its own folder. What is no path stays as it is."""
        head = text.rpartition(":")[0] or text
        beside = self.path.parent / text
        if Path(text).is_absolute() or not (beside.exists() or (self.path.parent / head).exists() or "/" in text):
            return text
        path = os.path.normpath(beside)
        # A bare word would be an installed name.
        return path if os.sep in path or "/" not in text else f"./{path}"
