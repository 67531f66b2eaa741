"""Matches wholly of compiled files, held inline: manager and teams share one process, which is not the match worker's own."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.whole_matches import WholeHost, WholeMatch, WholeOutcome
from tiltyard_simulator.guard.holding import SCRATCH_PREFIX
from tiltyard_simulator.specs import MatchSpec


class WholeHosts:
    """The hosts of a match worker, one a loader; each is started when its first match comes."""

    def __init__(self) -> None:
        self._hosts: dict[str, WholeHost] = {}

    def play(self, spec: MatchSpec, board: Any) -> WholeOutcome:
        """Play a match on ``board``, the map as the game read it.

        Single calls have the limits that they have elsewhere. The match as a whole may take the CPU time that one of its teams may
        use in a match, and memory for all of them.

        Raises:
            UserError: this machine cannot play it.
        """
        loader = spec.manager.source.loader
        host = self._hosts.get(loader)
        if host is None:
            host = self._hosts[loader] = get_loader(loader).open_host()
        limits = [spec.limits_of(seat) for seat in range(1, len(spec.algorithms) + 1)]
        seconds = max(each.match_seconds for each in limits)
        folder = tempfile.mkdtemp(prefix=f"{SCRATCH_PREFIX}{os.getpid()}-")
        try:
            return host.play(
                WholeMatch(
                    Path(spec.manager.source.value),
                    tuple(Path(algorithm.source.value) for algorithm in spec.algorithms),
                    board,
                    spec.map.name,
                    spec.names,
                    Path(folder),
                    spec.verbose,
                    seconds,
                    seconds * max(each.wall_factor for each in limits),
                    spec.manager_limits.memory_bytes + sum(each.memory_bytes for each in limits),
                    max(each.file_bytes for each in limits),
                    tuple((each.move_seconds, each.move_seconds * each.wall_factor) for each in (spec.manager_limits, *limits)),
                    spec.manager_limits.output_bytes,
                )
            )
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def close(self) -> None:
        """End them all."""
        while self._hosts:
            self._hosts.popitem()[1].close()
