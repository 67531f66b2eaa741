"""A tournament that can be played, everything named in its file found; and the store of its results."""

from __future__ import annotations

import dataclasses
import hashlib
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.decisions import Decision
from tiltyard_engine.errors import UserError, describe, some_of
from tiltyard_engine.formats import Bye, Field, Fixture, TournamentFormat
from tiltyard_engine.lifecycle import Publication
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import QualifyingTest
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import PairingEnding
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.eligibility import DEFAULT_FAULTS
from tiltyard_simulator.match.key import with_key
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec, Place, Recording
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.output.result_files import sync_file
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.formats.conditions import match_seed
from tiltyard_tournaments.standings import ASSIGNMENT_RULES, Rules
from tiltyard_tournaments.store import Store, StoreLock
from tiltyard_tournaments.store.drawn_rounds import DrawnGame
from tiltyard_tournaments.store.team_notes import NotedTeams, write_notes


@dataclass(frozen=True, slots=True)
class ConfiguredPlugin:
    """An observer or a publisher, and the options that it gets."""

    reference: Reference
    options: Any

    @property
    def name(self) -> str:
        """The registered name of the plugin."""
        return self.reference.name

    def failure(self, error: BaseException) -> str:
        """One line such as ``slack (slack-team 1.0): raised KeyError: 'x' (slack.py, line 12)``; a UserError as it is."""
        source = self.reference.source
        origin = f"{source.distribution} {source.version}".strip() if source.distribution else str(source)
        who = self.name if str(source) == self.name else f"{self.name} ({origin})"
        if isinstance(error, UserError):
            return one_line(f"{who}: {error}")
        frames = traceback.extract_tb(error.__traceback__)
        where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
        return one_line(f"{who}: raised {describe(error)}{where}")


@dataclass(frozen=True, slots=True)
class Disqualification:
    """A team that may not play any more."""

    team: Reference
    reason: str
    """For everybody who reads the tables."""
    results: Literal["keep", "strike"] = "keep"
    """``strike``: the tournament is one in which the team never entered, so it is not among the teams."""


@dataclass(frozen=True, slots=True)
class TeamAbsence:
    """Rounds in which a team does not play: it comes late, leaves, or has asked for a half-point bye."""

    team: Reference
    first: int
    """The round, from 1; 0: from now on, which is the next round that is not drawn yet."""
    last: int | None = None
    """None: to the end."""
    ending: PairingEnding = PairingEnding.ABSENT
    points: float = 0.0
    """What a late team begins with."""


@dataclass(frozen=True, slots=True)
class StandingRound:
    """A round that was drawn, by the places of this tournament's teams and maps."""

    fixtures: tuple[Fixture, ...]
    games: tuple[DrawnGame, ...]
    """The matches that they were, in the same order."""
    byes: tuple[Bye, ...]
    stored: frozenset[str]
    """The keys of those that were played."""

    @property
    def finished(self) -> list[Fixture]:
        """The fixtures of matches that were played."""
        return [fixture for fixture, game in zip(self.fixtures, self.games, strict=True) if game.key in self.stored]

    def as_drawn(self, batch: Sequence[MatchSpec]) -> list[MatchSpec]:
        """The round's matches with the seeds that they were drawn with. What was played stands, whatever settings have become.

        Where the code of the game, the GameManager or a team has changed since, a match is played again.
        """
        matches: list[MatchSpec] = []
        for spec, game in zip(batch, self.games, strict=True):
            if spec.input.seed != game.seed:
                spec = with_key(replace(spec, input=replace(spec.input, seed=game.seed)))
            if game.key in self.stored and spec.place.digests == game.digests:
                spec = replace(spec, place=replace(spec.place, key=game.key))
            matches.append(spec)
        return matches


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """What to play, how to rank the results, and where to write them."""

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
    """The folder of the store and of everything that is written."""
    description: str = ""
    isolation_policy: IsolationPolicy = dataclasses.field(default_factory=IsolationPolicy)
    rules: Rules = ASSIGNMENT_RULES
    """How results become a table."""
    quarantine: int = DEFAULT_FAULTS
    on_crash: OnCrash = OnCrash.FORFEIT
    replays: bool = True
    verbose: bool = False
    """Whether to write the output file of each match."""
    workers: int = 0
    analysis_seconds: float = 0.0
    """CPU seconds in which lost games may be explained; 0: none is."""
    publication: Publication = dataclasses.field(default_factory=Publication)
    observers: tuple[ConfiguredPlugin, ...] = ()
    """The observers of a run."""
    publishers: tuple[ConfiguredPlugin, ...] = ()
    """The publishers that publish at the end of a run. If there are none, only ``tiltyard publish`` writes the site."""
    tests: tuple[QualifyingTest, ...] = ()
    """The tests that a team must pass before it plays; see ``running.qualification``."""
    tests_game: Reference | None = None
    tests_manager: Reference | None = None
    remake_format: Callable[[Field, bytes], TournamentFormat] | None = None
    """The same format for another field, and with other options, as JSON, if there are any."""
    not_admitted: tuple[tuple[str, str], ...] = ()
    """Submissions that could not be loaded, then teams that failed a test, and why. They are not in ``teams``."""
    disqualified: tuple[Disqualification, ...] = ()
    """See ``running.eligibility``."""
    absences: tuple[TeamAbsence, ...] = ()
    """What the file says of teams that come late, leave or sit out."""
    format_options: bytes = b""
    """As JSON."""
    rounds: tuple[StandingRound, ...] = ()
    """What was drawn and stands; see ``running.standing_rounds``."""
    missing_teams: frozenset[Reference] = frozenset()
    """Teams of these rounds that are in no entry of the file any more. They are in ``teams``, but no longer paired."""
    round_notes: tuple[str, ...] = ()
    """What stands and what changes, in lines."""
    tie_break_games: Callable[[Any], Sequence[Fixture]] | None = None
    """Of a schedule whose format has nothing left to play: the matches between teams that are tied; None: there are none."""
    decisions: tuple[Decision, ...] = ()
    """What was decided about games, as the store has it."""
    carried: Mapping[Reference, Outcome] = dataclasses.field(default_factory=dict)
    """The points that teams bring from earlier tournaments, each as a round without an opponent."""
    team_notes: Mapping[str, NotedTeams] = dataclasses.field(default_factory=dict)
    """Which teams words of its file stand for, to be noted by a run."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the teams are called in tables, in the order of the file."""
        return tuple(team.label for team in self.teams)

    def spec(self, fixture: Fixture) -> MatchSpec:
        """The match of a fixture. Equal maps and game numbers have equal seeds, whoever plays."""
        spec = MatchSpec(
            MatchInput(
                game=self.game,
                manager=self.manager,
                map=self.maps[fixture.map],
                teams=tuple(self.teams[team] for team in fixture.seats),
                seed=self.seed_of(fixture),
                on_crash=self.on_crash,
            ),
            recording=Recording(replay=self.replays, log=self.verbose),
            place=Place(game_number=fixture.game, stage=fixture.stage),
        )
        return self.isolation_policy.apply(spec)

    def seed_of(self, fixture: Fixture) -> int:
        """The seed of its match, which depends on its map's contents and the game's number alone."""
        return match_seed(self.field.seed, hashlib.blake2b(self.maps[fixture.map].data).hexdigest(), fixture.game)


def make_output_folder(folder: Path) -> None:
    """Make the folder if it is missing; it survives a power cut.

    Raises:
        UserError: it cannot be made.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder}: is a file, expected a folder for the results; choose another name")
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for each in missing:
            sync_file(each.absolute().parent)
    except OSError as error:
        raise UserError(f"{folder}: cannot be made: {error.strerror}") from error


def open_store(tournament: Tournament) -> Store:
    """The tournament's store, to read; close it, or use it as a context manager.

    Raises:
        UserError: nothing has been played yet, or the store cannot be read.
    """
    return Store(tournament.folder, writable=False)


@contextmanager
def store_for_run(tournament: Tournament, tell: Callable[[str], object] | None = None) -> Iterator[Store]:
    """The tournament's store, for this run alone to write.

    ``tell`` is told of teams whose games count for nobody any more, because they are gone since the last run.

    Raises:
        UserError: the folder or the store cannot be written, another run holds it, or it was removed meanwhile.
    """
    make_output_folder(tournament.folder)
    with StoreLock(tournament.folder), Store(tournament.folder) as store:
        store.set_fact("title", tournament.title)
        missing = write_notes(store, tournament.team_notes)
        if missing and tell is not None and not tournament.format.draws:
            have, their, them = ("has", "its", "it") if len(missing) == 1 else ("have", "their", "them")
            count = f"{their} games are stored, but don't count until {their} files are back, or 'withdraw' names {them}"
            tell(f"note: {some_of(missing)} {have} no files any more; {count}")
        yield store
        store.check_place()
