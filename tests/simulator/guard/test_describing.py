"""Strangers' plugins tell what they contribute from within cells; nothing that they do there is felt here."""

from __future__ import annotations

import ast
import os
import socket
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.engine.making import install, project, team_source, unique, write

import tiltyard_simulator
import tiltyard_tournaments
from tiltyard_engine.registry import Registry, Row, Selection, Trust, loading
from tiltyard_engine.registry.registry import ALGORITHM, FORMAT, GAME, MANAGER, MAP, OBSERVER, PUBLISHER
from tiltyard_simulator.guard import readable_paths
from tiltyard_simulator.guard.confinement import Level, probe_confinement
from tiltyard_simulator.guard.describing import GuardedLoader, open_registry
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.guard.limits import LimitChanges
from tiltyard_simulator.guard.trust import Holding

LIMITS = LimitChanges({"startup_seconds": 0.5, "memory_bytes": 96 << 20})
HERE = "import os, sys\nassert 'pytest' not in sys.modules, 'imported by the runner'\n"
"""A plugin that begins so notices where it is imported."""

MAPS = "from tiltyard_engine import *\n@hookimpl\ndef maps():\n    "
FORGES = """
from tiltyard_engine.registry import contributions
contributions.contribution_of = lambda record: contributions.Contribution("algorithm", "../../etc", "tanks")
"""

KILLED = "the process was killed from outside (SIGKILL)" if probe_confinement().level is Level.C else "PermissionError"
"""Of a plugin that kills itself; a sandbox does not let it."""

HOSTILE: Mapping[str, tuple[str, str]] = {
    "exits": ("os._exit(7)", "cannot be imported: the process exited with code 7"),
    "loops": ("while True:\n    pass", "cannot be imported: the import used "),
    "eats": ("hoard = []\nwhile True:\n    hoard.append(bytes(1 << 20))", "cannot be imported: MemoryError (eats.py, line 5)"),
    "yields": (
        MAPS + "for number in range(1001):\n        yield MapFile(f'map{number}', 'tanks', b'')",
        "contributes 1,001 records, at most 1,000 are taken",
    ),
    "fills": (
        MAPS + "for number in range(5):\n        yield MapFile(f'map{number}', 'tanks', bytes(1 << 20))",
        "its maps have 5,242,880 bytes together, at most 4,194,304 are taken",
    ),
    "floods": (
        MAPS + "yield MapFile('map', 'tanks', bytes(20 << 20))",
        "cannot be imported: an answer of ",
    ),
    "prints": ("print('so it was')\nprint('and is', file=sys.stderr)\n1 / 0", "cannot be imported: ZeroDivisionError"),
    "breaks": ("import ctypes\nctypes.string_at(0)", "cannot be imported: the process was killed by SIGSEGV"),
    "kills": ("os.kill(os.getpid(), 9)", f"cannot be imported: {KILLED}"),
    "hangs_up": ("os.closerange(3, 9999)", "cannot be imported: the process "),
    "interrupts": ("raise KeyboardInterrupt", "cannot be imported: the import raised KeyboardInterrupt"),
    "patches": (
        "from tiltyard_engine.registry import loading\nloading._collect = lambda *given: os._exit(3)\n" + MAPS + "return []",
        "cannot be imported: the process exited with code 3",
    ),
    "forges": (
        FORGES + MAPS + "yield MapFile('map', 'tanks', b'')",
        "what it is said to contribute cannot be: the name '../../etc' or the game 'tanks' is not usable",
    ),
}
"""By the file's stem: the text, and how the reason begins."""

GAME_SOURCE = """\
from tiltyard_engine import Game, hookimpl

@hookimpl
def games():
    yield Game("nim", range(2, 3), lambda name, data, seats: data)
"""
confined = pytest.mark.skipif(probe_confinement().level is Level.C, reason="nothing can be confined here")


@pytest.fixture(autouse=True)
def _newly_installed() -> Iterator[None]:
    """What a test installs is not known to others."""
    readable_paths.forget()
    yield
    readable_paths.forget()


def describe(*paths: Path, holding: Holding | None = None) -> Registry:
    return Registry.from_paths(paths, GuardedLoader(holding or Holding(limits=LIMITS, unconfined=True)))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    """All of them are described together, and a sound one among them."""
    folder = tmp_path_factory.mktemp("strangers")
    for name, (text, _) in HOSTILE.items():
        write(folder / f"{name}.py", HERE + text)
    write(folder / "sound.py", HERE + team_source("sound"))
    scratch = set(Path("/tmp").glob("tiltyard-*"))
    found = describe(folder).rows
    assert len(found) == len(HOSTILE) + 1
    assert set(Path("/tmp").glob(f"tiltyard-{os.getpid()}-*")) <= scratch
    return {row.name: row for row in found}


@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_an_import_does_is_a_row(rows: Mapping[str, Row], name: str) -> None:
    row = rows[name]
    assert (row.kind, row.status) == ("plugin", "failed")
    assert row.reason.startswith(HOSTILE[name][1])
    assert row.file.endswith(f"{name}.py")


def test_a_sound_plugin_among_them_is_described(rows: Mapping[str, Row]) -> None:
    assert (rows["sound"].status, rows["sound"].kind, rows["sound"].game) == ("ok", ALGORITHM, "tanks")


def test_what_a_failed_plugin_printed_stands_with_its_traceback(rows: Mapping[str, Row]) -> None:
    assert rows["prints"].detail.startswith("Traceback")
    assert rows["prints"].detail.endswith("it printed:\nso it was\nand is\n")


def test_the_engine_here_stays_as_it_was(rows: Mapping[str, Row]) -> None:
    assert loading._collect.__module__ == "tiltyard_engine.registry.loading"
    assert rows["patches"].status == "failed"


def test_nothing_that_is_printed_reaches_the_screen(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = "print('loud')\nimport os\nos.write(2, b'louder')\n" + team_source("loud")
    assert describe(write(tmp_path / "loud.py", text)).failures() == []
    assert capfd.readouterr() == ("", "")


def test_an_import_that_waits_for_ever(tmp_path: Path) -> None:
    limits = LimitChanges({"startup_seconds": 0.2, "wall_factor": 2})
    registry = describe(write(tmp_path / "waits.py", "import time\ntime.sleep(1000)"), holding=Holding(Isolation.PROCESS, limits))
    assert registry.rows[0].reason.startswith("cannot be imported: the import did not answer within ")


@confined
@pytest.mark.parametrize(
    "text",
    [
        "open('/etc/shadow').read()",
        "open('{tmp}/secret.txt').read()",
        "import pathlib\nlist(pathlib.Path('{home}').iterdir())",
        "open('{tmp}/bots/neighbour.py').read()",
        "open('{tmp}/written.txt', 'w').write('x')",
        "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)",
        "import subprocess\nsubprocess.run(['/bin/true'], check=True)",
    ],
    ids=["shadow", "secret", "home", "neighbour", "write", "socket", "program"],
)
def test_what_an_import_must_not_reach(tmp_path: Path, text: str) -> None:
    write(tmp_path / "secret.txt", "secret")
    write(tmp_path / "bots" / "neighbour.py", team_source("neighbour"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = {"tmp": tmp_path, "home": os.path.expanduser("~"), "port": server.getsockname()[1]}  # noqa: PTH111
        write(tmp_path / "bots" / "spy.py", text.format(**place))
        registry = describe(tmp_path / "bots", holding=Holding())
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    neighbour, spy = registry.rows
    assert (neighbour.status, spy.status) == ("ok", "failed")
    assert spy.reason.startswith(
        ("cannot be imported: PermissionError", "cannot be imported: FileNotFoundError", "cannot be imported: OSError")
    )
    assert not (tmp_path / "written.txt").exists()


def test_all_that_must_be_known_comes_back(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import *
        from tiltyard_tanks.manager import TanksGameManager
        from tiltyard_tanks.rules import DIALECTS

        @hookimpl
        def game_managers():
            yield Manager("mine", "tanks", lambda: TanksGameManager(DIALECTS["reference"][0]), "raise", ".log", "my rules")

        @hookimpl
        def maps():
            yield MapFile("field", "tanks", b"\\x00\\xff", 3)
            yield MapFile("two words", "tanks", b"")
        """
    registry = describe(write(tmp_path / "shelf.py", text))
    manager, field = registry.find(MANAGER, "mine"), registry.find(MAP, "field")
    assert (manager.contribution.description, manager.reference.on_fault, manager.reference.log_suffix) == (
        *("my rules", "raise", ".log"),
    )
    assert (field.contribution.data, field.contribution.seats) == (b"\x00\xff", 3)
    (row,) = registry.failures()
    assert (row.kind, row.name) == ("map", "two words")
    assert row.reason.startswith("the name 'two words' is not usable")


def test_it_is_the_same_as_when_it_is_imported_here(tmp_path: Path, programs: Path) -> None:
    for folder in ("broken", "teams", "managers"):
        trusting, guarded = Registry.from_paths([programs / folder]), describe(programs / folder)
        assert guarded.entries == trusting.entries
        assert [(row.name, row.reason) for row in guarded.rows] == [(row.name, row.reason) for row in trusting.rows]


def test_one_file_that_needs_another_beside_it_is_told_what_to_do(tmp_path: Path) -> None:
    helper = unique("helper")
    write(tmp_path / f"{helper}.py", "")
    (row,) = describe(write(tmp_path / "bot.py", f"import {helper}\n")).rows
    assert row.reason.endswith(f"{helper}.py lies beside it: make the folder a package (__init__.py) and write 'from . import ...'")
    assert row.reason.count("lies beside it") == 1


def test_projects_may_have_the_same_package_and_that_of_something_installed(tmp_path: Path) -> None:
    module = unique("shared")
    for team, package in (("alice", module), ("bob", module), ("carol", "tiltyard_acorn")):
        folder = project(tmp_path / team, f"{team}-team", {team: package})
        write(folder / package / "__init__.py", f"from {package}.parts import algorithms\n")
        write(folder / package / "parts.py", team_source(team))
    registry = describe(tmp_path)
    assert [(row.name, row.status, row.reason) for row in registry.rows] == [(name, "ok", "") for name in ("alice", "bob", "carol")]
    assert registry.rows[1].file == str(tmp_path / "bob" / module / "__init__.py")


# Trust


def test_a_strangers_game_is_not_loaded_unless_it_is_trusted(tmp_path: Path) -> None:
    path = write(tmp_path / "nim.py", GAME_SOURCE)
    (row,) = describe(path).rows
    assert (row.name, row.kind, row.status) == ("nim", GAME, "failed")
    how = f"if you trust it, say --trust {path}, or name it in TILTYARD_TRUST or under 'trust' in the tournament file"
    assert row.reason == f"not loaded: a game's code runs in the runner's own process; {how}"
    for holding in (Holding(trust=Trust.of([str(path)])), Holding(Isolation.INLINE)):
        assert describe(path, holding=holding).game("nim").name == "nim"


def test_a_strangers_format_is_not_loaded_unless_it_is_trusted(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import Format, MapFile, TournamentFormat, hookimpl

        class Nothing(TournamentFormat):
            def __init__(self, field, options):
                pass
            def next_batch(self, played):
                return ()

        @hookimpl
        def formats():
            yield Format("nothing", Nothing)

        @hookimpl
        def maps():
            yield MapFile("field", "tanks", b"")
        """
    path = write(tmp_path / "nothing.py", text)
    registry = describe(path)
    (row,) = registry.failures()
    assert (row.name, row.kind, row.game) == ("nothing", FORMAT, "")
    assert row.reason.startswith("not loaded: a format's code runs in the runner's own process; if you trust it, say --trust ")
    assert registry.find(MAP, "field").name == "field"
    assert describe(path, holding=Holding(trust=Trust.of([str(path)]))).find(FORMAT, "nothing").reference.game == ""


def test_a_strangers_observers_and_publishers_are_not_loaded_unless_they_are_trusted(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import Observer, Publisher, TournamentObserver, hookimpl

        @hookimpl
        def observers():
            yield Observer("ear", lambda options: TournamentObserver())

        @hookimpl
        def publishers():
            yield Publisher("mouth", lambda results, options: None)
        """
    path = write(tmp_path / "face.py", HERE + textwrap.dedent(text))
    rows = describe(path).rows
    assert [(row.name, row.kind, row.game, row.status) for row in rows] == [
        ("ear", OBSERVER, "", "failed"),
        ("mouth", PUBLISHER, "", "failed"),
    ]
    assert rows[0].reason.startswith(
        "not loaded: an observer's code runs in the runner's own process; if you trust it, say --trust "
    )
    assert rows[1].reason.startswith(
        "not loaded: a publisher's code runs in the runner's own process; if you trust it, say --trust "
    )
    trusting = describe(write(tmp_path / "trusted.py", text), holding=Holding(trust=Trust.of([str(tmp_path)])))
    assert [entry.reference.kind for entry in trusting.entries] == [OBSERVER, PUBLISHER]


def test_what_is_installed_is_told_apart_by_its_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    game, team = unique("nim"), unique("thunder")
    write(tmp_path / f"{game}.py", GAME_SOURCE)
    write(tmp_path / f"{team}.py", HERE + team_source("thunder"))
    install(tmp_path, "nim-game", "1.0", {"nim": game})
    install(tmp_path, "thunder-team", "1.0", {"thunder": team})
    only = Selection(block=frozenset({"acorn"}))
    registry = open_registry(Holding(limits=LIMITS, unconfined=True), only)
    assert registry.find(ALGORITHM, "thunder").file == str(tmp_path / f"{team}.py")
    (row,) = registry.failures()
    assert (row.name, row.distribution) == ("nim", "nim-game")
    assert "say --trust nim-game, or" in row.reason
    assert not {game, team} & set(sys.modules)
    trusting = open_registry(Holding(limits=LIMITS, unconfined=True, trust=Trust.of(["nim-game"])), only)
    assert trusting.failures() == []
    assert game in sys.modules
    assert team not in sys.modules


def test_teams_for_a_game_that_is_not_trusted_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = unique("nim")
    write(tmp_path / f"{module}.py", GAME_SOURCE + "\n" + team_source("rook").replace("TankTeam(", "TankTeam(game='nim', name=", 1))
    install(tmp_path, "nim-game", "1.0", {"nim": module})
    registry = open_registry(Holding(limits=LIMITS, unconfined=True))
    reasons = {row.name: row.reason for row in registry.failures()}
    assert "the game nim failed: not loaded: a game's code runs" in reasons["rook"]


def test_where_nothing_can_be_confined_strangers_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_CONFINEMENT", "C")
    path = write(tmp_path / "bot.py", team_source("bot"))
    (row,) = describe(path, holding=Holding()).rows
    assert row.reason.startswith("not loaded: this machine cannot confine strangers' code")
    assert "say --isolation process (or TILTYARD_ISOLATION=process), or --unconfined" in row.reason
    for holding in (Holding(unconfined=True), Holding(Isolation.PROCESS)):
        assert describe(path, holding=holding).failures() == []


def test_a_registry_of_the_projects_own_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiltyard_simulator.guard.describing_cells", None)
    assert open_registry(Holding(), Selection()).failures() == []


def test_no_command_imports_plugins_past_the_loader() -> None:
    """The engine's registry trusts whatever it is given unless it is told how to load; cells are where that is right."""
    rooms = Path(tiltyard_simulator.__path__[0]), Path(tiltyard_tournaments.__path__[0])
    trusting = [
        f"{path.name}: {ast.unparse(call)}"
        for room in rooms
        for path in sorted(room.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(call, ast.Call)
        and ast.unparse(call.func) in ("Registry", "Registry.installed", "Registry.from_paths")
        and len(call.args) < 2
        and not any(keyword.arg == "loader" for keyword in call.keywords)
    ]
    assert trusting == []
