"""Machines that hang: others play what they have, and what they say later is compared."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cluster.dask_cluster import DaskCluster, DaskProcess, dask_cluster
from tests.cluster.test_executor import Specs, Teams, comparable, play, playing_on
from tests.conftest import DUEL, map_text
from tests.end_to_end.background import wait_until
from tests.engine.making import team_source
from tests.made_records import changed
from tests.made_specs import made_spec, spec_with

from tiltyard_cluster import chunks
from tiltyard_cluster.connection import Tls
from tiltyard_cluster.copies import fingerprint
from tiltyard_cluster.executor import ClusterExecutor, machine_requirements, service_executor
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord, SeatAccount
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.local_matches import play_matches

# Importing it takes a second, and every test process collects this file.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask's distributed is not installed")

HERE = "TILTYARD_TEST_OTHER_MACHINE"
TWO_FACED = "import os\n" + team_source(
    "two-faced", action=f"return ActionRequest.DO_NOTHING if {HERE!r} in os.environ else ActionRequest.SHOOT"
)
Hung = Callable[[], DaskProcess]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler and two workers; teams can find out on which one they play."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), workers=1) as found:
        found.start_worker(environment={HERE: "yes"})
        yield found


@contextmanager
def hanging(cluster: DaskCluster) -> Iterator[None]:
    """The second worker stands still."""
    os.kill(cluster.processes[2].pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(cluster.processes[2].pid, signal.SIGCONT)


@pytest.fixture(autouse=True)
def soon_overdue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "OVERDUE_SECONDS", 1.0, raising=False)
    monkeypatch.setattr(chunks, "OVERDUE_UNKNOWN_SECONDS", 1.0, raising=False)


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Teams) -> Specs:
    duel = MapSource("duel", map_text(DUEL, 20, 5).encode())
    names = ("shooter", "idler", "crasher")
    return [
        made_spec(game=tanks, manager=reference_manager, map=duel, teams=(teams[one], teams[two])) for one in names for two in names
    ]


def both_there(executor: ClusterExecutor) -> None:
    wait_until(lambda: list(executor._machines.step()) or len(executor._machines.ready) == 2)


def test_what_a_machine_that_hangs_has_is_played_elsewhere(cluster: DaskCluster, specs: Specs) -> None:
    expected = comparable(play_matches(specs, 1))
    heard: list[str] = []
    with playing_on(cluster, specs, heard) as executor:
        both_there(executor)
        with hanging(cluster):
            assert comparable(play(executor, specs)) == expected
            (hung,) = [machine for machine in executor._machines.ready if machine.doubted and machine.tasks]
            told = [line for line in heard if line.startswith(f"{hung.name} has not answered for ")]
            assert re.search(r" s: it plays \w+ - \w+ on duel", told[0])
            # It is given nothing more, so that nobody waits for it again.
            assert comparable(play(executor, specs)) == expected
            assert [line for line in heard if line.startswith(f"{hung.name} has not answered for ")] == told
        wait_until(lambda: comparable(play(executor, specs)) == expected and any("answers again" in line for line in heard))
        assert not any("differ" in line for line in heard)


def test_results_that_differ_are_told(cluster: DaskCluster, specs: Specs, tmp_path: Path) -> None:
    (tmp_path / "two_faced.py").write_text(TWO_FACED)
    two_faced = Registry.from_paths([tmp_path / "two_faced.py"]).all(ALGORITHM)[0].reference
    schedule = [spec_with(spec, teams=(two_faced, spec.input.teams[1])) for spec in specs[:6]]
    heard: list[str] = []
    with playing_on(cluster, schedule, heard) as executor:
        both_there(executor)
        with hanging(cluster):
            assert comparable(play(executor, schedule)) == comparable(play_matches(schedule, 1))
        wait_until(lambda: play(executor, schedule[:1]) and any("differ" in line for line in heard))
    (line,) = [line for line in heard if "differ" in line]
    assert line.startswith("two-faced - ")
    assert line.count("(tcp://127.0.0.1:") == 2


def test_a_machine_that_hangs_from_the_start_is_not_waited_for(cluster: DaskCluster, specs: Specs) -> None:
    heard: list[str] = []
    with hanging(cluster):
        with playing_on(cluster, specs, heard) as executor:
            assert comparable(play(executor, specs)) == comparable(play_matches(specs, 1))
        assert any("whether it can play; it joins when it has" in line for line in heard)
        assert any("1 machine, 1 match at once" in line for line in heard)


def test_a_service_waits_for_no_machine_that_hangs(cluster: DaskCluster, specs: Specs) -> None:
    heard: list[str] = []
    references = dict.fromkeys(
        reference for spec in specs for reference in (spec.input.game, spec.input.manager, *spec.input.teams)
    )
    requirements = machine_requirements(list(references), None, {})
    with closing(service_executor(cluster.address, Tls(), requirements, heard.append)) as executor:
        results: dict[int, MatchRecord | UserError] = {}
        waiting = [spec.at(place) for place, spec in enumerate(specs)]

        def go_on() -> int:
            for spec, record in executor.poll(0.1):
                assert spec.place.number not in results
                results[spec.place.number] = record
            while waiting and executor.room:
                executor.submit(waiting.pop(0))
            return len(results)

        wait_until(lambda: executor.poll(0.1) or executor.room == 2)
        with hanging(cluster):
            wait_until(lambda: go_on() == len(specs))
            assert sum("has not answered for" in line for line in heard) >= 1
            assert executor.room <= 1
        wait_until(lambda: go_on() and executor.room == 2)
    records = [record for _, record in sorted(results.items()) if isinstance(record, MatchRecord)]
    assert comparable(records) == comparable(play_matches(specs, 1))
    assert not any("differ" in line for line in heard)


def test_what_must_be_the_same_of_two_results(specs: Specs) -> None:
    (record,) = play_matches([spec_with(specs[0], replay=True)], 1)
    slower = changed(record, seconds=9.0, place=7, incidents=("late",))
    assert fingerprint(slower) == fingerprint(record)
    account = SeatAccount(held="inline", output=b"other")
    changes = ({"winner": 2}, {"accounts": (account, account)}, {"replay": None}, {"ranks": (9, 9)})
    assert len({fingerprint(record), *(fingerprint(changed(record, **change)) for change in changes)}) == 5
