"""What Dask spends on a message to a worker and back, beside what tiltyard does with it.

    .venv/bin/python benchmarks/messages.py [MESSAGES]

Starts a scheduler and a worker on this machine, and hands out tasks of a chunk's size as ``tiltyard run --cluster`` does, some at a
time. Prints the CPU milliseconds a message of the coordinator's process, of the scheduler, and of the worker. With matches of a
second, a cluster of a thousand cores would need a thousand messages a second if each had one match.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from measuring import command_line

from tiltyard_cluster import session
from tiltyard_cluster.machine import Machine, Task, TaskKind
from tiltyard_simulator.output.tables import render

MESSAGES: Final = 2_000
AHEAD: Final = 20
"""Messages that are out at a time."""
CHUNK: Final = b"x" * 6_000
PATIENCE: Final = 60.0
TICK: Final = os.sysconf("SC_CLK_TCK")


def cpu_seconds(process: subprocess.Popen[bytes]) -> float:
    """CPU seconds of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


@contextmanager
def dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """One of Dask's commands, running."""
    command = [sys.executable, "-m", "dask", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def measured(messages: int) -> tuple[float, float, float]:
    """Milliseconds a message of the coordinator, the scheduler and the worker."""
    from distributed import Client

    numbers = count()
    # The worker has nothing to do: it returns what it was sent.
    vars(session)["_CALL"] = "data"
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder, "scheduler.json")
        with (
            dask("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(where)) as scheduler,
            dask("worker", "--scheduler-file", str(where), "--nthreads", "8", "--no-nanny", "--no-dashboard") as worker,
        ):
            connect: Any = Client
            client: Any = connect(scheduler_file=str(where), timeout=60)
            client.wait_for_workers(1)
            (address,) = client.nthreads()

            talk = session.Session(client)
            machine = Machine(address=address, threads=8)

            def ask() -> None:
                talk.submit(Task(machine, TaskKind.PLAY), CHUNK, f"play-{next(numbers)}")

            for _ in range(AHEAD):
                ask()
            before = time.process_time(), cpu_seconds(scheduler), cpu_seconds(worker)
            for _ in range(messages):
                talk.next(PATIENCE)
                ask()
            after = time.process_time(), cpu_seconds(scheduler), cpu_seconds(worker)
            for _ in range(AHEAD):
                talk.next(PATIENCE)
            client.close()
    mine, schedulers, workers = (1000 * (end - start) / messages for start, end in zip(before, after, strict=True))
    return mine, schedulers, workers


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("messages", type=int, nargs="?", default=MESSAGES)
    messages = parser.parse_args().messages
    try:
        import distributed  # noqa: F401
    except ImportError:
        parser.error("distributed is not installed; run: pip install 'tiltyard[cluster]'")
    print(f"{messages} messages; CPU milliseconds a message\n")
    print(render(("coordinator", "scheduler", "worker"), [tuple(round(value, 2) for value in measured(messages))]))


if __name__ == "__main__":
    main()
