"""Games that were played with other code than there is now, such as before an upgrade of tiltyard or of a game.

Their matches have other keys now, so a run plays them again. Until then, whatever only shows results counts them, and says so:
unless a team that somebody handed in has changed since. docs/decisions says why.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Final, TypeAlias

import msgspec

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import some_of
from tiltyard_engine.formats import Fixture
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, Origin, is_of
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.row_form import StoredCode, StoredSpec

Identity: TypeAlias = tuple[object, ...]
KINDS: Final = {GAME: "the game", MANAGER: "GameManager", ALGORITHM: "team"}
SETTINGS: Final = "settings"
"""What else is in a key: limits, isolation, and what a new version of tiltyard changes."""


@dataclass(frozen=True, slots=True)
class OtherVersions:
    """How many games were played with another version of something, and of what."""

    games: int = 0
    parts: tuple[str, ...] = ()
    """Such as ``tiltyard (0.1.0, now 0.2.0)`` or ``team thunder``."""

    def __bool__(self) -> bool:
        return bool(self.games)

    @property
    def of_what(self) -> str:
        """The parts in words: ``a different version of ...``."""
        code = [part for part in self.parts if part != SETTINGS]
        if not code:
            return f"different settings, such as limits, or a different version of {HOST_DISTRIBUTION}"
        settings = ", or with different settings" if len(code) < len(self.parts) else ""
        return f"a different version of {some_of(code)}{settings}"

    @property
    def note(self) -> str:
        """One sentence without a full stop; empty if there are no such games."""
        return f"{self.games} game{' was' if self.games == 1 else 's were'} played with {self.of_what}" if self else ""

    @property
    def warning(self) -> str:
        """One sentence before a run."""
        return f"{self.games} finished game{'' if self.games == 1 else 's'} will be played again: played with {self.of_what}"


NO_OTHER_VERSIONS: Final = OtherVersions()


@dataclass(frozen=True, slots=True)
class EarlierGame:
    """A stored match, and the code that it was played with."""

    key: str
    spec: StoredSpec


def identities_of(tournament: Tournament) -> Callable[[MatchInput | StoredSpec], Identity]:
    """What tells matches of a tournament apart, whatever code and settings they are played with."""
    names = Counter(team.name for team in tournament.teams)

    def identity(match: MatchInput | StoredSpec) -> Identity:
        # The seed tells maps of the same name and games of the same teams apart. A team may be called otherwise now, unless
        # another one has the same registered name.
        teams = [(team.name, team.label if names[team.name] > 1 else "") for team in match.teams]
        return match.game.name, match.manager.name, match.map.name, *teams, match.seed, match.on_crash

    return identity


def pairings_of(tournament: Tournament) -> Callable[[MatchInput], str]:
    """By which words decisions name matches."""
    identity = identities_of(tournament)
    return lambda match: hashlib.blake2b(msgspec.json.encode(identity(match)), digest_size=16).hexdigest()


class EarlierGames:
    """Matches of a tournament's store by what they are, whatever the code was that played them."""

    def __init__(self, tournament: Tournament) -> None:
        self._identity = identities_of(tournament)
        self._read: set[str] = set()
        self._games: dict[Identity, list[EarlierGame]] = {}

    def read(self, store: Store, keys: Set[str]) -> None:
        """Look at these matches of the store too; each is read once."""
        for key, spec in store.specs(keys - self._read):
            self._games.setdefault(self._identity(spec), []).append(EarlierGame(key, spec))
        self._read |= keys

    def of(self, match: MatchInput) -> Sequence[EarlierGame]:
        """Those that were the same match but for code and settings, in the order in which they were stored."""
        return self._games.get(self._identity(match), ())


class SpecsAsPlayed:
    """Makes the matches of a tournament with the keys under which its store has them.

    Args:
        specs: makes them as they are now.
        store: open as long as this is used.
        stored: the keys of all that it has.
        games: what is known of the store already.
    """

    def __init__(self, specs: SpecMaker, store: Store, stored: Iterable[str], games: EarlierGames | None = None) -> None:
        self._specs = specs
        self._store = store
        self._stored = frozenset(stored)
        self._games = games or EarlierGames(specs.tournament)
        self._unused = set(self._stored)
        """Those of matches that the tournament does not have now, as far as that is known."""
        self._has_read = False
        self.earlier: dict[str, tuple[str, ...]] = {}
        """Key of each match that counts as it was played with other code, and the parts that have changed since."""
        self.replaced: dict[str, tuple[str, ...]] = {}
        """Key of each match that does not count any more, as it is now, and the parts that have changed since it was played."""

    def batch(self, fixtures: Sequence[Fixture], first: int) -> list[MatchSpec]:
        """The matches of fixtures; see ``SpecMaker.batch``."""
        specs = self._specs.batch(fixtures, first)
        self._unused.difference_update(spec.place.key for spec in specs)
        return [spec if spec.place.key in self._stored or not self._unused else self._as_played(spec) for spec in specs]

    def _as_played(self, spec: MatchSpec) -> MatchSpec:
        if not self._has_read:
            # All of them at once: as the schedule goes on, they only become fewer.
            self._games.read(self._store, self._unused)
            self._has_read = True
        earlier = self._games.of(spec.input)
        for game in reversed(earlier):
            changed = _changed(game.spec, spec)
            parts = tuple(dict.fromkeys(_part(*each, bool(game.spec.digests)) for each in changed)) or (SETTINGS,)
            # The oldest stores don't say which code teams had: their games count until there are newer ones.
            if all(_may_differ(*each, not game.spec.digests and game is earlier[-1]) for each in changed):
                self.earlier[game.key] = parts
                return replace(spec, place=replace(spec.place, key=game.key, digests=game.spec.digests))
            self.replaced.setdefault(spec.place.key, parts)
        return spec


def _changed(stored: StoredSpec, spec: MatchSpec) -> list[tuple[Reference, StoredCode]]:
    """Whose code has changed since a match was played, or may have: as it is now, and as it was."""
    then = (stored.game, stored.manager, *stored.teams)
    digests = stored.digests if len(stored.digests) == len(then) else ("",) * len(then)
    both = zip(spec.input.players, then, spec.place.digests, digests, strict=True)
    return [(now, before) for now, before, digest, earlier in both if digest != earlier]


def _may_differ(now: Reference, then: StoredCode, is_unknown: bool) -> bool:
    """Whether a match counts although this code has changed: the game's, the GameManager's, or a team's that tiltyard brings along.

    Of other teams only if it ``is_unknown`` whether it has.
    """
    if now.source.origin is Origin.GIVEN:
        # What was given in Python has no versions: another object is something else.
        return False
    is_own = is_of(now.source, OWN_DISTRIBUTIONS) and now.source.distribution == then.source.distribution
    return now.kind != ALGORITHM or is_own or is_unknown


def _part(now: Reference, then: StoredCode, is_known: bool) -> str:
    source, before = now.source, then.source
    if source.distribution and source.distribution == before.distribution and source.version != before.version:
        # The project's own have one version.
        name = HOST_DISTRIBUTION if is_of(source, OWN_DISTRIBUTIONS) else source.distribution
        return f"{name} ({before.version}, now {source.version})"
    return f"{'' if is_known else 'perhaps of '}{KINDS[now.kind]} {now.label}"
