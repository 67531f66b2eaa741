"""Python's ``multiprocessing`` in a cell whose ``/dev/shm`` is its own, so that whatever is left there goes with the cell.

Elsewhere a process of its own, the resource tracker, removes shared memory that its makers left behind. It is a new interpreter,
and a cell may start no programs: whoever creates shared memory would sooner or later fail with a BrokenPipeError.
"""

from __future__ import annotations

from tiltyard_simulator.guard.policy import CellPolicy, Confinement, Level


def replace_tracker(confinement: Confinement, policy: CellPolicy) -> None:
    """Let nothing be tracked in this process and its children, if they can share memory at all."""
    if confinement.level is not Level.A or not policy.python or policy.limits.processes == 1:
        return
    from multiprocessing import resource_tracker  # it takes 10 ms, and few teams have processes

    for name in ("register", "unregister", "ensure_running"):
        setattr(resource_tracker, name, _nothing)


def _nothing(*_: str) -> None:
    """Instead of what the tracker would be told."""
