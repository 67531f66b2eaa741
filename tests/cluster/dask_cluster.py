"""A Dask cluster of this machine: a scheduler and workers, processes of their own, as an organiser starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from tests.end_to_end.background import wait_until
from tests.fork_server import StartedCommand, shared_server

DaskProcess: TypeAlias = "subprocess.Popen[bytes] | StartedCommand"
QUIET: Final = {
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
}
"""Else each process of Dask looks a hundred times a second at what it is doing."""


@dataclass
class DaskCluster:
    """The scheduler that runs, and the workers that were started."""

    folder: Path
    options: tuple[str, ...] = ()
    """Of scheduler and workers alike."""
    address: str = ""
    processes: list[DaskProcess] = field(default_factory=list)
    loops: list[subprocess.Popen[bytes]] = field(default_factory=list)
    """Shells that start workers again and again."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Of the scheduler."""
    wrapper: tuple[str, ...] = ()
    """Words before all commands."""
    host: str = "127.0.0.1"

    @property
    def scheduler(self) -> DaskProcess:
        """The first process."""
        return self.processes[0]

    def start_scheduler(self, port: str = "0") -> None:
        """Start it and wait for its address."""
        file = self.folder / "scheduler.json"
        file.unlink(missing_ok=True)
        words = ("--host", self.host, "--port", port, "--scheduler-file", str(file))
        scheduler = self._start("scheduler", (), self.environment, *words)
        wait_until(lambda: scheduler.poll() is not None or _address(file))
        assert scheduler.poll() is None, self.logs()
        self.address = _address(file)
        self.processes.remove(scheduler)
        self.processes.insert(0, scheduler)

    def restart_scheduler(self) -> None:
        """End it, and start one at the same address, which remembers nothing."""
        self.scheduler.kill()
        self.scheduler.wait()
        del self.processes[0]
        self.start_scheduler(self.address.rpartition(":")[2])

    def start_worker(
        self, wrapper: tuple[str, ...] = (), nanny: bool = False, environment: Mapping[str, str] | None = None
    ) -> DaskProcess:
        """Start a worker; it registers when it is ready."""
        words = [self.address, "--host", self.host, "--nthreads", "1", *([] if nanny else ["--no-nanny"])]
        return self._start("worker", wrapper, environment or {}, *words, "--local-directory", str(self.folder))

    def start_worker_loop(self, line: str) -> subprocess.Popen[bytes]:
        """Start a worker as a line for the shell does, which starts it again when it ends."""
        command = f"{sys.executable} -m distributed.cli.dask_worker --no-dashboard --host 127.0.0.1 --nthreads 1"
        line = line.replace("dask worker", f"{command} --local-directory {self.folder}")
        with (self.folder / f"loop{len(self.processes)}.log").open("wb") as output:
            loop = subprocess.Popen(
                ["bash", "-c", line],
                cwd=self.folder,
                env={**os.environ, **QUIET},
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        self.loops.append(loop)
        return loop

    def _start(self, kind: str, wrapper: tuple[str, ...], environment: Mapping[str, str], *words: str) -> DaskProcess:
        words = ("--no-dashboard", *self.options, *words)
        variables, server = {**os.environ, **QUIET, **environment}, shared_server("dask")
        wrappers = [*self.wrapper, *wrapper]
        log = self.folder / f"{kind}{len(self.processes)}.log"
        process: DaskProcess
        with log.open("ab") as output:
            if not wrappers and server.can_run(kind, variables):
                process = server.start(kind, words, self.folder, variables, output.fileno())
            else:
                command = [*wrappers, sys.executable, "-m", f"distributed.cli.dask_{kind}", *words]
                process = subprocess.Popen(command, cwd=self.folder, env=variables, stdout=output, stderr=output)
        self.processes.append(process)
        return process

    def logs(self) -> str:
        """What all of them said, for a test that fails."""
        return "\n".join(f"== {path.name}\n{path.read_text()}" for path in sorted(self.folder.glob("*.log")))


def _address(file: Path) -> str:
    """Of a scheduler; empty before it has told."""
    try:
        return str(json.loads(file.read_text())["address"])
    except (OSError, ValueError):
        return ""


@contextmanager
def dask_cluster(
    folder: Path,
    workers: int = 0,
    options: tuple[str, ...] = (),
    nanny: bool = False,
    environment: Mapping[str, str] | None = None,
    scheduler: Mapping[str, str] | None = None,
    wrapper: tuple[str, ...] = (),
    host: str = "127.0.0.1",
) -> Iterator[DaskCluster]:
    """A scheduler and so many workers of a thread each, with variables for their environments; all end with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = DaskCluster(folder, options, environment=scheduler or {}, wrapper=wrapper, host=host)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker(nanny=nanny, environment=environment)
        yield cluster
    finally:
        for loop in cluster.loops:
            os.killpg(loop.pid, signal.SIGKILL)
            loop.wait()
        # A nanny's worker ends with it.
        for process in cluster.processes[::-1]:
            process.kill()
        for process in cluster.processes[::-1]:
            process.wait()


def other_version(folder: Path, distribution: str, version: str, files: Mapping[str, str] | None = None) -> Path:
    """A folder for PYTHONPATH in which a distribution is installed in another version, or with other files."""
    module = distribution.replace("-", "_")
    about = folder / f"{module}-{version}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    name = distribution.removeprefix("tiltyard-")
    (about / "entry_points.txt").write_text(f"[tiltyard]\n{name} = {module}\n")
    for file, text in (files or {}).items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(text)
    names = [*(files or {}), f"{about.name}/METADATA", f"{about.name}/entry_points.txt", f"{about.name}/RECORD"]
    (about / "RECORD").write_text("".join(f"{name},,\n" for name in names))
    return folder
