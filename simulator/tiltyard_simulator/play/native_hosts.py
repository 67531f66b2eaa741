"""Matches of compiled files that all run inline. GameManager and teams share one process beside the match worker."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

from tiltyard_engine.native_matches import NativeHost, NativeMatch, NativeOutcome
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_simulator.guard.confinement.process_status import own_prefix
from tiltyard_simulator.match.spec import MatchSpec


class NativeHosts:
    """The hosts of a match worker, one for each loader. Each is started with its first match."""

    def __init__(self) -> None:
        self._hosts: dict[str, NativeHost] = {}

    def play(self, spec: MatchSpec, board: Any) -> NativeOutcome:
        """Play a match on ``board``, the map as the game read it.

        Calls have their usual limits. The whole match may take the CPU time of one team, and the memory of all players together.

        Raises:
            UserError: this machine cannot play it.
        """
        loader = spec.manager.source.loader
        host = self._hosts.get(loader)
        if host is None:
            host = self._hosts[loader] = get_loader(loader).open_host()
        limits = [spec.limits_of(seat) for seat in range(1, len(spec.algorithms) + 1)]
        seconds = max(each.match_seconds for each in limits)
        folder = tempfile.mkdtemp(prefix=own_prefix())
        try:
            return host.play(
                NativeMatch(
                    manager=Path(spec.manager.source.value),
                    algorithms=tuple(Path(algorithm.source.value) for algorithm in spec.algorithms),
                    board=board,
                    map_name=spec.map.name,
                    names=spec.names,
                    folder=Path(folder),
                    verbose=spec.verbose,
                    cpu_seconds=seconds,
                    wall_seconds=seconds * max(each.wall_factor for each in limits),
                    memory_bytes=spec.manager_limits.memory_bytes + sum(each.memory_bytes for each in limits),
                    file_bytes=max(each.file_bytes for each in limits),
                    step_seconds=tuple(
                        (each.move_seconds, each.move_seconds * each.wall_factor) for each in (spec.manager_limits, *limits)
                    ),
                    output_bytes=spec.manager_limits.output_bytes,
                )
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """End them all."""
        while self._hosts:
            self._hosts.popitem()[1].close()
