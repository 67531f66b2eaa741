"""Networks that fail between the coordinator, the scheduler and a machine: for a moment or for ever, told or in silence."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cluster.dask_cluster import DaskCluster, dask_cluster
from tests.cluster.relay import Relay, relay_to
from tests.cluster.test_executor import Specs, Teams, comparable, play
from tests.conftest import DUEL, map_text
from tests.made_specs import made_spec

from tiltyard_cluster import chunks, connection, session
from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import ClusterExecutor, cluster_executor, machine_requirements
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.executor import play_all
from tiltyard_simulator.play.local_matches import play_matches

# Importing it takes a second, and every test process collects this file.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask's distributed is not installed")

DOCS = Path(__file__).resolve().parents[2] / "docs"
LOOP = re.search(r"^while true; do dask worker .*$", (DOCS / "how-to" / "use-many-machines.md").read_text(), re.MULTILINE)
UNIT = DOCS / "examples" / "tiltyard-worker.service"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler, and a worker whose link never fails."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), workers=1) as found:
        yield found


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seconds in place of minutes; and a match a chunk, so that much is left when the link fails."""
    monkeypatch.setattr(chunks, "MOST_MATCHES", 1)
    monkeypatch.setattr(session, "SILENT_SECONDS", 2.0)
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 2.0)
    monkeypatch.setattr(connection, "AGAIN_SECONDS", 0.1)
    monkeypatch.setattr(connection, "TELL_SECONDS", 0.1)


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Teams) -> Specs:
    duel = MapSource("duel", map_text(DUEL, 20, 5).encode())
    names = ("shooter", "idler", "crasher")
    pairs = [(teams[one], teams[two]) for one in names for two in names]
    return [made_spec(game=tanks, manager=reference_manager, map=duel, teams=pair) for pair in pairs * 2]


@contextmanager
def playing_over(address: str, specs: Specs, say: Callable[[str], None], patience: float = 60.0) -> Iterator[ClusterExecutor]:
    references = dict.fromkeys(
        reference for spec in specs for reference in (spec.input.game, spec.input.manager, *spec.input.teams)
    )
    wanted = machine_requirements(list(references), None, {})
    with cluster_executor(address, Tls(), wanted, say, patience) as executor:
        yield executor


@pytest.mark.parametrize("fail", [Relay.cut, Relay.stall], ids=["closed", "silent"])
def test_a_coordinator_that_was_cut_off_goes_on(cluster: DaskCluster, specs: Specs, fail: Callable[[Relay], None]) -> None:
    heard: list[str] = []
    with relay_to(cluster.address) as relay:

        def say(line: str) -> None:
            heard.append(line)
            if "still no scheduler" in line:
                relay.mend()

        with playing_over(relay.address, specs, say) as executor:
            records = play(executor, specs, lambda count: fail(relay) if count == 4 else None)
    assert comparable(records) == comparable(play_matches(specs, 1))
    gone = next(number for number, line in enumerate(heard) if "the Dask scheduler is gone" in line)
    assert heard[gone].endswith("Trying to reach it again for 60 s")
    still = next(number for number, line in enumerate(heard) if "still no scheduler" in line)
    assert gone < still
    assert any("the scheduler is back after" in line for line in heard[still:])
    # The same machine, as if nothing had been.
    assert not any("joins" in line for line in heard)


def test_a_link_that_stays_cut_ends_the_run_and_the_next_one_goes_on(cluster: DaskCluster, specs: Specs) -> None:
    came: dict[int, MatchRecord] = {}

    def go_on(executor: ClusterExecutor, missing: Sequence[MatchSpec], after: Callable[[], None]) -> None:
        with closing(play_all(missing, executor)) as coming:
            for record in coming:
                assert record.outcome.place not in came
                came[record.outcome.place] = record
                after()

    schedule = [spec.at(place) for place, spec in enumerate(specs)]
    with relay_to(cluster.address) as relay:
        gone = r"is gone \(.*\) and did not come back within 0 s\. The matches played so far are saved"
        with playing_over(relay.address, specs, lambda line: None, 0.5) as executor, pytest.raises(UserError, match=gone):
            go_on(executor, schedule, lambda: relay.stall() if len(came) == 4 else None)
        assert 4 <= len(came) < len(specs)
        relay.mend()
        with playing_over(relay.address, specs, lambda line: None) as executor:
            go_on(executor, [spec for spec in schedule if spec.place.number not in came], lambda: None)
    assert comparable([came[place] for place in range(len(specs))]) == comparable(play_matches(specs, 1))


def test_a_machine_comes_back_that_was_cut_off_or_that_the_scheduler_forgot(tmp_path: Path, specs: Specs) -> None:
    """It is the only one, so that nothing is played until then; it is started by the loop of the documentation.

    Where its link is closed, it is gone at once, as when its scheduler ends.
    """
    heard: list[str] = []
    # Not much less: beside other tests a sound machine may be silent for a second, and each time that it is taken for lost counts.
    impatient = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s"}
    with dask_cluster(tmp_path, scheduler=impatient) as cluster, relay_to(cluster.address) as relay:
        cluster.start_worker_loop(loop(relay.address))

        def say(line: str) -> None:
            heard.append(line)
            if "is lost" in line:
                relay.mend()

        with playing_over(cluster.address, specs, say) as executor:
            records = play(executor, specs, lambda count: relay.stall() if count == 4 else None)
            before = len(heard)
            again = play(executor, specs, lambda count: cluster.restart_scheduler() if count == 4 else None)
    assert comparable(records) == comparable(again) == comparable(play_matches(specs, 1))
    assert any("is lost" in line for line in heard[:before])
    assert any("joins" in line for line in heard[:before])
    assert any("the scheduler is back" in line for line in heard[before:])
    assert any("joins" in line for line in heard[before:])


@pytest.fixture
def cable() -> Iterator[tuple[str, str, Callable[[str], None]]]:
    """A namespace with an address of its own, and what pulls its cable out ("down") and puts it back ("up")."""
    name = f"tiltyard{os.getpid() % 100000}"
    if shutil.which("ip") is None or subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode:
        pytest.skip("may not make network namespaces")
    subnet = f"10.{200 + os.getpid() % 50}.{os.getpid() // 50 % 250}"

    def ip(*words: str) -> None:
        subprocess.run(["ip", *words], check=True, capture_output=True)

    end = name[-13:]
    try:
        ip("link", "add", f"v{end}", "type", "veth", "peer", "name", "eth0", "netns", name)
        ip("addr", "add", f"{subnet}.1/24", "dev", f"v{end}")
        ip("link", "set", f"v{end}", "up")
        ip("-n", name, "addr", "add", f"{subnet}.2/24", "dev", "eth0")
        ip("-n", name, "link", "set", "eth0", "up")
        ip("-n", name, "link", "set", "lo", "up")
        yield name, f"{subnet}.2", lambda way: ip("link", "set", f"v{end}", way)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"may not make network devices: {error.stderr!r}")
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def test_a_cable_that_is_pulled_out(cable: tuple[str, str, Callable[[str], None]], tmp_path: Path, specs: Specs) -> None:
    """As the silent relay, but nothing on the way confirms what was sent."""
    namespace, host, set_link = cable
    heard: list[str] = []

    def say(line: str) -> None:
        heard.append(line)
        if "still no scheduler" in line:
            set_link("up")

    inside = dask_cluster(tmp_path, workers=1, wrapper=("ip", "netns", "exec", namespace), host=host)
    with inside as cluster, playing_over(cluster.address, specs, say) as executor:
        records = play(executor, specs, lambda count: set_link("down") if count == 4 else None)
    assert comparable(records) == comparable(play_matches(specs, 1))
    assert any("the scheduler is back after" in line for line in heard)


def loop(address: str) -> str:
    """The documentation's, which waits less."""
    assert LOOP is not None
    line = LOOP[0].replace("tcp://HOST:8786", address)
    assert " sleep 5;" in line
    return line.replace(" sleep 5;", " sleep 0.1;")


def test_the_service_starts_a_worker_as_the_loop_does() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(UNIT)
    assert unit["Service"]["Restart"] == "always"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
    assert LOOP is not None
    words = LOOP[0].split("do dask ")[1].split(";")[0].split()
    assert set(words) <= set(unit["Service"]["ExecStart"].split())
    assert "--death-timeout" in words
