"""Games on a Dask cluster, which may come and go while the league goes on."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final

from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import ClusterExecutor, machine_requirements, service_executor
from tiltyard_cluster.messages import MachineRequirements
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_league.database.log_lines import Emit
from tiltyard_league.league_file.loading import League
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import Ended

AGAIN_SECONDS: Final = 10.0
"""Between two attempts to find the scheduler."""


class ClusterGames:
    """An ``Executor`` on the machines of a cluster.

    While the scheduler is away nothing is handed out, and nothing is lost: what was being played is submitted again later.

    Args:
        address: of the scheduler.
        tls: the files of an encrypted cluster.
        wanted: what machines must be like.
        tell: told of machines and of the scheduler, for the log lines.
    """

    def __init__(self, address: str, tls: Tls, requirements: MachineRequirements, emit: Emit) -> None:
        self._address = address
        self._tls = tls
        self._requirements = requirements
        self._emit = emit
        self._cluster: ClusterExecutor | None = None
        # Looking for the scheduler takes seconds, in which uploads are to be checked.
        self._threads = ThreadPoolExecutor(1)
        self._search: Future[ClusterExecutor] | None = None
        self._tried_at = -AGAIN_SECONDS
        self._reason = ""
        """Why it wasn't found the last time; told once."""
        self._out: dict[int, MatchSpec] = {}

    def begin(self, preload: Iterable[Reference] = ()) -> None:
        """Look for the scheduler."""
        self._look()

    @property
    def room(self) -> int:
        """How many matches more could begin at once."""
        return 0 if self._cluster is None else self._cluster.room

    @property
    def is_busy(self) -> bool:
        """Whether a match was submitted that has not come back, on whichever cluster it was."""
        return bool(self._out)

    def submit(self, spec: MatchSpec) -> None:
        """Play a match on the cluster, at once or once the scheduler is back."""
        self._out[spec.place.number] = spec
        if self._cluster is not None:
            self._cluster.submit(spec)

    def poll(self, timeout: float) -> list[Ended]:
        """What has ended, after ``timeout`` seconds at the latest."""
        if self._cluster is None:
            self._look()
            time.sleep(timeout)
            return []
        try:
            results = self._cluster.poll(timeout)
        except UserError as error:
            self._emit("cluster lost", reason=str(error))
            self._leave()
            return []
        for spec, _ in results:
            del self._out[spec.place.number]
        return results

    def abandon(self) -> None:
        """Forget all that was submitted."""
        self._out.clear()
        if self._cluster is not None:
            self._cluster.abandon()

    def close(self) -> None:
        """Leave the cluster, and play nothing more."""
        self._leave()
        self._threads.shutdown(wait=True, cancel_futures=True)
        if self._search is not None and not self._search.cancelled():
            with suppress(UserError):
                self._search.result().close()

    def _leave(self) -> None:
        if self._cluster is not None:
            self._cluster.close()
            self._cluster = None
            self._tried_at = time.monotonic()

    def _look(self) -> None:
        """See whether the scheduler was found, or look for it again."""
        if self._search is None:
            if time.monotonic() - self._tried_at >= AGAIN_SECONDS:
                self._search = self._threads.submit(service_executor, self._address, self._tls, self._requirements, self._log)
            return
        if not self._search.done():
            return
        search, self._search, self._tried_at = self._search, None, time.monotonic()
        try:
            self._cluster = search.result()
        except UserError as error:
            if str(error) != self._reason:
                self._emit("no cluster", reason=str(error))
            self._reason = str(error)
            return
        self._reason = ""
        self._emit("cluster found", address=self._address, again=len(self._out))
        for spec in self._out.values():
            self._cluster.submit(spec)

    def _log(self, line: str) -> None:
        self._emit("cluster", what=line)


def cluster_games(league: League, address: str, tls: Tls, emit: Emit) -> ClusterGames:
    """The games of a league on a cluster. Machines must have the staff's teams; those of students are sent to them.

    Raises:
        UserError: files of the staff's teams cannot be read.
    """
    tournament = league.tournament
    references = (tournament.game, tournament.manager, *tournament.teams)
    # What students hand in is in sandboxes wherever this machine has any.
    requirements = machine_requirements(references, probe_confinement().level, os.environ)
    return ClusterGames(address, tls, requirements, emit)
