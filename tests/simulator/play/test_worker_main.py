from __future__ import annotations

import os
import socket
import subprocess
import sys

import pytest

from tiltyard_simulator.guard.cells.wire import frame


@pytest.mark.parametrize("unread", [False, True])
def test_a_worker_whose_coordinator_is_gone_ends_without_a_word(unread: bool) -> None:
    """Its channel may close a moment before the kernel ends it: while it writes, waits, or with a message on its way."""
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "tiltyard_simulator.play.worker_main", str(theirs.fileno()), str(os.getpid()), "-1"]
    with theirs:
        if unread:
            # Closed with something unread the channel is reset, not just at its end.
            ours.sendall(frame(0, b"")[:3])
            theirs.sendall(b"x")
        ours.close()
        worker = subprocess.Popen(command, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True)
    _, errors = worker.communicate(timeout=60)
    assert (worker.returncode, errors) == (0, "")
