"""Cells of a team run on the environment that the organiser has made for it, and no other team reads that."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy
import pytest
from tests.engine.environments import make_environment
from tests.engine.making import write
from tests.simulator.guard.conftest import HEAD, open_tanks

from tiltyard_engine.registry import Reference, path_sources
from tiltyard_engine.registry.environments import packages_folder
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_simulator.guard import zygotes
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.wire import ZygoteLostError
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

TEAM = """
import importlib, sys
import shared

def facts():
    def tried(doing):
        try:
            return doing()
        except (ImportError, OSError) as error:
            return type(error).__name__
    raise ValueError((
        shared.VERSION,
        sys.prefix,
        tried(lambda: importlib.import_module("numpy").__name__),
        importlib.import_module("tiltyard_tanks").__name__,
        tried(lambda: open(OTHER).read()),
        tried(lambda: open(RUNNERS).read() and "OPEN"),
    ))

@hookimpl
def algorithms():
    yield team("it", facts)
"""
HELD = [(Level.A, Isolation.SANDBOX), (Level.B, Isolation.SANDBOX), (Level.C, Isolation.PROCESS)]


@pytest.fixture(params=HELD, ids=["A", "B", "process"])
def place(request: pytest.FixtureRequest) -> Iterator[tuple[CellPool, Isolation]]:
    level, isolation = request.param
    best = probe_confinement().level
    if best > level:
        pytest.skip(f"this machine confines at level {best}")
    with CellPool(level=level) as cells:
        yield cells, isolation


def hand_in(path: Path, other: Path, version: int) -> Path:
    """A team's file, with an environment of its own; it also looks at the other's. Returns its environment."""
    write(path, f"OTHER = {str(other)!r}\nRUNNERS = {numpy.__file__!r}\n{TEAM}")
    path.write_text(HEAD + path.read_text(encoding="utf-8"), encoding="utf-8")
    return make_environment(path, {"shared": f"VERSION = {version}\n"})


def reference(path: Path) -> Reference:
    (source,) = path_sources(path)
    return Reference(kind=ALGORITHM, name="it", game="tanks", source=source)


def test_two_versions_play_in_one_match(place: tuple[CellPool, Isolation], tanks: Reference, tmp_path: Path) -> None:
    cells, isolation = place
    one, two = tmp_path / "teams" / "one.py", tmp_path / "teams" / "two.py"
    first = hand_in(one, two, 1)
    second = hand_in(two, packages_folder(first) / "shared.py", 2)
    for _ in range(2):  # the second match gets cells that were made in advance, or by a template
        told = []
        for path in (one, two):
            seat = open_tanks(cells, 1, reference(path), isolation, limits=Limits(), game=tanks)
            tank = seat.create_tank(0)
            tank.get_action()
            tank.get_action()
            told.append(seat.fault.message)
        cells.end_match()
        assert f"(1, '{first}', 'ModuleNotFoundError', 'tiltyard_tanks'," in told[0]
        assert f"(2, '{second}', 'ModuleNotFoundError', 'tiltyard_tanks'," in told[1]
        # Only the kernel keeps a team from reading another one's environment, or the runner's packages.
        assert ("VERSION = 1" in told[1]) == ("OPEN" in told[1]) == (isolation is Isolation.PROCESS)


def test_environments_that_were_used_last_keep_their_processes(
    tanks: Reference, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zygotes, "MOST_ENVIRONMENTS", 1)
    paths = [tmp_path / "teams" / f"team{version}.py" for version in (1, 2)]
    bases = [(Isolation.PROCESS, str(hand_in(path, path, version))) for version, path in enumerate(paths, 1)]
    with CellPool(reserve=0) as cells:
        for order in ((0, 1), (0,)):
            # The first one's cell plays on in the same match, though the second one has taken its zygote's place.
            seats = [open_tanks(cells, 1, reference(paths[team]), Isolation.PROCESS, limits=Limits(), game=tanks) for team in order]
            for team, seat in zip(order, seats, strict=True):
                tank = seat.create_tank(0)
                tank.get_action()
                tank.get_action()
                assert f"({team + 1}, " in seat.fault.message
            assert [base for base in cells._zygotes._current if base[1]] == [bases[order[-1]]]
            cells.end_match()


def test_an_environment_that_is_gone_is_the_machines_fault(tmp_path: Path) -> None:
    team = tmp_path / "teams" / "one.py"
    folder = hand_in(team, team, 1)
    found = reference(team)
    (folder / "lock.txt").unlink()
    with CellPool() as cells, pytest.raises(ZygoteLostError, match="is not on this machine; run 'tiltyard intake' again"):
        open_tanks(cells, 1, found, Isolation.PROCESS, limits=Limits())


def test_what_its_packages_run_at_the_start_of_python_is_not_run(tmp_path: Path) -> None:
    team = tmp_path / "teams" / "one.py"
    folder = hand_in(team, team, 1)
    proof = tmp_path / "proof"
    (packages_folder(folder) / "evil.pth").write_text(f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n")
    (packages_folder(folder) / "sitecustomize.py").write_text(f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n")
    (packages_folder(folder) / "msgspec.py").write_text(f"import pathlib; pathlib.Path({str(proof)!r}).touch()\n")
    (folder / "pyvenv.cfg").write_text(f"home = {tmp_path}\n")
    with CellPool() as cells:
        seat = open_tanks(cells, 1, reference(team), Isolation.PROCESS, limits=Limits())
        seat.create_tank(0).get_action()
        assert seat.fault is None
    assert not proof.exists()


def test_a_trusted_team_is_kept_out_of_the_runners_process(tmp_path: Path) -> None:
    team = tmp_path / "teams" / "one.py"
    hand_in(team, team, 1)
    policy = IsolationPolicy(isolation=Isolation.INLINE)
    (entry,) = open_registry(policy).of_paths([team]).all(ALGORITHM)
    assert policy.of(entry.reference) is Isolation.PROCESS
    assert "shared" not in sys.modules


def test_the_code_digest_has_the_environment_in_it(tmp_path: Path) -> None:
    team = tmp_path / "teams" / "one.py"
    write(team, TEAM)
    (bare,) = path_sources(team)
    digests = [code_digest(bare)]
    for version in (1, 2, 1):
        make_environment(team, {"shared": f"VERSION = {version}\n"})
        (source,) = path_sources(team)
        digests.append(code_digest(source))
    assert len({*digests}) == 3
    assert digests[1] == digests[3]
    assert code_digest(replace(source, environment="")) == digests[0]
