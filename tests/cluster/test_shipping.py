from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_records import made_record

from tiltyard_cluster import shipping
from tiltyard_cluster.contents import plugins_of
from tiltyard_cluster.messages import Bundle, NeededPlugin
from tiltyard_cluster.shipping import Move, Moves, cache_folder, pack, place_of, unpack
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import SeatAccount
from tiltyard_engine.registry import Reference, Registry, Source
from tiltyard_engine.registry.manifests import bare_program
from tiltyard_engine.registry.registry import ALGORITHM
from tiltyard_engine.registry.sources import Origin, path_sources
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.code_digest import code_digest

TEAM = """
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Thunder(TurnAlgorithm):
    def choose(self, position):
        return 1

@hookimpl
def algorithms():
    yield TurnTeam("thunder", "nim", lambda seat: Thunder())
"""
MANIFEST = 'game = "filler"\ncommand = ["./robot", "data.txt"]\n'


@pytest.fixture(autouse=True)
def other_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine whose temporary files lie elsewhere."""
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def make_file(folder: Path) -> Source:
    (folder / "bot.py").write_text(TEAM)
    (source,) = path_sources(folder / "bot.py")
    return source


def make_package(folder: Path) -> Source:
    (folder / "bot" / "maps").mkdir(parents=True)
    (folder / "bot" / "__init__.py").write_text(TEAM)
    (folder / "bot" / "maps" / "known.bin").write_bytes(bytes(range(256)))
    (source,) = path_sources(folder / "bot")
    return source


def make_project(folder: Path) -> Source:
    (folder / "bot" / "src").mkdir(parents=True)
    (folder / "bot" / "src" / "bot.py").write_text(TEAM)
    (folder / "bot" / "pyproject.toml").write_text(
        '[project]\nname = "bot"\nversion = "1"\n[project.entry-points.tiltyard]\nbot = "bot"\n'
    )
    (source,) = path_sources(folder / "bot")
    return source


def make_program(folder: Path) -> Source:
    (folder / "robot").mkdir()
    (folder / "robot" / "robot").write_text("#!/bin/sh\n")
    (folder / "robot" / "robot").chmod(0o755)
    (folder / "robot" / "data.txt").write_text("1 2 3")
    (folder / "robot" / "program.toml").write_text(MANIFEST)
    (source,) = path_sources(folder / "robot")
    return source


def reference_of(source: Source) -> Reference:
    program = None
    if source.origin is Origin.PROGRAM:
        program = Registry.from_paths([Path(source.folder)]).all(ALGORITHM)[0].reference.program
    return Reference(kind=ALGORITHM, name="thunder", game="nim", source=source, program=program)


@pytest.mark.parametrize("make", [make_file, make_package, make_project, make_program])
def test_files_arrive_as_they_are(make: Callable[[Path], Source], tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    source = make(here)
    reference = reference_of(source)
    (plugin,) = plugins_of([reference])
    assert place_of(plugin.digest) == ""
    unpack(pack(plugin))
    shutil.rmtree(here)
    place = place_of(plugin.digest)
    there = Move.of(plugin, place).reference(reference)
    assert there.source != reference.source
    assert code_digest(there.source) == plugin.digest
    if source.origin in (Origin.FILE, Origin.PACKAGE):
        assert there.load().name == "thunder"
    if reference.program is not None:
        assert there.program is not None
        assert os.access(Path(there.program.folder, "robot"), os.X_OK)
        assert there.source.folder == there.program.folder


def test_a_bare_command_brings_its_files_and_not_the_software(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print(1)\n")
    found = bare_program(f"{Path('/usr/bin/env')} python3 {tmp_path / 'bot.py'}", "filler")
    assert found is not None
    source, program = found
    (plugin,) = plugins_of([Reference(kind=ALGORITHM, name="bot", game="filler", source=source, program=program)])
    assert plugin.roots == (str(tmp_path / "bot.py"),)
    unpack(pack(plugin))
    move = Move.of(plugin, place_of(plugin.digest))
    assert code_digest(move.source(source)) == plugin.digest
    moved = move.program(program)
    assert moved.command[:2] == program.command[:2]
    assert Path(moved.command[2]).read_text() == "print(1)\n"


def test_what_was_damaged_is_put_right(tmp_path: Path) -> None:
    source = make_file(tmp_path)
    (plugin,) = plugins_of([reference_of(source)])
    unpack(pack(plugin))
    there = Path(place_of(plugin.digest), "0", "bot.py")
    there.write_text("changed")
    (there.parent / "more.py").write_text("more")
    unpack(pack(plugin))
    assert there.read_text() == TEAM
    assert [path.name for path in there.parent.iterdir()] == ["bot.py"]
    assert [path.name for path in cache_folder().iterdir()] == [plugin.digest]


def test_old_files_are_forgotten(tmp_path: Path) -> None:
    (plugin,) = plugins_of([reference_of(make_file(tmp_path))])
    old = cache_folder() / "old"
    old.mkdir()
    os.utime(old, (0, 0))
    unpack(pack(plugin))
    assert not old.exists()


@pytest.mark.parametrize("name", ["../outside.py", "/outside.py", "0/../../outside.py"])
def test_a_bundle_stays_in_its_folder(name: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not a file name that a bundle may have"):
        unpack(Bundle("d" * 32, ((name, False, b"x"),)))
    assert not list(tmp_path.rglob("outside.py"))


def test_somebody_elses_folder_is_not_used() -> None:
    cache_folder().chmod(0o777)
    with pytest.raises(UserError, match="belongs to another user or is open to others; remove it"):
        cache_folder()


def test_too_much_is_not_sent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (plugin,) = plugins_of([reference_of(make_package(tmp_path))])
    monkeypatch.setattr(shipping, "LARGEST", 100)
    with pytest.raises(UserError, match=r"bot: too large to send to every machine \(more than 0 MiB\)"):
        pack(plugin)


def test_what_is_said_there_names_the_files_of_here() -> None:
    plugin = NeededPlugin(Source(name="bot", origin=Origin.FILE, value="/home/teams/bot.py"), "d", ("/home/teams/bot.py",))
    moves = Moves((plugin,), {"d": "/tmp/cache/d"})
    there = "/tmp/cache/d/0/bot.py"
    fault = Fault(1, Termination.CRASH, f"in {there}", 3, f'File "{there}", line 3')
    account = SeatAccount(held="sandbox", output=f"I am {there}".encode())
    moved = moves.record(made_record(claim=GameResult(0, "", 0, ()), winner=0, ranks=(1, 1), faults=(fault,), accounts=(account,)))
    assert moved.outcome.faults == (replace(fault, message="in /home/teams/bot.py", traceback='File "/home/teams/bot.py", line 3'),)
    assert moved.evidence.accounts[0].output == b"I am /home/teams/bot.py"


def test_a_neighbour_with_a_longer_name_stays_where_it_is() -> None:
    move = Move((("/home/bot", "/tmp/0/bot"),))
    assert [move.path(path) for path in ("/home/bot", "/home/bot/a", "/home/bots/a", "bot")] == [
        "/tmp/0/bot",
        "/tmp/0/bot/a",
        "/home/bots/a",
        "bot",
    ]
