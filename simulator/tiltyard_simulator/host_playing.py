"""Matches for plugins' own commands: their wishes become specs, are played like any others, and come back as plain values."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from tiltyard_engine.host_matches import HostMatch, HostOutcome, HostPlayer
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.choosing import choose
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.registry.submissions import Submissions, submissions
from tiltyard_simulator.guard.describing import open_registry
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.guard.trust import Holding
from tiltyard_simulator.match_key import match_key
from tiltyard_simulator.running import available_cores, local_executor
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec


class HostPlaying:
    """Finds players and plays matches; the project's own code runs inline, everybody else's in a sandbox."""

    def __init__(self) -> None:
        self._holding = Holding.from_environment()
        self._found: Registry | None = None

    @property
    def _registry(self) -> Registry:
        if self._found is None:
            self._found = open_registry(self._holding)
        return self._found

    def find_player(self, text: str, game: str) -> HostPlayer:
        """See ``Host.find_player``."""
        return HostPlayer(text, choose(text, ALGORITHM, self._registry, game))

    def find_submissions(self, folder: str, game: str) -> Submissions:
        """See ``Host.find_submissions``."""
        return submissions(Path(folder), game, self._registry)

    def keys(self, matches: Sequence[HostMatch], limits: Mapping[str, float]) -> list[str]:
        """See ``Host.keys``."""
        return [match_key(spec) for spec in self._specs(matches, limits)]

    def play(
        self, matches: Sequence[HostMatch], limits: Mapping[str, float], workers: int
    ) -> Generator[tuple[int, HostOutcome], None, None]:
        """See ``Host.play``."""
        specs = self._specs(matches, limits)
        if not specs:
            return
        processes = min(workers or available_cores(), len(specs))
        with local_executor(processes) as executor, closing(executor.play(enumerate(specs))) as playing:
            for place, outcome in playing:
                yield place, _plain(match_key(specs[place]), outcome)

    def _specs(self, matches: Sequence[HostMatch], limits: Mapping[str, float]) -> list[MatchSpec]:
        holding = replace(self._holding, limits=LimitChanges(limits))
        return [holding.apply(self._spec(match)) for match in matches]

    def _spec(self, match: HostMatch) -> MatchSpec:
        game = self._registry.find(GAME, match.game).reference
        manager = self._registry.find(MANAGER, match.manager, match.game).reference
        players = tuple(player.reference for player in match.players)
        return MatchSpec(game, manager, MapSource(match.map_name, match.map_data), players, match.seed)


def _plain(key: str, outcome: MatchOutcome) -> HostOutcome:
    return HostOutcome(
        key,
        outcome.claim,
        outcome.winner,
        outcome.faults,
        outcome.is_void,
        tuple(account.wall_seconds for account in outcome.accounts),
        tuple(account.output for account in outcome.accounts),
    )
