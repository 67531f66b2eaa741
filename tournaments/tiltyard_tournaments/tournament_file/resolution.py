"""From a checked file to a tournament that can be played: every name is looked up, and everything wrong is said at once."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from tiltyard_engine.author_mistakes import differing_maps
from tiltyard_engine.errors import NotFoundError, UserError, describe
from tiltyard_engine.formats import Field, Format, TournamentFormat
from tiltyard_engine.lifecycle import Observer
from tiltyard_engine.publishing import Publication, Publisher
from tiltyard_engine.qualification import QualifyingTest
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference, Registry, Selection, Trust
from tiltyard_engine.registry.registry import ALGORITHM, FORMAT, GAME, MANAGER, OBSERVER, PUBLISHER
from tiltyard_engine.registry.sources import PLUGIN_SUFFIXES
from tiltyard_simulator.intake.team_folder import choose_teams, label_of
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.match.on_crash import OnCrash, check_on_crash
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.lookup import INSTALLED, choose, choose_maps, find_referee, is_plain_folder
from tiltyard_simulator.play.registry import open_registry
from tiltyard_simulator.play.team_labels import with_unique_labels
from tiltyard_tournaments.formats.without_teams import create_without
from tiltyard_tournaments.running.given_teams import GivenTeam, game_of_given
from tiltyard_tournaments.running.tournament import ConfiguredPlugin, Disqualification, Tournament
from tiltyard_tournaments.standings import TIE_BREAKS, Rules, Scoring
from tiltyard_tournaments.tournament_file.document import Document, KeyPath, dotted, read_document
from tiltyard_tournaments.tournament_file.json_schema import known_keys
from tiltyard_tournaments.tournament_file.model import (
    FormatEntry,
    MapEntry,
    ObserverEntry,
    PublisherEntry,
    TeamEntry,
    TournamentKeys,
)
from tiltyard_tournaments.tournament_file.problems import Problem, TournamentFileError
from tiltyard_tournaments.tournament_file.validation import check, check_options, nearest, unknown_keys

MOST_GENERATED: Final = 10_000
"""Maps of one entry. Each is kept in memory from the beginning."""
DECISIVE: Final = frozenset(["game", "manager", "players", "isolation", "trust", "unconfined"])
"""Keys without which nothing else can be looked up: another game has other teams and maps."""
LEAST_TEAMS: Final = 2
OpenRegistry: TypeAlias = Callable[[IsolationPolicy], Registry]
"""Finds the plugins. They are already isolated when they are asked what they contribute."""


def load_tournament(path: Path, selection: Selection | None = None) -> Resolved:
    """The tournament of a file.

    Raises:
        UserError: the file cannot be read.
        TournamentFileError: with every problem that it has.
    """
    return resolve(read_document(path), path, lambda isolation_policy: open_registry(isolation_policy, selection))


@dataclass(slots=True)
class Resolved:
    """A tournament, and what was left out of the folders that its file names."""

    tournament: Tournament
    left_out: list[str]
    registry: Registry
    notes: list[str] = field(default_factory=list)
    """What is not as readers of the file may expect, such as a team that is shown under another name."""


def resolve(
    document: Document, path: Path, registry_for: OpenRegistry, given: Mapping[str, GivenTeam] = MappingProxyType({})
) -> Resolved:
    """The tournament that a document describes; errors as ``load_tournament``. ``given``: what words for some teams stand for."""
    keys, problems = check(TournamentKeys, document.data, document)
    told = unknown_keys(problems, known_keys())
    broken = {problem.key.split(".")[0].split("[")[0] for problem in problems}
    if keys is None and not broken & DECISIVE:
        # What stands under the sound keys is looked up all the same, so that people hear of everything at once.
        sound = {key: value for key, value in document.data.items() if key not in broken}
        keys, _ = check(TournamentKeys, sound, document)
    if keys is None:
        raise TournamentFileError(document.name, told)
    resolver = _Resolver(document=document, path=path, keys=keys, broken=broken, problems=told, given=given)
    isolation_policy = resolver.isolation_policy()
    return resolver.resolve(isolation_policy, registry_for(isolation_policy))


@dataclass(slots=True, kw_only=True)
class _Resolver:
    document: Document
    path: Path
    keys: TournamentKeys
    registry: Registry = field(default_factory=Registry)
    policy: IsolationPolicy = field(default_factory=IsolationPolicy)
    problems: list[Problem] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Keys that are told of already; what stands for them here is their default."""
    not_admitted: list[tuple[str, str]] = field(default_factory=list)
    """What was handed in as a team and cannot be used, and why."""
    notes: list[str] = field(default_factory=list)
    given: Mapping[str, GivenTeam] = field(default_factory=dict)
    """Teams that a program gave as objects, by the words that stand for them among the file's teams."""
    known: dict[Reference, str] = field(default_factory=dict)
    """Whose teams some are, as an intake has found out."""
    labels: dict[Reference, str] = field(default_factory=dict)
    """What each team is called in tables."""
    chosen: dict[int, list[Reference]] = field(default_factory=dict)
    """The teams by their entry's place; those of entries that cannot be used are missing."""
    remake_format: Callable[[Field], TournamentFormat] | None = None

    def resolve(self, isolation_policy: IsolationPolicy, registry: Registry) -> Resolved:
        """Look everything up."""
        self.registry, self.policy = registry, isolation_policy
        game, manager = self._game_and_manager()
        teams = self._teams(game)
        disqualified = self._disqualified(teams)
        struck = {each.team.label for each in disqualified if each.results == "strike"}
        everybody = [team.label for team in teams]
        teams = [team for team in teams if team.label not in struck]
        if struck and len(teams) < LEAST_TEAMS and not self.problems:
            self._problem(("disqualify",), f"expected at least {LEAST_TEAMS} teams whose results are kept, found {len(teams)}")
        isolation_policy = replace(isolation_policy, limits=self._limits(isolation_policy))
        maps = self._maps(game)
        rules = self._rules()
        if game is not None and self.keys.players not in game.seats:
            seats = game.seats
            self._problem(("players",), f"{game.name} is for {seats.start} to {seats.stop - 1} players, got {self.keys.players}")
        tournament_field = Field(
            teams=tuple(team.label for team in teams),
            maps=tuple(source.name for source in maps),
            seats=self.keys.players,
            games=self.keys.games,
            seed=self.keys.seed,
            win_points=self.keys.scoring.win,
        )
        if game is not None:
            try:
                check_on_crash(OnCrash(self.keys.on_crash), game)
            except UserError as error:
                self._problem(("on-crash",), str(error))
        publication = self._publication()
        observers = self._observers()
        publishers = self._named(("publication", "publishers"), self.keys.publication.publishers, PUBLISHER, Publisher)
        tests, tests_game, tests_manager = self._qualifying(game)
        chosen = self._format(tournament_field, everybody, struck)
        if self.problems or chosen is None or game is None or manager is None:
            raise TournamentFileError(self.document.name, self.problems)
        tournament = Tournament(
            title=self.keys.title,
            game=self.registry.find(GAME, game.name).reference,
            manager=manager,
            teams=tuple(teams),
            maps=tuple(maps),
            format=chosen,
            format_name=self.keys.format.name,
            field=tournament_field,
            folder=self.path.parent / self.keys.output if self.keys.output else self.path.with_suffix(""),
            description=self.keys.description,
            isolation_policy=isolation_policy,
            rules=rules,
            quarantine=self.keys.quarantine,
            on_crash=OnCrash(self.keys.on_crash),
            replays=self.keys.replays,
            workers=self.keys.workers,
            publication=publication,
            observers=observers,
            publishers=publishers,
            tests=tests,
            tests_game=tests_game,
            tests_manager=tests_manager,
            remake_format=self.remake_format,
            not_admitted=tuple(self.not_admitted),
            disqualified=disqualified,
        )
        return Resolved(tournament, self.left_out, self.registry, self.notes)

    def _problem(self, where: KeyPath, message: str) -> None:
        if where and where[0] in self.broken:
            return
        self.problems.append(Problem(self.document.line_of(where), dotted(where), message))

    def _in_folder(self, text: str) -> str:
        """A path as the file means it: relative to its own folder. What is no path stays as it is."""
        head = text.rpartition(":")[0] or text
        beside = self.path.parent / text
        if Path(text).is_absolute() or not (beside.exists() or (self.path.parent / head).exists() or "/" in text):
            return text
        return os.path.normpath(beside)

    # What is played

    def _game_and_manager(self) -> tuple[Game[Any] | None, Reference | None]:
        wanted, manager = self.keys.game, self.keys.manager
        try:
            if wanted is not None:
                self.registry.find(GAME, wanted)
        except NotFoundError as error:
            self._problem(("game",), str(error))
            return None, None
        try:
            teams = [entry.team for entry in self.keys.teams]
            named = [self._in_folder(team.removeprefix("all ")) for team in teams if team not in self.given]
            if wanted is None and manager is None:
                wanted = game_of_given(self.given[team] for team in teams if team in self.given)
            maps = [entry.map for entry in self.keys.maps if entry.map is not None]
            own = None if manager is None else self._in_folder(manager)
            referee = find_referee(self.registry, game=wanted, manager=own, algorithms=named, maps=maps)
            game = referee.game.load_as(Game)
        except UserError as error:
            self._problem(() if wanted is None and manager is None else ("manager",), str(error))
            return None, None
        return game, referee.manager

    def _teams(self, game: Game[Any] | None) -> list[Reference]:
        name = None if game is None else game.name
        found: dict[Reference, int] = {}
        for place, entry in enumerate(self.keys.teams):
            where = ("teams", place)
            try:
                if game is not None and entry.team in self.given:
                    self.chosen[place] = [self._given_team(entry, game)]
                elif entry.team not in self.given:
                    self.chosen[place] = self._team(entry, name)
            except UserError as error:
                self._problem(where, str(error))
        for place, references in self.chosen.items():
            for team in references:
                found.setdefault(team, place)
        given = self._given_names()
        teams, notes = with_unique_labels([replace(team, shown=given.get(team, team.shown)) for team in found], self.known)
        self.notes += notes
        self.labels = dict(zip(found, (team.label for team in teams), strict=True))
        names: dict[str, int] = {}
        for team, place in zip(teams, found.values(), strict=True):
            # Where the game isn't known, they may play different ones.
            if team.label in names and game is not None:
                self._problem(
                    ("teams", place), f"two teams are called '{team.label}'; rename one with 'name: ...' next to 'team: ...'"
                )
            names.setdefault(team.label, place)
        if len(found) < LEAST_TEAMS and not self.problems:
            why = f"; left out: {'; '.join(self.left_out)}" if self.left_out else ""
            if teams and len(found) < sum(map(len, self.chosen.values())):
                why = f": {teams[0].label} is named more than once, and it can't play itself{why}"
            self._problem(("teams",), f"expected at least {LEAST_TEAMS} usable teams, found {len(found)}{why}")
        return teams

    def _given_names(self) -> dict[Reference, str]:
        """What the file wants teams to be called."""
        given: dict[Reference, str] = {}
        for place, entry in enumerate(self.keys.teams):
            if entry.name is not None and (team := self._only_team(place, "name", "a name can only be given to one")):
                given[team] = entry.name
        return given

    def _only_team(self, place: int, key: str, rule: str) -> Reference | None:
        """The team of an entry; a problem of its ``key`` if it stands for several."""
        found = self.chosen.get(place, [])
        if len(found) > 1:
            self._problem(("teams", place, key), f"'{self.keys.teams[place].team}' stands for {len(found)} teams; {rule}")
        return found[0] if len(found) == 1 else None

    def _disqualified(self, teams: Sequence[Reference]) -> tuple[Disqualification, ...]:
        """Those that the file disqualifies. It names them as tables do, or by a registered name that only one has."""
        if "teams" in self.broken or len(self.chosen) < len(self.keys.teams):
            # A team that was not found is told of already.
            return ()
        found: dict[Reference, Disqualification] = {}
        for name, entry in self.keys.disqualify.items():
            where = ("disqualify", name)
            meant = [team for team in teams if team.label == name] or [team for team in teams if team.name == name]
            if len(meant) != 1:
                error = NotFoundError("team", name, (team.label for team in meant or teams))
                self._problem(where, str(error))
            elif meant[0] in found:
                self._problem(where, f"the team '{meant[0].label}' is listed twice")
            else:
                found[meant[0]] = Disqualification(meant[0], entry.reason, entry.results)
        return tuple(found.values())

    def _given_team(self, entry: TeamEntry, game: Game[Any]) -> Reference:
        team = self.given[entry.team].reference(self.registry, game)
        self.policy.of(team)
        return team

    def _team(self, entry: TeamEntry, game: str | None) -> list[Reference]:
        text = entry.team.removeprefix("all ")
        path = self._in_folder(text)
        if text == INSTALLED or is_plain_folder(Path(path)):
            several = choose_teams(text if text == INSTALLED else path, self.registry, game)
            empty = several.if_empty(path, ALGORITHM if game is None else f"{ALGORITHM} for {game}")
            self.left_out += several.left_out or empty
            self.not_admitted += several.refused
            self.known |= several.labels
            return several.references
        team = choose(path, ALGORITHM, self.registry, game)
        if label := label_of(team):
            self.known[team] = label
        return [team]

    def _maps(self, game: Game[Any] | None) -> list[MapSource]:
        if game is None:
            return []
        found: dict[str, MapSource] = {}
        for place, entry in enumerate(self.keys.maps):
            where = ("maps", place)
            try:
                for source in self._map(entry, game, where):
                    if source.name in found:
                        self._problem(where, f"two maps are called '{source.name}'; rename or remove one")
                    found.setdefault(source.name, source)
            except UserError as error:
                self._problem(where, str(error))
        if not found and not self.problems:
            self._problem(("maps",), f"found no usable map for {game.name} with {self.keys.players} players")
        return list(found.values())

    def _map(self, entry: MapEntry, game: Game[Any], where: KeyPath) -> list[MapSource]:
        if (entry.map is None) == (entry.generate is None):
            raise UserError("expected either 'map' or 'generate'")
        if entry.generate is not None:
            return self._generated(entry.generate, game, (*where, "generate"))
        text = (entry.map or "").removeprefix("all ")
        texts = [text]
        if any(character in text for character in "*?["):
            texts = sorted(glob.glob(text, root_dir=self.path.parent, recursive=True))  # noqa: PTH207 -- patterns as people know them
            if not texts:
                raise UserError(f"no file matches the pattern '{text}' in {self.path.parent}")
        maps = choose_maps([self._in_folder(text) for text in texts], self.registry, game, self.keys.players)
        self.left_out += maps.left_out
        return maps.maps

    def _generated(self, wishes: dict[str, Any], game: Game[Any], where: KeyPath) -> list[MapSource]:
        if game.maps.generate is None:
            raise UserError(f"the game {game.name} cannot generate maps")
        wishes = dict(wishes)
        count, seed = wishes.pop("count", 1), wishes.pop("seed", self.keys.seed)
        for name, value, allowed in (("count", count, range(1, MOST_GENERATED + 1)), ("seed", seed, range(sys.maxsize))):
            if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
                between = f" from 1 to {MOST_GENERATED:,}" if name == "count" else ""
                self._problem((*where, name), f"expected a whole number{between}, got {value!r}")
                return []
        options, problems = check_options(game.maps.options, wishes, self.document, where)
        self.problems += problems
        if problems:
            return []
        numbers = range(seed, seed + count)
        made = [MapSource(f"generated-{number}", game.maps.generate(options, number, self.keys.players)) for number in numbers]
        if made and made[0].data != game.maps.generate(options, seed, self.keys.players):
            raise UserError(differing_maps(game.name, game.maps.generate))
        return made

    def _format(self, tournament_field: Field, everybody: Sequence[str], struck: set[str]) -> TournamentFormat | None:
        entry: FormatEntry = self.keys.format
        where: KeyPath = ("format",)
        try:
            record = self.registry.find(FORMAT, entry.name).reference.load_as(Format)
        except UserError as error:
            self._problem((*where, "name"), str(error))
            return None
        options, problems = check_options(record.options, entry.model_extra or {}, self.document, where)
        self.problems += problems
        if self.problems:
            # What a format says of its field is of use only where that is the one which was meant.
            return None
        self.remake_format = lambda other: create_without(record, options, other, everybody, struck)
        try:
            return self.remake_format(tournament_field)
        except UserError as error:
            self._problem(where, str(error))
            return None

    def _qualifying(self, game: Game[Any] | None) -> tuple[tuple[QualifyingTest, ...], Reference | None, Reference | None]:
        """The tests that teams have to pass, and the game and the GameManager of these."""
        values = self.keys.qualify
        if values is None or game is None:
            return (), None, None
        qualifier = game.teams.qualifier
        where: KeyPath = ("qualify",)
        if qualifier is None:
            self._problem(where, f"the game {game.name} has no qualifying tests")
            return (), None, None
        options, problems = check_options(qualifier.options, values, self.document, where)
        self.problems += problems
        if problems:
            return (), None, None
        try:
            tests = tuple(qualifier.tests(options, self.path.parent))
            return (
                tests,
                self.registry.find(GAME, qualifier.game).reference,
                self.registry.find(MANAGER, qualifier.manager, qualifier.game).reference,
            )
        except UserError as error:
            self._problem((*where, "tests") if "tests" in values else where, str(error))
            return (), None, None

    # How it is played and judged

    def isolation_policy(self) -> IsolationPolicy:
        """How other people's code is isolated; needed before any of it is loaded."""
        isolation = None if self.keys.isolation is None else Isolation(self.keys.isolation)
        # Paths are relative to the file, and a distribution's name is no path.
        folder = self.path.parent
        # Absolute, because ``./mine`` would lose its slash, and be taken for a distribution.
        trusted = [
            str((folder / name).absolute()) if "/" in name or name.endswith(PLUGIN_SUFFIXES) else name for name in self.keys.trust
        ]
        try:
            limits = LimitChanges(self.keys.limits, where="limits")
        except UserError as error:
            self._problem(("limits",), str(error))
            limits = LimitChanges()
        if self.keys.together and isolation not in (None, Isolation.SANDBOX):
            self._problem(("together",), f"only files in a sandbox can share one; the isolation is '{isolation}'")
        return IsolationPolicy(isolation, limits, self.keys.unconfined, Trust.from_environment(trusted), self.keys.together)

    def _limits(self, isolation_policy: IsolationPolicy) -> LimitChanges:
        """The limits of all teams, and those of single ones."""
        by_team: dict[str, dict[str, float]] = {}
        for place, entry in enumerate(self.keys.teams):
            if not entry.limits:
                continue
            try:
                LimitChanges(entry.limits, where="limits")
            except UserError as error:
                self._problem(("teams", place, "limits"), str(error))
                continue
            if team := self._only_team(place, "limits", "limits can only be set for one"):
                by_team[self.labels[team]] = entry.limits
        return replace(isolation_policy.limits, for_teams=by_team)

    def _rules(self) -> Rules:
        entry = self.keys.scoring
        for place, name in enumerate(self.keys.tie_breaks):
            if name not in TIE_BREAKS:
                self._problem(("tie-breaks", place), f"unknown value '{name}'; {nearest(name, list(TIE_BREAKS))}")
        known = tuple(name for name in self.keys.tie_breaks if name in TIE_BREAKS)
        return Rules(Scoring(entry.win, entry.draw, entry.loss, tuple(entry.places or ()), entry.by), known)

    # Who hears of it

    def _observers(self) -> tuple[ConfiguredPlugin, ...]:
        """Those that the file names, then all other installed ones. One that isn't trusted is left out, with the reason."""
        named = self._named(("observers",), self.keys.observers, OBSERVER, Observer)
        taken = {chosen.reference for chosen in named}
        others = [entry.reference for entry in self.registry.all(OBSERVER) if entry.reference not in taken]
        for row in self.registry.failures():
            if row.kind == OBSERVER:
                self.left_out.append(f"{row.distribution or row.file}: observer {row.name}: {row.reason}")
        return (*named, *(chosen for reference in others if (chosen := self._with_defaults(reference)) is not None))

    def _with_defaults(self, reference: Reference) -> ConfiguredPlugin | None:
        """An observer that nobody named, which must not keep the tournament from being played."""
        try:
            return ConfiguredPlugin(reference, reference.load_as(Observer).options())
        except Exception as error:
            self.left_out.append(f"{reference.source}: observer {reference.name}: {describe(error)}")
            return None

    def _named(
        self, key: KeyPath, entries: Sequence[ObserverEntry | PublisherEntry], kind: str, record: type[Observer | Publisher]
    ) -> tuple[ConfiguredPlugin, ...]:
        """Observers or publishers by name, with their options checked."""
        found: dict[Reference, ConfiguredPlugin] = {}
        for place, entry in enumerate(entries):
            where = (*key, place)
            try:
                reference = choose(self._in_folder(entry.name), kind, self.registry)
                options, problems = check_options(reference.load_as(record).options, entry.model_extra or {}, self.document, where)
            except UserError as error:
                self._problem(where, str(error))
                continue
            self.problems += problems
            if reference in found:
                self._problem(where, f"'{entry.name}' is listed twice")
            found.setdefault(reference, ConfiguredPlugin(reference, options))
        return tuple(found.values())

    # Where it goes

    def _publication(self) -> Publication:
        entry = self.keys.publication
        logo = None if entry.logo is None else self.path.parent / entry.logo
        if logo is not None and not logo.is_file():
            self._problem(("publication", "logo"), f"expected an image file, got '{entry.logo}'; {logo} isn't a file")
        return Publication(
            entry.title or self.keys.title, logo, tuple(entry.links.items()), frozenset(entry.hide), Path(entry.folder)
        )
