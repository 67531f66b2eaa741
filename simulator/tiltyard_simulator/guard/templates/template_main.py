"""What runs in a template: it imports the team's code, closes all that is open, and forks whenever the zygote lets it.

From the import on, this is the team's process. This is how an honest team's template works; the zygote relies on none of it.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import importlib
import os
import random
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

from tiltyard_engine.data_classes import compile_waiting
from tiltyard_engine.registry.file_loaders import ForkCells, get_loader
from tiltyard_simulator.guard.cells.cell import Cell, load_code, serve
from tiltyard_simulator.guard.cells.messages import EXIT_UNCONFINED, Become
from tiltyard_simulator.guard.confinement.confining import confine_cell
from tiltyard_simulator.guard.confinement.kernel.libc import PR_SET_DUMPABLE, PR_SET_PDEATHSIG, close_range, process_control
from tiltyard_simulator.guard.confinement.kernel.namespaces import SHARED_MEMORY
from tiltyard_simulator.guard.confinement.kernel.rlimits import OPEN_FILES
from tiltyard_simulator.guard.policy import Confinement, Level, PreparedPolicy
from tiltyard_simulator.guard.templates.forking import Forker
from tiltyard_simulator.guard.templates.snapshot import RandomStates

PRIVATE_NUMBERS: Final = range(200, 250)
"""A cell asks for its pipes to the host under two of these numbers, so that no team writes there by mistake."""
EXIT_UNFIT: Final = 116
"""The exit code of a template whose team can't be loaded, or keeps files open. For people; the zygote believes no code."""


def become_template(
    confinement: Confinement,
    prepared: PreparedPolicy,
    channel: socket.socket,
    request: Become,
    *,
    settle_in: Callable[[], None],
    new_cell: Callable[[int, int], Cell],
) -> NoReturn:
    """Turn a forked child of the zygote, whose standard streams are in place, into a template.

    Args:
        confinement: as for a cell.
        prepared: as for a cell.
        channel: gets the filter's listener, and the folders that the team may write to, before any code of the team runs.
        request: what to load.
        settle_in: opens Python's standard streams.
        new_cell: makes a cell of the numbers of its two pipes.
    """
    try:
        forker = Forker()
        listener = confine_cell(confinement, prepared, keep_fds=(channel.fileno(),))
        # So that a zygote without rights may see which files it keeps open. Its cells are not dumpable again.
        process_control("prctl(PR_SET_DUMPABLE)", PR_SET_DUMPABLE, 1)
        _introduce(channel, listener, [prepared.policy.scratch, *([SHARED_MEMORY] if confinement.level is Level.A else [])])
        settle_in()
        for name in request.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)
        states = RandomStates()
        questions, answers = random.SystemRandom().sample(PRIVATE_NUMBERS, 2)
    except BaseException:
        traceback.print_exc()
        os._exit(EXIT_UNCONFINED)
    fork_cells: ForkCells | None = None
    try:
        for kind, source in request.code:
            load_code(kind, source)
            if source.loader:
                fork_cells = get_loader(source.loader).load(Path(source.value))
        compile_waiting()
    except BaseException:
        os._exit(EXIT_UNFIT)
    # A garbage collection in a cell would only copy what all of them share.
    gc.freeze()
    # Here, so that no cell has to: each page of memory that one writes to takes as long as a hundred lines of code.
    cell = new_cell(questions, answers)
    states.keep()
    if any(_is_open(descriptor) for descriptor in range(3, OPEN_FILES)):
        # A file that the team keeps open would have one position for all cells.
        os._exit(EXIT_UNFIT)
    close_range(0, OPEN_FILES)
    if fork_cells is not None:
        fork_cells(forker.arguments, questions, answers)
        os._exit(EXIT_UNFIT)
    while (process := forker.fork()) > 0:
        pass
    if process < 0:
        os._exit(EXIT_UNFIT)
    _become_cell(states, questions, answers, cell)


def _introduce(channel: socket.socket, listener: int | None, folders: Sequence[str]) -> None:
    descriptors = [os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC) for folder in folders]
    if listener is None:
        raise OSError("a template needs a listener")
    socket.send_fds(channel, [b"+"], [listener, *descriptors])
    for descriptor in (listener, *descriptors):
        os.close(descriptor)
    # Until the zygote has read the clock. A filter lets every process read, but not receive.
    os.read(channel.fileno(), 1)
    channel.close()


def _is_open(descriptor: int) -> bool:
    try:
        fcntl.fcntl(descriptor, fcntl.F_GETFD)
    except OSError:
        return False
    return True


def _become_cell(states: RandomStates, questions: int, answers: int, cell: Cell) -> NoReturn:
    """In a forked cell: get the pipes from the zygote, which has this process wait in this very call until a match needs it."""
    try:
        request_pipes(questions, answers)
        # Each cell has a /dev/null of its own: two that share one could tell each other something by its flags.
        os.open(os.devnull, os.O_RDONLY)
        os.dup2(1, 2)
        process_control("prctl(PR_SET_DUMPABLE)", PR_SET_DUMPABLE, 0)
        states.restore()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(EXIT_UNCONFINED)
    serve(cell)


def request_pipes(questions: int, answers: int) -> None:
    """Ask the zygote for the standard output, and for the two pipes under these numbers.

    The call that asks also makes the kernel end this process with the zygote: nobody gets pipes who doesn't.

    Raises:
        OSError: the zygote refuses.
    """
    process_control("prctl(PR_SET_PDEATHSIG)", PR_SET_PDEATHSIG, int(signal.SIGKILL), questions, answers)
