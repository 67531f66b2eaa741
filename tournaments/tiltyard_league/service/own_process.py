"""Work in a process of its own: what it takes of memory goes with it.

A fit of five hundred versions left 12 MB in a service that keeps 2 MB of it: buffers of the linear algebra, and heap between what
stayed (``benchmarks/league_checks.py load``).
"""

from __future__ import annotations

import gc
import os
import pickle
import traceback
from collections.abc import Callable
from typing import NoReturn, TypeVar, cast

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_simulator.play.worker_process import can_fork

T = TypeVar("T")


def in_own_process(work: Callable[[], T]) -> T:
    """What a function returns. It runs in a fork where that is safe, else here.

    Args:
        work: what it returns can be pickled. It reads no database: SQLite's locks in this process are not those of a fork
            (https://www.sqlite.org/howtocorrupt.html, 2.6).

    Raises:
        UserError: as ``work`` does.
        RuntimeError: the process has ended without an answer; if ``work`` failed, why stands on standard error.
    """
    if not can_fork():
        return work()
    parent = os.getpid()
    answer_end, end = os.pipe2(os.O_CLOEXEC)
    try:
        process = os.fork()
    except OSError:
        # The machine allows no further process.
        os.close(answer_end)
        os.close(end)
        return work()
    if process == 0:
        _work_and_exit(work, parent, end)
    os.close(end)
    with os.fdopen(answer_end, "rb") as stream:
        answer = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    if status:
        raise RuntimeError(f"a process that this one works with ended with status {status}")
    result = pickle.loads(answer)  # noqa: S301 -- it was written by this program
    if isinstance(result, UserError):
        raise result
    return cast(T, result)


def _work_and_exit(work: Callable[[], object], parent: int, end: int) -> NoReturn:
    """The fork: it never returns, so nothing of its parent is closed or flushed a second time."""
    status = 1
    try:
        # Nor may a connection of the parent be found unused here, and be closed.
        gc.freeze()
        end_with_parent(parent)
        try:
            result = work()
        except UserError as error:
            # Those with arguments of their own don't come through a pipe.
            result = UserError(*error.args, see=error.see)
        with os.fdopen(end, "wb") as stream:
            pickle.dump(result, stream, pickle.HIGHEST_PROTOCOL)
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)
