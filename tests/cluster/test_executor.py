from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.cluster.dask_cluster import DaskCluster, DaskProcess, dask_cluster, other_version
from tests.conftest import DUEL, map_text
from tests.end_to_end.background import wait_until
from tests.engine.making import team_source
from tests.made_records import changed
from tests.made_specs import made_spec, spec_with

from tiltyard_cluster import chunks
from tiltyard_cluster import executor as executor_module
from tiltyard_cluster.connection import Tls
from tiltyard_cluster.executor import ClusterExecutor, cluster_executor, machine_requirements, service_executor
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.results import Termination
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.executor import play_all
from tiltyard_simulator.play.local_matches import play_matches

# Importing it takes a second, and every test process collects this file.
pytestmark = pytest.mark.skipif(find_spec("distributed") is None, reason="Dask's distributed is not installed")

Teams = Mapping[str, Reference]
Specs = list[MatchSpec]

KILLER = "import os, signal\n" + team_source(
    "killer", action="os.kill(os.getppid(), signal.SIGKILL)\nreturn ActionRequest.DO_NOTHING"
)
RAISER = team_source("raiser", action="raise ValueError(__file__)")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A scheduler and two workers, which no test may harm; that of a nanny is a daemon in the eyes of multiprocessing."""
    with dask_cluster(tmp_path_factory.mktemp("cluster"), workers=1) as found:
        found.start_worker(nanny=True)
        yield found


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """One without workers."""
    with dask_cluster(tmp_path_factory.mktemp("scheduler")) as found:
        yield found


@contextmanager
def workers_of(
    cluster: DaskCluster, *environments: Mapping[str, str], wrapper: tuple[str, ...] = ()
) -> Iterator[list[DaskProcess]]:
    """A worker for each environment, for a while."""
    workers = [cluster.start_worker(wrapper, environment=environment) for environment in environments]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


@pytest.fixture
def specs(tanks: Reference, reference_manager: Reference, teams: Teams) -> Specs:
    names = ("shooter", "idler", "crasher")
    return [
        made_spec(
            game=tanks,
            manager=reference_manager,
            map=MapSource(f"duel{steps}", map_text(DUEL, steps, 5).encode()),
            teams=(teams[one], teams[two]),
        )
        for steps in (5, 50)
        for one in names
        for two in names
    ]


def comparable(outcomes: list[MatchRecord]) -> list[tuple[MatchRecord, tuple[str, ...], tuple[bytes, ...]]]:
    """Without places, times, memory and what a busy machine did, which differ from one time to the next on one machine too."""
    return [
        (
            changed(record, place=0, seconds=0.0, accounts=(), incidents=()),
            record.outcome.held,
            tuple(account.output for account in record.evidence.accounts),
        )
        for record in outcomes
    ]


@contextmanager
def playing_on(cluster: DaskCluster, specs: Specs, heard: list[str] | None = None) -> Iterator[ClusterExecutor]:
    references = dict.fromkeys(
        reference for spec in specs for reference in (spec.input.game, spec.input.manager, *spec.input.teams)
    )
    level = probe_confinement().level if any(Isolation.SANDBOX in spec.holding.isolations for spec in specs) else None
    said = [] if heard is None else heard
    with cluster_executor(cluster.address, Tls(), machine_requirements(list(references), level, {}), said.append) as executor:
        yield executor


def play(executor: ClusterExecutor, specs: Specs, after: Callable[[int], None] | None = None) -> list[MatchRecord]:
    """Records in the order of the schedule; ``after`` is told how many there are, as each comes."""
    records: dict[int, MatchRecord] = {}
    with closing(play_all((spec.at(place) for place, spec in enumerate(specs)), executor)) as coming:
        for record in coming:
            assert record.outcome.place not in records
            records[record.outcome.place] = record
            if after is not None:
                after(len(records))
    return [records[place] for place in range(len(specs))]


def test_it_says_how_many_matches_are_played_at_once(cluster: DaskCluster, specs: Specs) -> None:
    heard: list[str] = []
    with playing_on(cluster, specs, heard) as executor:
        play(executor, specs[:1])
    assert [line.split(": ", 1)[1] for line in heard if "at once" in line] in (
        ["1 machine, 2 matches at once"],
        ["1 machine, 1 match at once"],
    )


def test_what_kills_its_machine_again_and_again_is_void(
    scheduler: DaskCluster, tmp_path: Path, specs: Specs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second machine has it for itself; the third one plays what is left."""
    monkeypatch.setattr(chunks, "SUSPECT_LOSSES", 1)
    monkeypatch.setattr(executor_module, "MOST_LOST", 2)
    (tmp_path / "killer.py").write_text(KILLER)
    killer = Registry.from_paths([tmp_path / "killer.py"]).all(ALGORITHM)[0].reference
    schedule = [*specs[:3], spec_with(specs[0], teams=(specs[0].input.teams[0], killer)), *specs[3:]]
    with workers_of(scheduler, {}, {}, {}), playing_on(scheduler, schedule) as executor:
        outcomes = play(executor, schedule)
    lost = outcomes.pop(3)
    assert lost.outcome.manager_fault is not None
    assert lost.outcome.manager_fault.termination is Termination.VOID
    assert lost.outcome.manager_fault.message.startswith("given up after 2 attempts: its machine was lost: ")
    assert len(lost.outcome.incidents) == 2
    assert comparable(outcomes) == comparable(play_matches(specs, 1))


def test_a_machine_that_differs_is_refused_by_name(cluster: DaskCluster, tmp_path: Path, specs: Specs, registry: Registry) -> None:
    """One has an older team, the other one no tiltyard at all; the others play."""
    acorn = registry.find(ALGORITHM, "acorn").reference
    schedule = [spec_with(spec, teams=(acorn, spec.input.teams[1])) for spec in specs]
    older = other_version(tmp_path / "older", "tiltyard-acorn", "0.0.9")
    (tmp_path / "hiding").mkdir()
    (tmp_path / "hiding" / "sitecustomize.py").write_text("import sys\nsys.modules['tiltyard_simulator'] = None\n")
    heard: list[str] = []
    elsewhere = ({"PYTHONPATH": str(path)} for path in (older, tmp_path / "hiding"))
    with workers_of(cluster, *elsewhere) as workers:
        with playing_on(cluster, schedule, heard) as executor:
            old = f"can't take part: tiltyard-acorn is 0.0.9 there, {acorn.source.version} here; install the same version"
            none = "can't take part: tiltyard can't be imported there"
            wait_until(lambda: list(executor._machines.step()) or (old in " ".join(heard) and none in " ".join(heard)))
            assert comparable(play(executor, schedule)) == comparable(play_matches(schedule, 1))
        (line,) = [line for text in heard for line in text.splitlines() if old in line]
        assert line.startswith(f"{os.uname().nodename} (tcp://127.0.0.1:")
        (line,) = [line for text in heard for line in text.splitlines() if none in line]
        assert line.startswith("tcp://127.0.0.1:")
        assert all(worker.poll() is None for worker in workers)


def test_where_all_machines_differ_nothing_is_played(
    scheduler: DaskCluster, tmp_path: Path, specs: Specs, registry: Registry
) -> None:
    acorn = registry.find(ALGORITHM, "acorn").reference
    schedule = [spec_with(spec, teams=(acorn, acorn)) for spec in specs]
    changed = other_version(tmp_path / "changed", "tiltyard-acorn", acorn.source.version, {"tiltyard_acorn/__init__.py": "x = 1\n"})
    with (
        workers_of(scheduler, {"PYTHONPATH": str(changed)}),
        pytest.raises(UserError, match=r"no machine can take part\n.*: tiltyard-acorn .*; install the same version there"),
        playing_on(scheduler, schedule),
    ):
        pass


def test_waiting_for_machines_is_said(tmp_path: Path, specs: Specs) -> None:
    heard: list[str] = []
    with dask_cluster(tmp_path) as cluster:

        def say(line: str) -> None:
            heard.append(line)
            if "waiting for machines" in line:
                cluster.start_worker()

        references = [specs[0].input.game, specs[0].input.manager, *specs[0].input.teams]
        with cluster_executor(cluster.address, Tls(), machine_requirements(references, None, {}), say, 0.0) as executor:
            assert comparable(play(executor, specs[:1])) == comparable(play_matches(specs[:1], 1))
            assert (
                heard[0]
                == f"{cluster.address}: there is no machine; waiting for machines. Start one with: dask worker {cluster.address}"
            )
            # Nothing is waited for where nothing is left to play.
            cluster.processes[-1].kill()
            wait_until(lambda: list(executor._machines.step()) and not executor._machines.ready)
            assert play(executor, []) == []
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            gone = r"the Dask scheduler is gone \(.*\) and did not come back within 0 s\. The matches played so far are saved\."
            with pytest.raises(UserError, match=gone):
                play(executor, specs)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="hides a folder from a worker with bubblewrap")
def test_teams_files_are_sent_along(scheduler: DaskCluster, tmp_path: Path, specs: Specs) -> None:
    folder = tmp_path / "teams"
    folder.mkdir()
    (folder / "raiser.py").write_text(RAISER)
    raiser = Registry.from_paths([folder]).all(ALGORITHM)[0].reference
    hiding = ("bwrap", "--dev-bind", "/", "/", "--tmpfs", str(folder), "--die-with-parent")
    if subprocess.run([*hiding, "true"], check=False, capture_output=True).returncode:
        pytest.skip("bubblewrap does not work here")
    # Each of the other teams once, and both maps.
    some = [specs[0], specs[4], specs[17]]
    schedule = [spec_with(spec, teams=(spec.input.teams[0], raiser), isolations=(Isolation.PROCESS,) * 2) for spec in some]
    with workers_of(scheduler, {"TMPDIR": str(tmp_path)}, wrapper=hiding) as workers:
        with playing_on(scheduler, schedule) as executor:
            outcomes = play(executor, schedule)
        (kept,) = tmp_path.glob("tiltyard-cluster-*/*/0/raiser.py")
        assert kept.read_text() == RAISER
        shutil.rmtree(kept.parents[1])
        teams_that_come_later(scheduler, specs, schedule, folder, workers[0])
    expected = comparable(play_matches(schedule, 1))
    assert comparable(outcomes) == expected
    assert str(folder / "raiser.py") in outcomes[0].outcome.faults[-1].message


def teams_that_come_later(scheduler: DaskCluster, specs: Specs, schedule: Specs, folder: Path, worker: DaskProcess) -> None:
    """The same matches for a service: nobody knew of that team, and its files are sent along."""
    references = dict.fromkeys(
        reference for spec in specs for reference in (spec.input.game, spec.input.manager, *spec.input.teams)
    )
    heard: list[str] = []
    requirements = machine_requirements(list(references), None, {})
    with closing(service_executor(scheduler.address, Tls(), requirements, heard.append)) as executor:
        executor.begin()
        assert executor.room == 0
        wait_until(lambda: executor.poll(0.1) == [] and executor.room == 1)
        assert "joins" in heard[0]
        results: dict[int, MatchRecord | UserError] = {}

        def hear() -> int:
            results.update({spec.place.number: result for spec, result in executor.poll(0.1)})
            return len(results)

        for place, spec in enumerate(schedule[:3]):
            wait_until(lambda: hear() >= 0 and executor.room)
            executor.submit(spec.at(place))
        wait_until(lambda: hear() == 3)
        records = [changed(record, incidents=()) for _, record in sorted(results.items()) if isinstance(record, MatchRecord)]
        assert comparable(records) == comparable(play_matches(schedule[:3], 1))
        (cache,) = folder.parent.glob("tiltyard-cluster-*")
        # A team that a machine can't play is the end of no other team.
        (folder / "later.py").write_text(RAISER.replace("raiser", "later"))
        later = Registry.from_paths([folder / "later.py"]).all(ALGORITHM)[0].reference
        cache.chmod(0o777)
        executor.submit(spec_with(schedule[0], teams=(schedule[0].input.teams[0], later), number=3))
        executor.submit(specs[0].at(4))
        wait_until(lambda: hear() == 5)
        cache.chmod(0o700)
        assert isinstance(results[4], MatchRecord)
        assert isinstance(refusal := results[3], UserError)
        assert "no machine can play it" in str(refusal)
        # What a machine that is lost was playing waits for another one.
        executor.submit(specs[0].at(5))
        worker.kill()
        wait_until(lambda: hear() == 5 and any("is lost" in line for line in heard))
        assert executor.is_busy


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="makes certificates with openssl")
def test_tls(tmp_path: Path, specs: Specs) -> None:
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    openssl(tmp_path, "req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=lab", "-days", "1")
    openssl(tmp_path, "req", *key, "-keyout", "key.pem", "-out", "cert.csr", "-subj", "/CN=machine")
    openssl(
        tmp_path,
        "x509",
        "-req",
        "-in",
        "cert.csr",
        "-CA",
        "ca.pem",
        "-CAkey",
        "ca.key",
        "-set_serial",
        "1",
        "-out",
        "cert.pem",
        "-days",
        "1",
    )
    ca, cert, private = (tmp_path / name for name in ("ca.pem", "cert.pem", "key.pem"))
    options = ("--protocol", "tls", "--tls-ca-file", str(ca), "--tls-cert", str(cert), "--tls-key", str(private))
    with dask_cluster(tmp_path / "cluster", workers=1, options=options) as cluster:
        assert cluster.address.startswith("tls://")
        wanted = machine_requirements([specs[0].input.game, specs[0].input.manager, *specs[0].input.teams], None, {})
        with cluster_executor(cluster.address, Tls(ca, cert, private), wanted, lambda line: None) as executor:
            assert comparable(play(executor, specs[:1])) == comparable(play_matches(specs[:1], 1))
