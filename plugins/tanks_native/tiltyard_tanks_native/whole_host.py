"""The host program as the simulator asks for it."""

from __future__ import annotations

from dataclasses import replace

from tiltyard_engine.whole_matches import WholeHost, WholeMatch, WholeOutcome
from tiltyard_tanks_native.building import build_host
from tiltyard_tanks_native.host import HostJob, NativeHost
from tiltyard_tanks_native.managers import check_players
from tiltyard_tanks_native.own_logs import read_logs


class NativeWholeHost(WholeHost):
    """Plays matches of two compiled algorithms under a compiled GameManager.

    Raises:
        NativeError: the host program cannot be built.
    """

    def __init__(self) -> None:
        # Now, and not as a fault of the first match's GameManager.
        build_host()
        self._host = NativeHost()

    def play(self, match: WholeMatch) -> WholeOutcome:
        """Play a match; see ``WholeHost``.

        Raises:
            UserError: it has more or fewer than two players, or the host program cannot be built or cannot play.
        """
        check_players(match.manager, len(match.algorithms))
        job = HostJob(
            match.manager,
            (match.algorithms[0], match.algorithms[1]),
            match.board,
            match.map_name,
            (match.names[0], match.names[1]),
            match.folder,
            match.verbose,
            match.cpu_seconds,
            match.wall_seconds,
            match.file_bytes,
            match.memory_bytes,
            match.output_bytes,
            match.step_seconds,
        )
        outcome = self._host.play(job)
        claim = outcome.result
        if claim is not None and match.verbose:
            claim = replace(claim, log=read_logs(match.folder))
        return WholeOutcome(claim, outcome.faults, outcome.output, outcome.cpu_seconds)

    def close(self) -> None:
        """End the host program."""
        self._host.close()
