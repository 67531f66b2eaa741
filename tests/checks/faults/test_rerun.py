from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import DUEL, map_text
from tests.engine.making import unique, write
from tests.made_records import made_record
from tests.made_specs import made_spec, spec_with

from tiltyard_checks.faults.fault_folders import write_fault_folder
from tiltyard_checks.faults.fault_reading import read_fault_folder
from tiltyard_checks.faults.rerun import check_trust, play_again
from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Source, Trust
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement import probes
from tiltyard_simulator.guard.policy import Confinement, Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

SOURCE = MapSource("duel", map_text(DUEL, 20, 5).encode())
INLINE, PROCESS, SANDBOX = Isolation.INLINE, Isolation.PROCESS, Isolation.SANDBOX


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(
        game=tanks,
        manager=reference_manager,
        map=SOURCE,
        teams=(teams["crasher"], teams["idler"]),
        isolations=(PROCESS, PROCESS),
    )


def test_the_same_match(spec: MatchSpec) -> None:
    record = play_again(spec, IsolationPolicy(PROCESS))
    assert [(fault.seat, fault.round) for fault in record.outcome.faults] == [(1, 3)]
    assert record.outcome.held == ("process", "process")


@pytest.mark.parametrize("isolations", [(INLINE, PROCESS), ()])
def test_a_folder_cannot_have_a_strangers_code_run_here(spec: MatchSpec, isolations: tuple[Isolation, ...]) -> None:
    doctored = spec_with(spec, isolations=isolations)
    path = spec.input.teams[0].source.value
    with pytest.raises(UserError, match=f"the algorithm 'crasher' ran in-process .* use --trust \\S*{Path(path).name}"):
        play_again(doctored, IsolationPolicy())
    check_trust(spec_with(doctored, teams=(spec.input.teams[0],)), IsolationPolicy(trust=Trust.of([path])))
    check_trust(doctored, IsolationPolicy(INLINE))


def test_nor_a_strangers_manager(spec: MatchSpec, managers: Mapping[str, Reference]) -> None:
    doctored = spec_with(spec, manager=managers["late-crash"], isolations=(SANDBOX, SANDBOX))
    path = doctored.input.manager.source.value
    with pytest.raises(UserError, match=f"the game manager 'late-crash' ran in-process .* use --trust \\S*{Path(path).name}"):
        play_again(doctored, IsolationPolicy())
    check_trust(doctored, IsolationPolicy(trust=Trust.of([path])))
    check_trust(spec_with(doctored, manager_isolation=PROCESS), IsolationPolicy(PROCESS))


def test_nor_a_strangers_game(spec: MatchSpec, nim: Mapping[str, Reference]) -> None:
    with pytest.raises(UserError, match="the game 'nim' ran in-process"):
        check_trust(spec_with(spec, game=nim["nim"]), IsolationPolicy())


def test_a_machine_that_cannot_confine(spec: MatchSpec, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "probe_confinement", lambda: Confinement(Level.C, (), ("get a kernel",)))
    sandboxed = spec_with(spec, isolations=(SANDBOX, SANDBOX))
    with pytest.raises(UserError, match="this machine can't confine code from outside"):
        check_trust(sandboxed, IsolationPolicy())
    check_trust(sandboxed, IsolationPolicy(unconfined=True))
    with pytest.raises(UserError, match="this machine can't confine code from outside"):
        check_trust(spec_with(spec, manager_isolation=SANDBOX), IsolationPolicy(PROCESS))
    check_trust(spec, IsolationPolicy(PROCESS))


def test_a_folder_cannot_have_a_strangers_code_run_without_a_sandbox(spec: MatchSpec) -> None:
    path = spec.input.teams[0].source.value
    words = (
        f"'crasher' ran without a sandbox in this match; .* set TILTYARD_ISOLATION=process, or use --trust \\S*{Path(path).name}"
    )
    with pytest.raises(UserError, match=words):
        play_again(spec, IsolationPolicy())
    check_trust(spec_with(spec, teams=(spec.input.teams[0],) * 2), IsolationPolicy(trust=Trust.of([path])))


@pytest.mark.parametrize("isolations", [(INLINE, SANDBOX), (PROCESS, SANDBOX)])
def test_nor_a_strangers_program(spec: MatchSpec, tmp_path: Path, isolations: tuple[Isolation, ...]) -> None:
    command = ProgramTeam(name="program", game="tanks", command=("./harmful",), folder=str(tmp_path))
    source = Source(name="program", origin=Origin.PROGRAM, value=str(tmp_path / "program.toml"), folder=str(tmp_path))
    program = Reference(kind="algorithm", name="program", game="tanks", source=source, program=command)
    doctored = spec_with(spec, teams=(program, spec.input.teams[1]), isolations=isolations)
    # Its command is the folder's, whatever the manifest says.
    for policy in (IsolationPolicy(), IsolationPolicy(trust=Trust.of([str(tmp_path)]))):
        with pytest.raises(UserError, match=r"'program' ran without a sandbox in this match; .* TILTYARD_ISOLATION=process$"):
            check_trust(doctored, policy)


def test_nor_a_strangers_compiled_files(spec: MatchSpec, tmp_path: Path) -> None:
    compiled = replace(spec.input.teams[0], source=Source(name="x", origin=Origin.LIBRARY, value=str(tmp_path / "x.so")))
    for native in (True, False):
        doctored = spec_with(spec, manager=compiled if native else spec.input.manager, teams=(compiled,) * 2, isolations=())
        assert doctored.plays_natively is native
        with pytest.raises(UserError, match=r"'crasher' ran (in-process|without a sandbox) in this match"):
            check_trust(doctored, IsolationPolicy())


FOREIGN = """
import pathlib
pathlib.Path(__file__).with_suffix(".ran").touch()
LOADER = None
"""


@pytest.mark.parametrize(("origin", "needs"), [(Origin.FILE, ("/nowhere/harmful.so",)), (Origin.LIBRARY, ())])
def test_a_folder_cannot_name_a_loader(
    spec: MatchSpec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, origin: Origin, needs: tuple[str, ...]
) -> None:
    """Loaders run in this process and in the zygote, before anything is confined."""
    foreign = unique("foreign_loader")
    write(tmp_path / "site" / f"{foreign}.py", FOREIGN)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    file = spec.input.teams[0].source.value if origin is Origin.FILE else str(write(tmp_path / "x.so", "no library"))
    source = Source(name="crasher", origin=origin, value=file, loader=f"{foreign}:LOADER", needs=needs)
    doctored = spec_with(
        spec, teams=(replace(spec.input.teams[0], source=source), spec.input.teams[1]), isolations=(SANDBOX, SANDBOX)
    )
    write_fault_folder(tmp_path / "fault", doctored, made_record(winner=0, ranks=(1, 1)))
    read = read_fault_folder(tmp_path / "fault").spec
    play_again(read, IsolationPolicy(unconfined=True))
    assert foreign not in read.input.teams[0].source.loader
    assert list((tmp_path / "site").glob("*.ran")) == []
