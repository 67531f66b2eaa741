"""What is taken in, and how: for commands, for a league and for plugins that take work in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tiltyard_engine.recipes import Recipe
from tiltyard_intake.building.build import BUILD_LIMITS
from tiltyard_intake.environments.allowed import Allowed
from tiltyard_intake.exports.roster import Roster
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class IntakeOptions:
    """What is taken in, and how."""

    handed_in: Path
    """A folder, or an export that is one archive."""
    into: Path
    """The folder of teams."""
    reports: Path
    """Where the report, the builds that are kept and their output go. Not below the folder of teams."""
    game: str
    roster: Roster | None = None
    deadline: datetime | None = None
    workers: int = 1
    recipe: str = ""
    """The recipe for everybody; empty: the one that fits."""
    recipes: Mapping[str, str] = field(default_factory=dict)
    """The recipe of single teams, by their label."""
    policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    limits: Limits = BUILD_LIMITS
    """Of one build."""
    warnings_fail: bool = False
    """Whether a build that fails only because its flags make errors of warnings has failed."""
    retries: bool = False
    """Whether what failed last time is tried again although nothing has changed."""
    allowed: Allowed = field(default_factory=Allowed)
    """Which packages teams may have in environments of their own."""
    environments: Path | None = None
    """Where these are made, if other folders of teams share them; None: beside the teams."""
    keeps_playing: bool = False
    """Whether a team whose new attempt can't play keeps the one before."""
    own_recipes: tuple[Recipe, ...] = ()
    """The organiser's, beside those of the plugins."""
    is_dry: bool = False
    """Only say what was found; build nothing, and write nothing."""
    is_one_team: bool = False
    """Whether all that was handed in is one team's work, whatever it looks like."""
    as_they_are: frozenset[Path] = frozenset()
    """What lies there and plays as it is: it is reported, and stays where it lies."""
    keeps_sources: bool = True
    """Whether the sources of each attempt are kept in the folder of reports."""
    plays_once: bool = True
    """Whether each team plays a short match, to see whether what was built really plays."""
    common_code: tuple[Path, ...] = ()
    """Code that all may have, which is left out when works are compared: folders, zips or files."""
    reads: frozenset[Path] = frozenset()
    """What else the command reads, such as the list of students. Nobody handed it in, wherever it lies."""
    cells: CellPool | None = None
    """In which it is built, for who takes in one work after the other with one worker; they stay the caller's.

    None: in new ones."""
