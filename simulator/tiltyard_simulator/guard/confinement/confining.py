"""Confining a cell: all steps, in the only order in which they work."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from tiltyard_simulator.guard.confinement.kernel.landlock import READ, WRITE, Access, landlock_version
from tiltyard_simulator.guard.confinement.kernel.libc import LAST_DESCRIPTOR, close_range
from tiltyard_simulator.guard.confinement.kernel.namespaces import (
    SHARED_MEMORY,
    become_first_process,
    enter_own_namespaces,
    mount_scratch,
)
from tiltyard_simulator.guard.confinement.kernel.privileges import die_with_parent, give_up_privileges
from tiltyard_simulator.guard.confinement.kernel.proc_mount import PROC, mount_proc, protect_proc
from tiltyard_simulator.guard.confinement.kernel.rlimits import apply_rlimits
from tiltyard_simulator.guard.confinement.kernel.seccomp import FilterPolicy, install_filter, warm_up
from tiltyard_simulator.guard.confinement.own_root import enter_own_root, leave_old_root
from tiltyard_simulator.guard.confinement.rulesets import prepare_files, restrict_files, system_paths
from tiltyard_simulator.guard.policy import CLEAN, CellPolicy, Confinement, Level, PreparedPolicy
from tiltyard_simulator.match.limits import Limits


def prepare(policy: CellPolicy, confinement: Confinement) -> PreparedPolicy:
    """Do what need not be done in each cell, and what a cell must not know. Not in a process that cells are forked from.

    This process keeps what cells of Python teams share, so preparing the same policy again takes microseconds.

    Raises:
        OSError: a system call failed.
    """
    if confinement.level is Level.C:
        return PreparedPolicy(replace(policy, hidden=()))
    return prepare_files(policy)


def warm_up_for_cells(confinement: Confinement) -> None:
    """Do what is the same in all cells of Python teams once, in the process that they are forked from."""
    if confinement.level is Level.C:
        return
    system_paths()
    for template in (False, True):
        warm_up(_filter_policy(confinement.level, CellPolicy((), (), "", Limits(), template=template)))


def confine_cell(confinement: Confinement, prepared: PreparedPolicy, keep_fds: Sequence[int] = ()) -> int | None:
    """Confine this process for good, before a team's first line runs.

    Call it in a freshly forked child with one thread: the kernel kills the cell when the thread that forked it ends. Standard
    input, output and error and ``keep_fds`` stay open; all other descriptors are closed. The environment becomes a clean one, and
    the working folder the scratch folder. Returns the filter's listener if the cell is watched, or a template.

    Raises:
        OSError: a step failed; the message says which. The process must end, because it is only partly confined.
    """
    parent, process = os.getppid(), os.getpid()
    user, group = os.getuid(), os.getgid()
    level, policy = confinement.level, prepared.policy
    also: dict[str, Access] = {}
    if level is Level.B and not policy.python:
        # The launcher reads the machine's, and narrows that for each process that it starts.
        also[PROC] = READ
    with suppress(PermissionError):  # it leads a session already
        os.setsid()
    # Before the limit of open files is lowered, which says how far to look.
    _close_all_but((0, 1, 2, *keep_fds, *([prepared.ruleset] if prepared.ruleset >= 0 else [])))
    if level is Level.A:
        enter_own_namespaces(process, user, group, processes=not policy.python)
        if not policy.python:
            become_first_process()
            parent = os.getppid()
            enter_own_root((*policy.readable, *system_paths()), policy.scratch)
            if mount_proc():
                also[PROC] = READ
            leave_old_root()
        else:
            protect_proc()
        mount_scratch(policy.scratch, policy.limits.scratch_bytes, executable=policy.builds)
        also[SHARED_MEMORY] = WRITE
    apply_rlimits(policy.limits, own_user_namespace=level is Level.A, python=policy.python, template=policy.template)
    os.umask(0o077)
    os.chdir(policy.scratch)
    _set_environment(policy.scratch)
    give_up_privileges()
    die_with_parent(parent)
    if level is not Level.C:
        restrict_files(prepared, also)
        return install_filter(_filter_policy(level, policy))
    return None


def _set_environment(scratch: str) -> None:
    """Make the environment clean. A zygote has a clean one already, so there is little to change."""
    variables = {**CLEAN, "HOME": scratch, "TMPDIR": scratch}
    now = dict(os.environ)
    for name in now.keys() - variables.keys():
        del os.environ[name]
    for name, value in variables.items():
        if now.get(name) != value:
            os.environ[name] = value


def _filter_policy(level: Level, policy: CellPolicy) -> FilterPolicy:
    return FilterPolicy(
        python=policy.python,
        single=policy.python and policy.limits.processes == 1,
        files_protected=level is Level.A,
        landlock_version=landlock_version(),
        own_processes=level is Level.A and not policy.python,
        watched=policy.watched,
        template=policy.template,
        builds=policy.builds,
    )


def _close_all_but(descriptors: Iterable[int]) -> None:
    lowest = 0
    for descriptor in sorted({*descriptors}):
        if descriptor > lowest:
            close_range(lowest, descriptor - 1)
        lowest = max(lowest, descriptor + 1)
    close_range(lowest, LAST_DESCRIPTOR)
