"""Confining a cell: all steps, in the one order in which they work."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress

from tiltyard_simulator.guard.confinement.environment import set_environment
from tiltyard_simulator.guard.confinement.landlock import landlock_version
from tiltyard_simulator.guard.confinement.libc import LAST_DESCRIPTOR, close_range
from tiltyard_simulator.guard.confinement.namespaces import become_first_process, enter_own_namespaces, mount_scratch
from tiltyard_simulator.guard.confinement.policy import CellPolicy, Confinement, Level
from tiltyard_simulator.guard.confinement.privileges import die_with_parent, give_up_privileges
from tiltyard_simulator.guard.confinement.readable import (
    PreparedPolicy,
    find_prepared,
    prepare_files,
    restrict_files,
)
from tiltyard_simulator.guard.confinement.rlimits import apply_rlimits
from tiltyard_simulator.guard.confinement.seccomp import FilterPolicy, install_filter, warm_up


def prepare(policy: CellPolicy, confinement: Confinement) -> PreparedPolicy:
    """Do in the zygote what need not be done in each of a team's cells.

    It is kept by this process: ``confine_cell`` in a child forked later finds it by the policy alone, and
    preparing the same again costs some microseconds.

    Raises:
        OSError: a system call failed.
    """
    if confinement.level is Level.C:
        return PreparedPolicy(policy, -1)
    if not policy.python:
        # One a match at most, and its rules are few.
        return PreparedPolicy(policy, -1)
    warm_up(_filter_policy(confinement.level, policy))
    return prepare_files(policy)


def confine_cell(confinement: Confinement, policy: CellPolicy | PreparedPolicy, keep_fds: Sequence[int] = ()) -> None:
    """Confine this process for good, before a team's first line runs.

    Call it in a freshly forked child with one thread: the kernel kills the cell when the thread that forked it ends. Standard
    input, output and error stay open as they are, and ``keep_fds``; all others are closed. The environment is a clean
    one, the working folder the scratch folder.

    Raises:
        OSError: a step failed, and says which: the process must end, as it is confined in part.
    """
    parent, process = os.getppid(), os.getpid()
    user, group = os.getuid(), os.getgid()
    level = confinement.level
    prepared = policy if isinstance(policy, PreparedPolicy) else find_prepared(policy)
    policy = prepared.policy
    with suppress(PermissionError):  # it leads a session already
        os.setsid()
    # While the limit of open files still says how far to look.
    _close_all_but((0, 1, 2, *keep_fds, *([prepared.ruleset] if prepared.ruleset >= 0 else [])))
    if level is Level.A:
        enter_own_namespaces(process, user, group, processes=not policy.python)
        if not policy.python:
            become_first_process()
            parent = os.getppid()
        mount_scratch(policy.scratch, policy.limits.scratch_bytes)
    apply_rlimits(policy.limits, own_user_namespace=level is Level.A, python=policy.python)
    os.umask(0o077)
    os.chdir(policy.scratch)
    set_environment(policy.scratch)
    give_up_privileges()
    die_with_parent(parent)
    if level is not Level.C:
        _restrict_files(prepared)
        if prepared.ruleset >= 0:
            with suppress(OSError):
                os.close(prepared.ruleset)
        install_filter(_filter_policy(level, policy))


def _restrict_files(prepared: PreparedPolicy) -> None:
    try:
        restrict_files(prepared)
    except OSError as error:
        # The caller closed the ruleset on its way here, and the number may be another file's by now.
        if prepared.ruleset < 0 or error.errno not in (errno.EBADF, errno.EBADFD):
            raise
        restrict_files(PreparedPolicy(prepared.policy, -1))


def _filter_policy(level: Level, policy: CellPolicy) -> FilterPolicy:
    return FilterPolicy(
        python=policy.python,
        single=policy.python and policy.limits.processes == 1,
        network=policy.network,
        files_protected=level is Level.A,
        landlock_version=landlock_version(),
        own_processes=level is Level.A and not policy.python,
    )


def _close_all_but(descriptors: Iterable[int]) -> None:
    lowest = 0
    for descriptor in sorted({*descriptors}):
        if descriptor > lowest:
            close_range(lowest, descriptor - 1)
        lowest = max(lowest, descriptor + 1)
    close_range(lowest, LAST_DESCRIPTOR)
