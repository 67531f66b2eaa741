"""Runs installed commands for tests: each in a process of its own, but without importing everything anew for each.

The server imports what the commands import, and forks for each request. The fork has the caller's environment, folder and streams,
calls the command's ``main`` as its script does, and ends as any Python process does. How commands start is tested elsewhere, and
the pages in ``docs`` start all that they show.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

MODULES: Final = {"tiltyard": "tiltyard_tournaments.cli.start", "simulator": "tiltyard_simulator.matchups.command"}
LARGEST: Final = 1 << 17
"""Bytes of a request."""


class ForkServer:
    """The server as a test process sees it."""

    def __init__(self) -> None:
        self._python = python_settings(os.environ)
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [sys.executable, __file__, str(theirs.fileno())]
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()])

    def close(self) -> None:
        """End it."""
        self._channel.close()
        self._process.wait()

    def can_run(self, name: str) -> bool:
        """Whether it has the command, and was itself started with what the command's own Python would be started with."""
        return name in MODULES and python_settings(os.environ) == self._python

    def run(self, name: str, words: Sequence[str], cwd: Path, seconds: float) -> subprocess.CompletedProcess[str]:
        """As ``subprocess.run`` does it with captured text.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        argv = [str(Path(sys.executable).with_name(name)), *words]
        request = json.dumps([name, argv, str(cwd), dict(os.environ)]).encode()
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            socket.send_fds(self._channel, [request], [stdout.fileno(), stderr.fileno()])
            pid = int(self._channel.recv(LARGEST))
            self._channel.settimeout(seconds)
            try:
                status = int(self._channel.recv(LARGEST))
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                self._channel.settimeout(None)
                self._channel.recv(LARGEST)
                raise subprocess.TimeoutExpired(argv, seconds) from error
            texts = []
            for stream in (stdout, stderr):
                stream.seek(0)
                # Line ends as a stream of text has them.
                texts.append(stream.read().decode().replace("\r\n", "\n").replace("\r", "\n"))
        return subprocess.CompletedProcess(argv, status, *texts)


def python_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What only a new Python would read."""
    return {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


def serve(channel: socket.socket) -> str:
    """Fork for each request. Returns only in a fork, with the name of its command, or "" when the test process is gone."""
    while True:
        data, streams, _, _ = socket.recv_fds(channel, LARGEST, 2)
        if not data:
            return ""
        pid = os.fork()
        if pid == 0:
            channel.close()
            name, sys.argv, cwd, environment = json.loads(data)
            for number, stream in enumerate(streams, start=1):
                os.dup2(stream, number)
                os.close(stream)
            os.chdir(cwd)
            os.environ.clear()
            os.environ.update(environment)
            # Python puts a script's folder there.
            sys.path[0] = str(Path(sys.argv[0]).parent)
            return str(name)
        for stream in streams:
            os.close(stream)
        channel.send(str(pid).encode())
        channel.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


if __name__ == "__main__":
    start, _ = [importlib.import_module(module) for module in MODULES.values()]
    for module, _ in start.COMMANDS.values():
        importlib.import_module(f"{start.__package__}.{module}")
    if wanted := serve(socket.socket(fileno=int(sys.argv[1]))):
        sys.exit(importlib.import_module(MODULES[wanted]).main())
