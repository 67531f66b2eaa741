"""Where a run's matches are played: on this machine, or where an own package offers to play them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Annotated, Final, Protocol, TypeAlias

import typer

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import own_entry_points
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.play.executor import Executor, available_cores
from tiltyard_simulator.play.local_matches import local_executor
from tiltyard_tournaments.cli.application import Groups
from tiltyard_tournaments.running.tournament import Tournament

if TYPE_CHECKING:
    from tiltyard_simulator.guard.policy import Level

EXECUTORS_GROUP: Final = "tiltyard.executors"
"""The entry-point group of ``RemoteOptions``. Only tiltyard's own distributions may have any: they run in this process."""


class RemoteOptions(Protocol):
    """A dataclass whose fields are options of a command line, and which can play matches somewhere else."""

    def is_chosen(self, workers: int | None) -> bool:
        """Whether matches are to be played there; ``workers`` is what ``--workers`` says, None where it was left out.

        Raises:
            UserError: the options contradict each other.
        """
        ...

    def executor(
        self, references: Sequence[Reference], level: Level | None, say: Callable[[str], None]
    ) -> AbstractContextManager[Executor]:
        """What plays there.

        Args:
            references: the game, the GameManager, the teams.
            level: what a sandbox is on this machine, for it must be the same everywhere; None if nobody plays in one.
            say: told what happens there, a line each.

        Raises:
            UserError: nothing can be played there.
        """
        ...


def remote_options() -> list[type[RemoteOptions]]:
    """The options of all own packages that are installed and can play matches."""
    return [entry.load() for entry in own_entry_points(EXECUTORS_GROUP, OWN_DISTRIBUTIONS)]


RunWorkers: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--workers",
        "-w",
        min=0,
        help="Number of worker processes (overrides the file). 0 means one per core.",
        show_default=False,
    ),
]
Elsewhere: TypeAlias = Annotated[tuple[RemoteOptions, ...], Groups(remote_options)]
"""All options of a command by which matches are played elsewhere."""


@contextmanager
def executor_for(
    tournament: Tournament, workers: int | None, remote: RemoteOptions | None, say: Callable[[str], None]
) -> Iterator[Executor]:
    """What plays a tournament's matches.

    Args:
        tournament: whose matches are played.
        workers: processes on this machine; 0: one for each core; None: as the tournament says.
        remote: where else they are played; None: on this machine.
        say: told what happens there.

    Raises:
        UserError: they can't be played there.
    """
    if remote is None:
        processes = (tournament.workers if workers is None else workers) or available_cores()
        with local_executor(processes) as executor:
            yield executor
        return
    from tiltyard_simulator.guard.confinement.probes import probe_confinement

    references = (tournament.game, tournament.manager, *tournament.teams)
    isolations = {tournament.isolation_policy.of(reference) for reference in references[1:]}
    level = probe_confinement().level if Isolation.SANDBOX in isolations else None
    with remote.executor(references, level, say) as executor:
        yield executor
