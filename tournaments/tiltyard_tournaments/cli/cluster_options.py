"""Where a run's matches are played: on this machine, or on a cluster."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltyard_engine.errors import UserError
from tiltyard_simulator.cluster.connection import PATIENCE_SECONDS, Tls, check_address
from tiltyard_simulator.guard.confinement import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play.executors import Executor, available_cores, local_executor
from tiltyard_tournaments.cli.application import CLUSTER_PANEL
from tiltyard_tournaments.running.tournament import Tournament


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False, rich_help_panel=CLUSTER_PANEL)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Where matches are to be played.

    Raises:
        UserError: the options contradict each other.
    """

    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            "-w",
            min=0,
            help="Number of worker processes (overrides the file). 0 means one per core.",
            show_default=False,
        ),
    ] = None
    cluster: Annotated[
        str | None,
        _option("--cluster", "ADDRESS", "Play on the Dask cluster whose scheduler has this address, such as tcp://HOST:8786."),
    ] = None
    patience: Annotated[
        float | None,
        typer.Option(
            "--cluster-patience",
            metavar="MINUTES",
            min=0,
            help="How long to wait for a scheduler that is gone, each time, before the run ends.  [default: 10]",
            show_default=False,
            rich_help_panel=CLUSTER_PANEL,
        ),
    ] = None
    tls_ca: Annotated[
        Path | None, _option("--cluster-tls-ca", "FILE", "For a tls:// cluster: its certificate authority (PEM).")
    ] = None
    tls_cert: Annotated[
        Path | None, _option("--cluster-tls-cert", "FILE", "For a tls:// cluster: the client certificate (PEM).")
    ] = None
    tls_key: Annotated[Path | None, _option("--cluster-tls-key", "FILE", "For a tls:// cluster: the client key (PEM).")] = None

    def __post_init__(self) -> None:
        if self.cluster is None:
            if self.patience is not None:
                raise UserError("--cluster-patience also needs --cluster tcp://HOST:8786")
            for name, path in (("ca", self.tls_ca), ("cert", self.tls_cert), ("key", self.tls_key)):
                if path is not None:
                    raise UserError(f"--cluster-tls-{name} also needs --cluster tls://HOST:8786")
        else:
            if self.workers is not None:
                raise UserError(
                    "--workers applies to this machine only; with --cluster, use 'dask worker --nworkers' on each machine"
                )
            check_address(self.cluster, self.tls)

    @property
    def tls(self) -> Tls:
        """The files of an encrypted cluster."""
        return Tls(self.tls_ca, self.tls_cert, self.tls_key)


@contextmanager
def executor_for(tournament: Tournament, options: ClusterOptions, say: Callable[[str], None]) -> Iterator[Executor]:
    """What plays a tournament's matches; ``say`` is told what happens to a cluster's machines.

    Raises:
        UserError: there is no such cluster, or none of its machines can play.
    """
    if options.cluster is None:
        workers = tournament.workers if options.workers is None else options.workers
        with local_executor(workers or available_cores()) as executor:
            yield executor
        return
    from tiltyard_simulator.cluster.executor import cluster_executor, machine_requirements

    references = (tournament.game, tournament.manager, *tournament.teams)
    isolations = {tournament.isolation_policy.of(reference) for reference in references[1:]}
    level = probe_confinement().level if Isolation.SANDBOX in isolations else None
    wanted = machine_requirements(references, level, os.environ)
    patience = PATIENCE_SECONDS if options.patience is None else 60 * options.patience
    with cluster_executor(options.cluster, options.tls, wanted, say, patience) as executor:
        yield executor
