"""A Dask cluster of this machine: a scheduler and workers, processes of their own, as an organiser starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.end_to_end.background import wait_until


@dataclass
class DaskCluster:
    """The scheduler that runs, and the workers that were started."""

    folder: Path
    options: tuple[str, ...] = ()
    """Of scheduler and workers alike."""
    address: str = ""
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def scheduler(self) -> subprocess.Popen[bytes]:
        """The first process."""
        return self.processes[0]

    def start_scheduler(self, *words: str) -> None:
        """Start it and wait for its address."""
        file = self.folder / "scheduler.json"
        self._start("scheduler", (), {}, "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file), *words)
        wait_until(lambda: self.scheduler.poll() is not None or _address(file))
        assert self.scheduler.poll() is None, self.logs()
        self.address = _address(file)

    def start_worker(
        self, wrapper: tuple[str, ...] = (), nanny: bool = False, environment: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a worker; it registers when it is ready."""
        words = [self.address, "--host", "127.0.0.1", "--nthreads", "1", *([] if nanny else ["--no-nanny"])]
        return self._start("worker", wrapper, environment or {}, *words, "--local-directory", str(self.folder))

    def _start(self, kind: str, wrapper: tuple[str, ...], environment: Mapping[str, str], *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--no-dashboard", *self.options, *words]
        log = self.folder / f"{kind}{len(self.processes)}.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*wrapper, *command], cwd=self.folder, env={**os.environ, **environment}, stdout=output, stderr=output
            )
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
    folder: Path, workers: int = 0, options: tuple[str, ...] = (), nanny: bool = False, environment: Mapping[str, str] | None = None
) -> Iterator[DaskCluster]:
    """A scheduler and so many workers of a thread each; all end with the block."""
    folder.mkdir(parents=True, exist_ok=True)
    cluster = DaskCluster(folder, options)
    try:
        cluster.start_scheduler()
        for _ in range(workers):
            cluster.start_worker(nanny=nanny, environment=environment)
        yield cluster
    finally:
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
