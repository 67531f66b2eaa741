"""Games on a cluster whose scheduler dies and comes back."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from tests.cluster.conftest import forgotten_connections  # noqa: F401 -- a fixture of all tests here
from tests.league.made_league import IDLE, enter, make_league, play
from tests.ports import free_port

from tiltyard_cluster.connection import Tls
from tiltyard_league.rating.standing import read_standing
from tiltyard_league.service import cluster_games
from tiltyard_league.service.main import Service

# Importing it takes a second, and every test process collects this file.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask's distributed is not installed")

PATIENCE = 120.0
# Scheduler and worker in one process, to pay for Dask's import once.
CLUSTER = """
import sys
from distributed import LocalCluster
with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, protocol="tcp", host="127.0.0.1",
                  scheduler_port=int(sys.argv[1]), dashboard_address=None):
    sys.stdin.read()
"""


@contextmanager
def a_cluster(folder: Path, port: int) -> Iterator[None]:
    """A cluster of one machine, which is killed at the end of the block."""
    with (folder / "dask.log").open("ab") as log:
        words = [sys.executable, "-c", CLUSTER, str(port)]
        process = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()
        assert process.stdin is not None
        process.stdin.close()


def test_a_scheduler_that_dies_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_games, "AGAIN_SECONDS", 0.2)
    league = make_league(tmp_path / "course", maps=1)
    enter(league, "Red", IDLE)
    events: list[str] = []
    port = free_port()

    def emit(event: str, **fields: Any) -> None:
        events.append(event)

    games = cluster_games.cluster_games(league, f"tcp://127.0.0.1:{port}", Tls(), emit)
    with closing(games), closing(Service(league, games, 0)) as service:
        service.begin()

        def step_until(true: Callable[[], Any]) -> None:
            end = time.monotonic() + PATIENCE
            while not true():
                assert time.monotonic() < end, (events, (tmp_path / "dask.log").read_text())
                service.step(0.1)

        with a_cluster(tmp_path, port):
            step_until(lambda: service.games.totals()[0] >= 2)
            # One is on its way when all is killed.
            step_until(lambda: games.room)
            service.playing.fill(service.fit, 1)
            assert service.playing.in_flight
        step_until(lambda: "cluster lost" in events)
        assert games.room == 0
        with a_cluster(tmp_path, port):
            step_until(lambda: service.games.totals()[0] == 3 * 2 and not service.playing.in_flight)
        service.refit()
    assert events.count("cluster found") == 2
    # As if one machine had played.
    alone = make_league(tmp_path / "alone", maps=1)
    enter(alone, "Red", IDLE)
    play(alone)
    here, there = (read_standing(tmp_path / name) for name in ("course", "alone"))
    assert here.lines == there.lines
