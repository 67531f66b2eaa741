"""The options of a command that can play on a cluster. Commands get them through the entry-point group ``tiltyard.executors``."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tiltyard_cluster.connection import PATIENCE_SECONDS, Tls, check_address
from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference

if TYPE_CHECKING:
    from tiltyard_simulator.guard.policy import Level
    from tiltyard_simulator.play.executor import Executor

PANEL: Final = "Playing on a cluster"
"""The title under which the help shows these options."""


def _option(name: str, metavar: str, text: str) -> Any:
    return typer.Option(name, metavar=metavar, help=text, show_default=False, rich_help_panel=PANEL)


@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """On which cluster matches are to be played, if on any; what the core knows as ``RemoteOptions``."""

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
            help="How long to wait each time the scheduler is gone, before the run ends.  [default: 10]",
            show_default=False,
            rich_help_panel=PANEL,
        ),
    ] = None
    tls_ca: Annotated[
        Path | None, _option("--cluster-tls-ca", "FILE", "For a tls:// cluster: its certificate authority (PEM).")
    ] = None
    tls_cert: Annotated[
        Path | None, _option("--cluster-tls-cert", "FILE", "For a tls:// cluster: the client certificate (PEM).")
    ] = None
    tls_key: Annotated[Path | None, _option("--cluster-tls-key", "FILE", "For a tls:// cluster: the client key (PEM).")] = None

    def is_chosen(self, workers: int | None) -> bool:
        """Whether matches are to be played on a cluster; ``workers`` is what ``--workers`` says, None where it was left out.

        Raises:
            UserError: the options contradict each other, or there can't be such a cluster.
        """
        if self.cluster is None:
            if self.patience is not None:
                raise UserError("--cluster-patience also needs --cluster tcp://HOST:8786")
            for name, path in (("ca", self.tls_ca), ("cert", self.tls_cert), ("key", self.tls_key)):
                if path is not None:
                    raise UserError(f"--cluster-tls-{name} also needs --cluster tls://HOST:8786")
            return False
        if workers is not None:
            raise UserError("--workers applies to this machine only; with --cluster, use 'dask worker --nworkers' on each machine")
        check_address(self.cluster, self.tls)
        return True

    @property
    def tls(self) -> Tls:
        """The files of an encrypted cluster."""
        return Tls(self.tls_ca, self.tls_cert, self.tls_key)

    def executor(
        self, references: Sequence[Reference], level: Level | None, say: Callable[[str], None]
    ) -> AbstractContextManager[Executor]:
        """What plays on the cluster.

        Args:
            references: the game, the GameManager, the teams.
            level: what a sandbox is on this machine, for it must be the same everywhere; None if nobody plays in one.
            say: told what happens to the cluster's machines, a line each.

        Raises:
            UserError: there is no such cluster, or none of its machines can play.
        """
        from tiltyard_cluster.executor import cluster_executor, machine_requirements

        assert self.cluster is not None
        requirements = machine_requirements(references, level, os.environ)
        patience = PATIENCE_SECONDS if self.patience is None else 60 * self.patience
        return cluster_executor(self.cluster, self.tls, requirements, say, patience)
