"""A tournament on a Dask cluster comes out as on one machine, also when a machine is lost and when it is stopped."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cluster.dask_cluster import DaskCluster, dask_cluster
from tests.conftest import RunCommand, WriteMap
from tests.end_to_end.background import PATIENCE, Start, commands_in, wait_until

from tiltyard_tournaments.store import Store

# Importing it takes a second, and every test process collects this file.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask's distributed is not installed")

CUP = """
title: Cup of machines
game: tanks
teams: [thunder.py, acorn, bramble]
maps: [maps/]
games: GAMES
quarantine: 0
"""
MAPS = ("m", "n")
GAMES = 24
"""On these maps, with two games in each seat."""
TEAM = """
import time
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.rounds = 0
    def get_action(self):
        self.rounds += 1
        time.sleep(0.03)
        if self.rounds == 9:
            raise ValueError(f"tired in {__file__}")
        return ActionRequest.SHOOT
    def update_battle_info(self, info):
        pass

class Commander(Player):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

@hookimpl
def algorithms():
    yield TankTeam("thunder", Commander, Tank)
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler and two workers; a test that kills one starts another."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), workers=2) as found:
        # Whoever comes when most matches have been played would be lost before it plays.
        wait_until(lambda: found.logs().count("Registered to") == 2)
        yield found


@pytest.fixture
def cup(tmp_path: Path, write_map: WriteMap) -> Callable[..., None]:
    """``cup("cup.yaml", games=)`` writes a tournament with a stranger's team, which is sent to the machines and plays inline.

    It sleeps, so that matches are still to be played when something happens, and computes little.
    """

    def write(name: str, games: int, more: str = "isolation: inline\n") -> None:
        (tmp_path / "thunder.py").write_text(TEAM)
        for name_of_map in MAPS:
            write_map(f"maps/{name_of_map}.txt", steps=30)
        (tmp_path / name).write_text(CUP.replace("GAMES", str(games)) + more)

    return write


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """``start("run", "cup.yaml")`` starts ``tiltyard`` in ``tmp_path``."""
    with commands_in(tmp_path) as run:
        yield partial(run, "tiltyard")


def contents(folder: Path) -> dict[str, tuple[object, ...]]:
    """All that is stored of each match but what differs from one time to the next: times, memory, and what the machine did."""
    found: dict[str, tuple[object, ...]] = {}
    with Store(folder, writable=False) as store:
        for match in store.matches():
            record = match.record
            printed = [account.output for account in record.evidence.accounts]
            played = (
                record.evidence.claim,
                record.outcome.winner,
                record.outcome.ranks,
                record.outcome.faults,
                record.outcome.held,
                printed,
            )
            found[match.key] = (match.spec, *played, store.replay(match.key))
    return found


def test_a_lost_machine_changes_nothing(
    cluster: DaskCluster, cup: Callable[..., None], start: Start, run_command: RunCommand, tmp_path: Path
) -> None:
    for name in ("cup.yaml", "local.yaml"):
        cup(name, games=1, more="")
    process = start("run", "cup.yaml", "--cluster", cluster.address, "--json")
    assert process.stdout is not None
    finished = 0
    lines: list[str] = []
    for line in process.stdout:
        lines.append(line)
        finished += '"match finished"' in line
        if finished == 4 and len(cluster.processes) == 3:
            cluster.processes[1].kill()
            cluster.start_worker()
    assert process.wait(PATIENCE) == 0
    assert sum('"notice"' in line and "is lost; its matches are played on other machines" in line for line in lines) == 1
    assert run_command("tiltyard", "run", "local.yaml", "--workers", "1").returncode == 0
    for table in ("standings", "games"):
        shown = [run_command("tiltyard", "standings", name, "-t", table).stdout for name in ("cup.yaml", "local.yaml")]
        assert shown[0] == shown[1] != ""
    assert contents(tmp_path / "cup") == contents(tmp_path / "local")
    with Store(tmp_path / "cup", writable=False) as store:
        incidents = store.incidents()
    assert {what.split(": ")[0] for _, _, what in incidents} <= {"its machine was lost"}
    assert len(incidents) < 20


def test_a_stopped_run_goes_on(cluster: DaskCluster, cup: Callable[..., None], start: Start, run_command: RunCommand) -> None:
    cup("cup.yaml", games=2)
    process = start("run", "cup.yaml", "--cluster", cluster.address, "--json")
    assert process.stdout is not None
    before = 0
    for line in process.stdout:
        before += '"match finished"' in line
        if before == 6:
            break
    process.send_signal(signal.SIGINT)
    rest = process.stdout.read()
    assert process.stderr is not None
    said = process.stderr.read()
    assert process.wait(PATIENCE) == 130
    assert "Traceback" not in said
    kept = before + rest.count('"match finished"')
    assert f"stopped; {kept} games are saved in cup; run the same command to resume" in said
    again = run_command("tiltyard", "run", "cup.yaml", "--cluster", cluster.address, "--json")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count('"played":true') == GAMES - kept


def test_what_was_played_before_the_scheduler_went_is_not_played_again(
    cup: Callable[..., None], start: Start, run_command: RunCommand, tmp_path: Path
) -> None:
    for name in ("cup.yaml", "local.yaml"):
        cup(name, games=2)
    with dask_cluster(tmp_path / "dask", workers=1) as cluster:
        process = start("run", "cup.yaml", "--cluster", cluster.address, "--cluster-patience", "0", "--json")
        assert process.stdout is not None
        before = 0
        for line in process.stdout:
            before += '"match finished"' in line
            if before == 6:
                break
        cluster.scheduler.kill()
        kept = before + process.stdout.read().count('"match finished"')
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(PATIENCE) == 2, said
        assert "did not come back within 0 s. The matches played so far are saved." in said
        assert "Traceback" not in said
        cluster.restart_scheduler()
        cluster.start_worker()
        again = run_command("tiltyard", "run", "cup.yaml", "--cluster", cluster.address, "--json")
    assert again.returncode == 0, again.stderr
    assert again.stdout.count('"played":true') == GAMES - kept
    assert run_command("tiltyard", "run", "local.yaml", "--workers", "1").returncode == 0
    assert contents(tmp_path / "cup") == contents(tmp_path / "local")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--cluster", "tcp://127.0.0.1:9", "--workers", "2"], "--workers applies to this machine only"),
        (["--cluster", "lab"], "--cluster lab: expected the address that 'dask scheduler' prints, such as tcp://HOST:8786"),
        (["--cluster", "tls://lab:8786"], "a tls:// cluster needs --cluster-tls-ca, --cluster-tls-cert and --cluster-tls-key"),
        (["--cluster-patience", "5"], "--cluster-patience also needs --cluster tcp://HOST:8786"),
        (["--cluster-tls-ca", "ca.pem"], "--cluster-tls-ca also needs --cluster tls://HOST:8786"),
    ],
)
def test_mistakes_are_one_line(cup: Callable[..., None], run_command: RunCommand, words: list[str], said: str) -> None:
    cup("cup.yaml", games=1)
    done = run_command("tiltyard", "run", "cup.yaml", *words)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"error: {said}")
    assert "Traceback" not in done.stderr


STAGES = """
stages:
  - {name: groups, maps: [maps/m.txt]}
  - {name: finals, format: knockout, maps: [maps/n.txt], teams: {from: groups, top: 2}}
"""


def test_stages_are_played_one_after_the_other(
    cluster: DaskCluster, cup: Callable[..., None], run_command: RunCommand, tmp_path: Path
) -> None:
    """A stranger's team comes from one stage into the next, and is sent to the machines for both."""
    cup("cup.yaml", games=1)
    for name in ("cup.yaml", "local.yaml"):
        (tmp_path / name).write_text(
            CUP.replace("GAMES", "1").replace("bramble]", "{team: thunder.py, name: other}]") + "isolation: inline\n" + STAGES
        )
    done = run_command("tiltyard", "run", "cup.yaml", "--cluster", cluster.address)
    assert done.returncode == 0, done.stderr
    assert run_command("tiltyard", "run", "local.yaml", "--workers", "1").returncode == 0
    shown = [run_command("tiltyard", "standings", name, "--format", "csv").stdout for name in ("cup.yaml", "local.yaml")]
    assert shown[0] == shown[1] != ""
    for stage in ("groups", "finals"):
        assert contents(tmp_path / "cup" / stage) == contents(tmp_path / "local" / stage) != {}
