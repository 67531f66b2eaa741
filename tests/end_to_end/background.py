"""Commands that run while a test does things to them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from tests.fork_server import StartedCommand, server_for

PATIENCE = 60.0
Command: TypeAlias = "subprocess.Popen[str] | StartedCommand"
Start = Callable[..., Command]


@contextmanager
def commands_in(folder: Path, **environment: str) -> Iterator[Start]:
    """``start("tiltyard", ...)`` starts an installed command in the folder as the first process of a group, as a shell does."""
    started: list[Command] = []

    def start(name: str, *words: str) -> Command:
        variables, server = {**os.environ, **environment}, server_for(words)
        process: Command
        if server.can_run(name, variables):
            process = server.start(name, words, folder, variables)
        else:
            process = subprocess.Popen(
                [str(Path(sys.executable).with_name(name)), *words],
                cwd=folder,
                env=variables,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_until(happened: Callable[[], object], seconds: float = PATIENCE) -> float:
    """Wait; how long it took."""
    begun = time.monotonic()
    while not happened():
        assert time.monotonic() < begun + seconds, "waited in vain"
        time.sleep(0.02)
    return time.monotonic() - begun
