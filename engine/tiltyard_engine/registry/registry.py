"""Everything that was found, under its names; and a row for each thing, usable or not."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from tiltyard_engine.data_classes import dataclass, field, replace
from tiltyard_engine.errors import NotFoundError, UserError, reasons_once, some_of
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.records import Game, Record, TankTeam, TurnTeam
from tiltyard_engine.registry.checks import ALGORITHM, FORMAT, GAME, HANDED_IN, MANAGER, MAP, OBSERVER, PUBLISHER, RECIPE
from tiltyard_engine.registry.contributions import Contribution, Loader, load_here
from tiltyard_engine.registry.file_loaders import needs_of
from tiltyard_engine.registry.loading import Problem, load_source
from tiltyard_engine.registry.sources import NOBODY, Origin, Source, installed_sources, normal_name, path_sources
from tiltyard_engine.registry.trust import game_to_trust
from tiltyard_engine.texts.names import is_same
from tiltyard_engine.texts.near_names import near_names
from tiltyard_engine.texts.sanitize import LONGEST_NAME, lines, one_line

__all__ = [
    "ALGORITHM",
    "FORMAT",
    "GAME",
    "MANAGER",
    "MAP",
    "OBSERVER",
    "PUBLISHER",
    "RECIPE",
    "Entry",
    "Reference",
    "Registry",
    "Row",
    "Selection",
]

BLOCK_VARIABLE: Final = "TILTYARD_BLOCK"
ONLY_VARIABLE: Final = "TILTYARD_ONLY"
OF_A_GAME: Final = (MANAGER, ALGORITHM, MAP)
"""What is unknown where its game failed."""
R = TypeVar("R")


MOST_OF_A_GAME: Final = 5
"""How many names of each game a message lists."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Which installed plugins to load, by entry-point or distribution name."""

    block: frozenset[str] = frozenset()
    only: frozenset[str] | None = None
    """None: all that are not blocked."""

    @classmethod
    def from_environment(cls, block: Iterable[str] = (), only: Iterable[str] | None = None) -> Selection:
        """The given names and those of the environment variables TILTYARD_BLOCK and TILTYARD_ONLY (comma-separated)."""
        blocked = {*block, *_names(os.environ.get(BLOCK_VARIABLE, ""))}
        allowed = set(only) if only else None
        if allowed is None and ONLY_VARIABLE in os.environ:
            allowed = set(_names(os.environ[ONLY_VARIABLE]))
        return cls(frozenset(blocked), None if allowed is None else frozenset(allowed))

    def refusal(self, source: Source) -> str:
        """Why ``source`` is not to be loaded, or an empty string."""
        if _is_named(source, self.block):
            return "blocked"
        return "" if self.only is None or _is_named(source, self.only) else f"not selected by --only or {ONLY_VARIABLE}"


def _is_of(game: str, name: str) -> bool:
    """Whether a game is the one of that name, or of the same family."""
    return game == name or ("/" in name and game.startswith(f"{name.partition('/')[0]}/"))


def _is_named(source: Source, names: frozenset[str]) -> bool:
    return source.name in names or source.distribution in {normal_name(name) for name in names}


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A record by where it comes from and what it is called: plain data, for another process to look up."""

    kind: str
    name: str
    game: str
    source: Source
    on_fault: Literal["idle", "raise"] = "idle"
    """Of a GameManager, as in its record: to be known where its code is not loaded."""
    log_suffix: str = ".txt"
    """Of a GameManager: how the names of its output files end."""
    program: ProgramTeam | None = None
    """The record itself where it is a program's: nothing has to be loaded to run that."""
    shown: str = field(default="", compare=False)
    """What an algorithm or a GameManager is called in tables, if that is not its name; who it is does not depend on it."""
    twin: str = ""
    """Of a team that plays a second time under another name: that name. Then it is somebody else, with the same code."""

    @property
    def label(self) -> str:
        """What it is called in tables."""
        return self.shown or self.name

    def load(self) -> Record:
        """The record, its plugin loaded in this process.

        Raises:
            UserError: the plugin cannot be loaded here or no longer has the record.
        """
        if self.program is not None:
            return self.program
        plugin = load_source(self.source)
        record = plugin.find(self.kind, self.name, self.game)
        if record is not None:
            return record
        reasons = reasons_once((each.name, each.reason) for each in plugin.problems)
        raise UserError(f"{self.source}: has no {self.kind} '{self.name}'{': ' + reasons if reasons else ''}")

    def load_as(self, kind: type[R]) -> R:
        """The record, which must be of the class ``kind``; errors as for ``load``."""
        record = self.load()
        if not isinstance(record, kind):
            raise UserError(f"'{self.name}' is a {self.kind}, not a {kind.__name__}")
        return record

    def load_team(self) -> TankTeam | TurnTeam:
        """The record of an algorithm in Python; errors as for ``load``."""
        record = self.load()
        if not isinstance(record, TankTeam | TurnTeam):
            raise UserError(f"'{self.name}' is a {self.kind}, not an algorithm")
        return record

    def with_needs(self) -> Reference:
        """The same with the files of this machine that running it takes; one that came from another machine has none yet.

        Raises:
            UserError: they cannot be made here.
        """
        source = self.source
        if not source.loader or source.needs:
            return self
        return replace(self, source=replace(source, needs=needs_of(source.loader)))


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of a usable record, and where it came from."""

    reference: Reference
    contribution: Contribution
    file: str

    @property
    def name(self) -> str:
        """The registered name of the record."""
        return self.reference.name

    def is_a(self, kind: str, game: str | None = None) -> bool:
        """Whether it is of that kind, and of that game if one is named."""
        return self.reference.kind == kind and game in (None, self.reference.game)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A line of the list of plugins: a record, or a plugin that failed."""

    name: str
    kind: str
    game: str
    distribution: str
    version: str
    file: str
    status: str
    """``ok``, ``failed``, ``duplicate`` or ``blocked``."""
    reason: str = ""
    detail: str = ""


@dataclass(slots=True)
class Registry:
    """Records by kind, game and name. Two of the same: the first by source order counts, the other is a row.

    Only algorithms and GameManagers of different files or folders may have the same name; whoever plays them tells them apart.
    """

    entries: list[Entry] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    loader: Loader = load_here
    own: frozenset[str] = NOBODY
    """The host's own distributions: the first of all, and the only ones that may load files that are no Python."""
    available: Mapping[str, str] = field(default_factory=dict)
    """Games that the host knows of, installed or not, and what to install for each; of a family of games the family."""
    absent: list[str] = field(default_factory=list)
    """Why plugins that were asked for are not among the rows, a sentence each."""
    folder: Path = Path()
    """Where a game may lie that nobody has trusted yet."""
    _broken: list[Row] = field(default_factory=list, repr=False)
    """Rows about plugins, or hooks of some, that failed before anybody could know what they contribute."""
    _claims: dict[tuple[str, str, str], list[Entry]] = field(default_factory=dict, repr=False)
    """Entries by kind, game and name: a plugin may contribute hundreds."""

    @classmethod
    def installed(
        cls,
        selection: Selection | None = None,
        loader: Loader = load_here,
        own: frozenset[str] = NOBODY,
        also: Sequence[Source] = (),
    ) -> Registry:
        """All installed plugins, sorted, and then those of ``also``; without a selection that of the environment."""
        registry = cls(loader=loader, own=own)
        selected = Selection.from_environment() if selection is None else selection
        registry.add(installed_sources(own=own), selected)
        registry.add(also)
        if selected.only is None:
            registry._refuse_unknown_games()
        return registry

    @classmethod
    def from_paths(cls, paths: Iterable[Path], loader: Loader = load_here, own: frozenset[str] = NOBODY) -> Registry:
        """The plugins of files and folders.

        Raises:
            UserError: a path is missing or cannot be read.
        """
        registry = cls(loader=loader, own=own)
        registry.add([source for path in paths for source in path_sources(path, own)])
        return registry

    def of_paths(self, paths: Iterable[Path]) -> Registry:
        """The plugins of files and folders alone, loaded as those of this registry were; errors as for ``from_paths``."""
        return Registry.from_paths(paths, self.loader, self.own)

    def add(self, sources: Sequence[Source], selection: Selection | None = None) -> None:
        """Load all ``sources`` that are not refused, and file what they contribute, in their order."""
        refusals = [selection.refusal(source) if selection is not None else "" for source in sources]
        descriptions = iter(self.loader([source for source, refusal in zip(sources, refusals, strict=True) if not refusal]))
        for source, refusal in zip(sources, refusals, strict=True):
            if refusal:
                self._add_row(source, "" if source.distribution else source.value, "blocked", Problem(refusal))
                continue
            description = next(descriptions)
            for contribution in description.contributions:
                self._add_entry(source, description.file, contribution)
            for problem in description.problems:
                self._add_row(source, description.file, "failed", problem)
                if not problem.name:
                    self._broken.append(self.rows[-1])

    def _add_entry(self, source: Source, file: str, contribution: Contribution) -> None:
        status, reason = "ok", ""
        first = self._first_claim(contribution, source)
        if first is not None:
            status = "duplicate"
            reason = f"the {contribution.kind} '{contribution.name}' is already contributed by {first.reference.source}"
        else:
            reference = Reference(
                kind=contribution.kind,
                name=contribution.name,
                game=contribution.game,
                source=source,
                on_fault=contribution.on_fault,
                log_suffix=contribution.log_suffix,
                program=contribution.program,
            )
            entry = Entry(reference, contribution, file)
            self.entries.append(entry)
            self._claims.setdefault((contribution.kind, contribution.game, contribution.name), []).append(entry)
        self._add_row(source, file, status, Problem(reason, contribution.name, contribution.kind), contribution.game)

    def _first_claim(self, contribution: Contribution, source: Source) -> Entry | None:
        """Who has the name of a new record already.

        What was handed in as a file or folder is known by that, whatever it calls itself: nobody takes its name away.
        """
        for entry in self._claims.get((contribution.kind, contribution.game, contribution.name), ()):
            other = entry.reference.source
            is_installed = Origin.INSTALLED in (source.origin, other.origin)
            if (
                contribution.kind not in HANDED_IN
                or is_installed
                or (source.folder or source.value) == (other.folder or other.value)
            ):
                return entry
        return None

    def _add_row(self, source: Source, file: str, status: str, problem: Problem, game: str = "") -> None:
        """A row about the record that ``problem`` names, or about the whole source; its reason is empty where all is well."""
        self.rows.append(
            Row(
                name=one_line(problem.name or source.name, LONGEST_NAME),
                kind=problem.kind,
                game=game,
                distribution=one_line(source.distribution, LONGEST_NAME),
                version=one_line(source.version, LONGEST_NAME),
                file=file,
                status=status,
                reason=one_line(problem.reason),
                detail=lines(problem.detail),
            )
        )

    def _refuse_unknown_games(self) -> None:
        """Records for a game that nobody contributes cannot be used: their rows say so."""
        games = {entry.name for entry in self.all(GAME)}
        stranded = [entry for entry in self.entries if entry.reference.game and entry.reference.game not in games]
        self.entries = [entry for entry in self.entries if entry not in stranded]
        for entry in stranded:
            game = entry.reference.game
            reason = str(self._not_found(GAME, game, self.games_to_offer()))
            for place, row in enumerate(self.rows):
                if (row.status, row.kind, row.name, row.game) == ("ok", entry.reference.kind, entry.name, game):
                    self.rows[place] = replace(row, status="failed", reason=reason)

    def _because(self, kind: str, name: str) -> str:
        """Why the plugins or records of that name failed."""
        failed = [row for row in self.rows if row.status == "failed" and is_same(row.name, name) and row.kind in (kind, "plugin")]
        return "; ".join(f"the {row.kind} {name} failed: {row.reason}" for row in failed)

    def failed_before(self, *kinds: str) -> str:
        """What failed before anybody could know what it contributes, if that may be of one of the kinds; else an empty string."""
        broken = [row for row in self._broken if row.kind in (*kinds, "plugin")]
        failures = reasons_once((row.name, f"the plugin {row.name} failed: {row.reason}") for row in broken)
        return "; ".join(filter(None, [*self.absent, failures]))

    def _not_found(self, kind: str, name: str, names: Iterable[str], others: str = "") -> NotFoundError:
        because = self._because(kind, name)
        failed = "" if because else self.failed_before(*{GAME, kind} if kind in OF_A_GAME else {kind})
        hint = because or self.what_to_trust(kind, name) or self._what_to_install(kind, name) or self._what_it_is(name) or others
        return NotFoundError(kind, name, names, hint, failed)

    def what_to_trust(self, kind: str, name: str) -> str:
        """What to do where a game lies in the folder, but isn't among those that were loaded; or an empty string."""
        stem = name.removeprefix("./").rstrip("/").removesuffix(".py")
        path = game_to_trust(stem, self.folder) if kind == GAME else ""
        whole = (self.folder / path).resolve()
        by_name = "" if stem == name else "a game is called by its own name, which its code states"
        if not path or any(Path(row.file).is_relative_to(whole) for row in self.rows):
            return by_name if path else ""
        trust = f"{path} here has a game: add --trust {path}, or to a tournament file 'trust: [{path}]'"
        return "; ".join(filter(None, (trust, by_name)))

    def _what_to_install(self, kind: str, name: str) -> str:
        """What to do where a game is missing, or an empty string."""
        installed = {entry.name for entry in self.all(GAME)}
        offered = self.available.get(name) or self.available.get(name.partition("/")[0])
        if kind == GAME and offered and not any(_is_of(game, name) for game in installed):
            return f"install it with: pip install '{offered}'"
        if kind in (GAME, MANAGER, ALGORITHM, MAP) and self.available and not installed:
            return f"no game is installed; install one of them: {', '.join(self.available.values())}"
        return ""

    def _what_it_is(self, name: str) -> str:
        """What else has a name that was looked for, such as ``that is a map for tanks``; empty if nothing has it."""
        for entry in self.entries:
            if is_same(entry.name, name):
                kind, game = entry.reference.kind, entry.reference.game
                return f"that is {'an' if kind[0] in 'aeiou' else 'a'} {kind}{f' for {game}' if game and kind != GAME else ''}"
        return ""

    def _by_game(self, kind: str, game: str | None) -> str:
        """The names of each game, where records of several could be meant; else empty."""
        # One that plays all games of a family is there for each of them.
        names: dict[str, dict[str, None]] = {}
        for entry in self.authored(kind, game):
            names.setdefault(entry.reference.game.partition("/")[0], {})[entry.name] = None
        if kind == GAME or len(names) < 2:
            return ""
        return f"known: {'; '.join(f'{some_of(list(each), MOST_OF_A_GAME)} for {of}' for of, each in sorted(names.items()) if of)}"

    def _get(self, kind: str, name: str, game: str | None) -> Entry | None:
        return next((entry for entry in self.entries if entry.is_a(kind, game) and is_same(entry.name, name)), None)

    def find(self, kind: str, name: str, game: str | None = None) -> Entry:
        """The record of that kind and name.

        Raises:
            NotFoundError: there is none; the message says why it failed, or names the nearest ones.
        """
        entry = self._get(kind, name, game)
        if entry is None:
            names = self.games_to_offer() if kind == GAME else [other.name for other in self.all(kind, game)]
            others = "" if near_names(name, names) else self._by_game(kind, game)
            raise self._not_found(kind, name, names, others)
        return entry

    def all(self, kind: str, game: str | None = None) -> list[Entry]:
        """All usable records of a kind, sorted by name."""
        return sorted((entry for entry in self.entries if entry.is_a(kind, game)), key=lambda entry: entry.name)

    def authored(self, kind: str, game: str | None = None) -> list[Entry]:
        """The records of a kind that somebody wrote, sorted by name; those that follow from a game's rules if nobody wrote any."""
        entries = self.all(kind, game)
        return [entry for entry in entries if not entry.contribution.is_partner] or entries

    def game(self, name: str) -> Game[object]:
        """The game of that name, its plugin loaded in this process."""
        return self.find(GAME, name).reference.load_as(Game)

    def games_to_offer(self) -> list[str]:
        """The names of the games that people may want to play: those that have maps or algorithms, or all if none has.

        The others are parts of a course's marking, which the plugin's own commands play.
        """
        names = [entry.name for entry in self.all(GAME)]
        games = {entry.reference.game for kind in (MAP, ALGORITHM) for entry in self.all(kind)}
        return [name for name in names if name in games] or names

    def failures(self) -> list[Row]:
        """The rows that are not usable."""
        return [row for row in self.rows if row.status in ("failed", "duplicate")]
