"""A tournament that can be played: everything that its file names was found."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltyard_engine.formats import Field, Fixture, TournamentFormat
from tiltyard_engine.publishing import Publication
from tiltyard_engine.qualifying import QualifyingTest
from tiltyard_engine.registry import Reference
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.quarantine import DEFAULT_FAULTS
from tiltyard_simulator.specs import MapSource, MatchSpec
from tiltyard_tournaments.formats.seeds import match_seed
from tiltyard_tournaments.standings import COURSE_RULES, Rules


@dataclass(frozen=True, slots=True)
class Chosen:
    """An observer or a publisher, and the options that it gets."""

    reference: Reference
    options: Any

    @property
    def name(self) -> str:
        """The registered name."""
        return self.reference.name


@dataclass(frozen=True, slots=True)
class Tournament:
    """What is to be played, how it is judged, and where the results go."""

    title: str
    game: Reference
    manager: Reference
    teams: tuple[Reference, ...]
    """Names are unique among them."""
    maps: tuple[MapSource, ...]
    format: TournamentFormat
    format_name: str
    field: Field
    folder: Path
    """Holds the store and all that is written."""
    description: str = ""
    holding: Holding = dataclasses.field(default_factory=Holding)
    rules: Rules = COURSE_RULES
    """How results become a table."""
    quarantine: int = DEFAULT_FAULTS
    replays: bool = True
    workers: int = 0
    publication: Publication = dataclasses.field(default_factory=Publication)
    observers: tuple[Chosen, ...] = ()
    """Who hears of a run."""
    publishers: tuple[Chosen, ...] = ()
    """Who publishes the results at the end of a run; where nobody is named ``tiltyard publish`` writes the site."""
    tests: tuple[QualifyingTest, ...] = ()
    """What a team has to pass before it plays; see ``running.entering``."""
    tests_game: Reference | None = None
    tests_manager: Reference | None = None
    remake_format: Callable[[Field], TournamentFormat] | None = None
    """The same format for another field."""
    not_admitted: tuple[tuple[str, str], ...] = ()
    """Teams of the file that may not play, and why; they are not among ``teams``."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the teams are called in tables, in the order of the file."""
        return tuple(team.label for team in self.teams)

    def spec(self, fixture: Fixture) -> MatchSpec:
        """The match of a fixture. Equal maps and game numbers have equal seeds, whoever plays."""
        source = self.maps[fixture.map]
        spec = MatchSpec(
            self.game,
            self.manager,
            source,
            tuple(self.teams[team] for team in fixture.seats),
            seed=match_seed(self.field.seed, hashlib.blake2b(source.data).hexdigest(), fixture.game),
            record=self.replays,
        )
        return self.holding.apply(spec)
