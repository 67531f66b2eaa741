from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest
from tests.engine.environments import make_environment
from tests.engine.making import install, project, unique, write

import tiltyard_acorn
from tiltyard_cluster import remote_worker
from tiltyard_cluster.contents import plugins_of, requirements_of
from tiltyard_cluster.executor import machine_requirements
from tiltyard_cluster.inspection_main import examine
from tiltyard_cluster.messages import ENCODER, REPORTS, MachineRequirements, NeededPlugin
from tiltyard_engine.programs import ProgramTeam
from tiltyard_engine.registry import Reference, Registry, Source, path_sources
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement.probes import VARIABLE, probe_confinement
from tiltyard_simulator.guard.policy import Level


@pytest.fixture(scope="module")
def wanted(
    registry: Registry, tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]
) -> MachineRequirements:
    acorn = registry.find(ALGORITHM, "acorn").reference
    return machine_requirements(
        [tanks, reference_manager, acorn, teams["idler"]], probe_confinement().level, {"TILTYARD_READABLE": "/srv"}
    )


def differences(wanted: MachineRequirements, **changes: object) -> tuple[str, ...]:
    return examine(msgspec.structs.replace(wanted, **changes)).differences


def test_this_machine_is_like_itself(wanted: MachineRequirements) -> None:
    report = REPORTS.decode(remote_worker.examine(ENCODER.encode(wanted)))
    assert (report.differences, report.missing, report.places) == ((), (), {})
    assert wanted.environment == {VARIABLE: wanted.level, "TILTYARD_READABLE": "/srv"}


def test_another_python(wanted: MachineRequirements) -> None:
    (said,) = differences(wanted, python="CPython 3.99")
    assert said.endswith("there, CPython 3.99 here; run its Dask worker with the same Python")


def test_another_tiltyard(wanted: MachineRequirements) -> None:
    host = dict(wanted.host)
    assert {"tiltyard_engine/seats.py", "tiltyard_cluster/remote_worker.py"} < host.keys()
    assert not any(file.startswith("tiltyard_pictures/") for file in host), "they play no part in a match"
    name = "tiltyard_simulator/match/verdict.py"
    host[name] = "0" * 32
    (said,) = differences(wanted, host=host)
    assert said.startswith(f"tiltyard {wanted.version}: {name} differs; install the same version there")
    host["tiltyard_simulator/new.py"] = "0" * 32
    (said,) = differences(wanted, host=host, version="9.9")
    assert f" there, 9.9 here: {name} differs; tiltyard_simulator/new.py is missing there" in said
    for name in list(host)[:9]:
        host[name] = "1"
    assert " more differ" in differences(wanted, host=host)[0]


def test_a_worker_that_was_started_before_a_change(wanted: MachineRequirements, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_worker, "_LOADED", "0" * 32)
    report = REPORTS.decode(remote_worker.examine(ENCODER.encode(wanted)))
    assert report.differences == ("tiltyard was changed there after its Dask worker started; restart the worker",)


def test_a_plugin_that_is_not_installed_or_differs(wanted: MachineRequirements) -> None:
    acorn = next(plugin for plugin in wanted.plugins if plugin.source.distribution == "tiltyard-acorn")
    gone = NeededPlugin(
        Source(name="storm", origin=Origin.INSTALLED, value="storm", distribution="storm", version="2.0"),
        "0" * 32,
        files={"storm.py": "0"},
    )
    other = msgspec.structs.replace(acorn, files={**acorn.files, next(iter(acorn.files)): "0"})
    unlike = msgspec.structs.replace(acorn, files={"tiltyard_acorn.py": "0"})
    assert differences(wanted, plugins=(gone,)) == (
        "storm 2.0 is not installed there; install it into the Dask worker's Python with pip",
    )
    assert " differs; install the same version there" in differences(wanted, plugins=(other,))[0]
    assert "it was installed in a different way, for example with pip install -e" in differences(wanted, plugins=(unlike,))[0]


def test_a_copy_of_an_installed_plugin_that_is_imported_instead(
    wanted: MachineRequirements, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The match workers there import it too: they look for modules in the same folders."""
    installed = Path(str(tiltyard_acorn.__file__)).parent
    copy = shutil.copytree(installed, tmp_path / "tiltyard_acorn")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert REPORTS.decode(remote_worker.examine(ENCODER.encode(wanted))).differences == ()
    with (copy / "tank.py").open("a") as file:
        file.write("# another\n")
    (said,) = REPORTS.decode(remote_worker.examine(ENCODER.encode(wanted))).differences
    assert said.endswith(
        f"tiltyard_acorn/tank.py differs; there, the package tiltyard_acorn is imported from {copy}, not from {installed}"
        " of the installed tiltyard-acorn; use the same files on both"
    )
    (plugin,) = [plugin for plugin in wanted.plugins if plugin.source.distribution == "tiltyard-acorn"]
    changed = msgspec.structs.replace(plugin, files={**plugin.files, next(iter(plugin.files)): "0"}, copies=("it lies elsewhere",))
    assert " differs; here, it lies elsewhere; use the same files on both" in differences(wanted, plugins=(changed,))[0]


def test_another_copy_of_what_a_plugin_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version stands for the files that were installed with it, and for no others."""

    def needs() -> dict[str, str]:
        importlib.invalidate_caches()
        return requirements_of([NeededPlugin(Source(name="t", origin=Origin.INSTALLED, value="t", distribution="walnut"), "")])

    module = write(tmp_path / "site" / f"{unique('hazelnut')}.py", "x = 1\n")
    about = install(tmp_path / "site", "hazelnut", "1.0", {"hazelnut": module.stem}, group="nuts")
    write(about / "RECORD", f"{module.name},,\n{about.name}/RECORD,,\n")
    team = install(tmp_path / "site", "walnut", "1.0", {"walnut": "walnut"})
    with (team / "METADATA").open("a") as file:
        file.write("Requires-Dist: hazelnut\n")
    monkeypatch.syspath_prepend(tmp_path / "site")
    assert needs() == {"hazelnut": "1.0"}
    said: set[str] = set()
    for folder, text in (("one", "x = 2\n"), ("two", "x = 2\n"), ("three", "x = 3\n")):
        write(tmp_path / folder / module.name, text)
        monkeypatch.syspath_prepend(tmp_path / folder)
        said.add(needs()["hazelnut"])
    assert len(said) == 2
    assert all(text.startswith("1.0 with other files (") for text in said)
    write(about / "direct_url.json", f'{{"url": "file://{tmp_path}/project", "dir_info": {{"editable": true}}}}')
    project(tmp_path / "project", "hazelnut", {})
    assert needs()["hazelnut"] not in said


def test_what_plugins_need(wanted: MachineRequirements) -> None:
    assert wanted.requirements.keys() <= {"tiltyard-tanks"}
    (said,) = differences(wanted, requirements={"msgspec": "0.0.1", **wanted.requirements})
    assert said.startswith("msgspec, which a plugin needs, is ")
    assert said.endswith(" there, 0.0.1 here; install the same version")
    team = NeededPlugin(Source(name="t", origin=Origin.INSTALLED, value="t", distribution="distributed", version="1"), "")
    assert {"tornado", "msgpack", "dask"} <= requirements_of([team]).keys()


def test_a_lower_level_of_confinement(wanted: MachineRequirements, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "C")
    (said,) = differences(wanted, level=Level.A.value)
    assert "confinement level A was asked for, but TILTYARD_CONFINEMENT=C allows C at best" in said
    assert "TILTYARD_CONFINEMENT=B tiltyard run" in said
    assert differences(wanted, level="") == ()


def test_a_programs_runtime_is_looked_for(wanted: MachineRequirements, tmp_path: Path) -> None:
    (tmp_path / "program.toml").write_text("")
    source = Source(name="robot", origin=Origin.PROGRAM, value=str(tmp_path / "program.toml"), folder=str(tmp_path))
    program = ProgramTeam(
        name="robot", game="filler", command=("no-such-runtime", "bot"), folder=str(tmp_path), readable=("/opt/no-such-runtime",)
    )
    plugins = plugins_of([Reference(kind=ALGORITHM, name="robot", game="filler", source=source, program=program)])
    assert differences(wanted, plugins=plugins) == (
        "the program 'robot' is run by no-such-runtime, which is missing there; install it",
        "the program 'robot' needs /opt/no-such-runtime, which is missing there; install it",
    )


def test_files_that_are_missing_or_differ_are_asked_for(wanted: MachineRequirements, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("x = 1\n")
    source = Source(name="bot", origin=Origin.FILE, value=str(tmp_path / "bot.py"))
    (plugin,) = plugins_of([Reference(kind=ALGORITHM, name="bot", game="tanks", source=source)])
    assert examine(msgspec.structs.replace(wanted, plugins=(plugin,))).missing == ()
    other = msgspec.structs.replace(plugin, digest="0" * 32)
    assert examine(msgspec.structs.replace(wanted, plugins=(other,))).missing == ("0" * 32,)


def test_an_environment_that_is_missing_there_is_named(wanted: MachineRequirements, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("x = 1\n")
    folder = make_environment(tmp_path / "bot.py", {"shared": ""})
    (source,) = path_sources(tmp_path / "bot.py")
    plugins = plugins_of([Reference(kind=ALGORITHM, name="bot", game="tanks", source=source)])
    assert differences(wanted, plugins=plugins) == ()
    (folder / "lock.txt").unlink()
    (said,) = differences(wanted, plugins=plugins)
    assert said.startswith(f"the team {tmp_path}/bot.py: its environment {folder} is not on this machine; run 'tiltyard intake'")


def test_a_machine_that_may_not_start_processes(wanted: MachineRequirements, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    (said,) = REPORTS.decode(remote_worker.examine(ENCODER.encode(wanted))).differences
    assert said.startswith("its Dask worker may not start processes (No such file or directory), but matches need them")
    assert "DASK_DISTRIBUTED__WORKER__DAEMON=False" in said
