"""Where a run's matches are played: on this machine, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from tiltyard_engine.errors import UserError
from tiltyard_simulator.cluster.connecting import Tls, check_address
from tiltyard_simulator.guard.confinement import probe_confinement
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.running import Executor, local_executor
from tiltyard_tournaments.cli.options import worker_count
from tiltyard_tournaments.running.tournament import Tournament

Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on a Dask cluster whose scheduler is there, such as tcp://HOST:8786, instead of on this machine.",
        show_default=False,
    ),
]
TlsCa = Annotated[
    Path | None,
    typer.Option("--cluster-tls-ca", metavar="FILE", help="For a tls:// cluster: its authority (PEM).", show_default=False),
]
TlsCert = Annotated[
    Path | None, typer.Option("--cluster-tls-cert", metavar="FILE", help="And this side's certificate.", show_default=False)
]
TlsKey = Annotated[Path | None, typer.Option("--cluster-tls-key", metavar="FILE", help="And its key.", show_default=False)]


@dataclass(frozen=True, slots=True)
class Where:
    """Where matches are to be played, as the options say.

    Raises:
        UserError: they contradict each other.
    """

    workers: int | None
    cluster: str | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None

    def __post_init__(self) -> None:
        if self.cluster is None:
            for name, path in (("ca", self.tls_ca), ("cert", self.tls_cert), ("key", self.tls_key)):
                if path is not None:
                    raise UserError(f"--cluster-tls-{name} is for a cluster: say --cluster tls://HOST:8786 too")
        else:
            if self.workers is not None:
                raise UserError(
                    "--workers are this machine's, and --cluster plays on others: 'dask worker --nworkers' says how many there"
                )
            check_address(self.cluster, self.tls)

    @property
    def tls(self) -> Tls:
        """The files of an encrypted cluster."""
        return Tls(self.tls_ca, self.tls_cert, self.tls_key)


@contextmanager
def executor_for(tournament: Tournament, where: Where, say: Callable[[str], None]) -> Iterator[Executor]:
    """What plays a tournament's matches; ``say`` is told what becomes of a cluster's machines.

    Raises:
        UserError: there is no such cluster, or none of its machines may play.
    """
    if where.cluster is None:
        with local_executor(worker_count(tournament.workers if where.workers is None else where.workers)) as executor:
            yield executor
        return
    from tiltyard_simulator.cluster.executor import cluster_executor, wanted_for

    references = (tournament.game, tournament.manager, *tournament.teams)
    held = {tournament.holding.of(reference) for reference in references[1:]}
    level = probe_confinement().level if Isolation.SANDBOX in held else None
    wanted = wanted_for(references, level, os.environ)
    with cluster_executor(where.cluster, where.tls, wanted, say) as executor:
        yield executor
