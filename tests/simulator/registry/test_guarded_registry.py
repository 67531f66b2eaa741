"""Strangers' plugins tell what they contribute from within cells; nothing that they do there is felt here."""

from __future__ import annotations

import ast
import os
import socket
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from tests.engine.making import install, project, team_source, unique, write
from tests.simulator.lent_zygotes import lent_zygotes

import tiltyard_simulator
import tiltyard_tournaments
from tiltyard_engine.registry import Registry, Row, Selection, Source, Trust, contributions, loading
from tiltyard_engine.registry.file_loaders import get_loader
from tiltyard_engine.registry.registry import ALGORITHM, FORMAT, GAME, MANAGER, MAP, OBSERVER, PUBLISHER
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.guard.confinement import readable_paths
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import LimitChanges
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import GuardedLoader, open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

LIMITS = LimitChanges({"startup_seconds": 0.5, "memory_bytes": 96 << 20})
HERE = "import os, sys\nassert 'pytest' not in sys.modules, 'imported by the runner'\n"
"""A plugin that begins so notices where it is imported."""

MAPS = "from tiltyard_engine import MapFile, hookimpl\n@hookimpl\ndef maps():\n    "
FORGES = """
from tiltyard_engine.registry import contributions
contributions.contribution_of = lambda record: contributions.Contribution(kind="algorithm", name="../../etc", game="tanks")
"""

KILLED = "the process was killed from outside (SIGKILL)" if probe_confinement().level is Level.C else "PermissionError"
"""Of a plugin that kills itself; a sandbox does not let it."""

HOSTILE: Mapping[str, tuple[str, str]] = {
    "exits": ("os._exit(7)", "cannot be imported: the process exited with code 7"),
    "loops": ("while True:\n    pass", "cannot be imported: the import used "),
    "eats": (
        "hoard = []\nwhile True:\n    hoard.append(bytes(1 << 20))",
        "cannot be imported: MemoryError (eats.py, line 5) (limit memory_bytes=100663296: ",
    ),
    "yields": (
        MAPS + "for number in range(1001):\n        yield MapFile(f'map{number}', 'tanks', b'')",
        "has 1,001 records; at most 1,000 are allowed",
    ),
    "fills": (
        MAPS + "for number in range(5):\n        yield MapFile(f'map{number}', 'tanks', bytes(1 << 20))",
        "its maps have 5,242,880 bytes in total; at most 4,194,304 are allowed",
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
        "one of its records is invalid: the name '../../etc' or the game 'tanks' is not valid",
    ),
}
"""By the file's stem: the text, and how the reason begins."""

GAME_SOURCE = """\
from tiltyard_engine import Game, GameMaps, hookimpl

@hookimpl
def games():
    yield Game(name="nim", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: data))
"""
confined = pytest.mark.skipif(probe_confinement().level is Level.C, reason="nothing can be confined here")


@pytest.fixture(autouse=True)
def _newly_installed(request: pytest.FixtureRequest, registry: Registry, in_any_test: tuple[str, ...]) -> Iterator[None]:
    """What a test installs is not known to others; where it changes where modules are found, zygotes are its own."""
    with nullcontext() if "monkeypatch" in request.fixturenames else lent_zygotes(registry, in_any_test):
        readable_paths.forget()
        yield
        readable_paths.forget()


def describe(*paths: Path, isolation_policy: IsolationPolicy | None = None) -> Registry:
    return Registry.from_paths(paths, GuardedLoader(isolation_policy or IsolationPolicy(limits=LIMITS, unconfined=True)))


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


@confined
def test_an_import_that_writes_a_log_says_where_it_may(tmp_path: Path) -> None:
    text = "import logging, pathlib\nlogging.FileHandler(pathlib.Path(__file__).with_name('log.txt'))\n"
    (problem,) = describe(write(tmp_path / "logs.py", text)).rows
    advice = "(a team may write only in its scratch folder, which os.environ['TMPDIR'] names"
    assert f"/log.txt' (logs.py, line 2) {advice}" in problem.reason


def test_an_import_that_waits_for_ever(tmp_path: Path) -> None:
    limits = LimitChanges({"startup_seconds": 0.2, "wall_factor": 2})
    registry = describe(
        write(tmp_path / "waits.py", "import time\ntime.sleep(1000)"), isolation_policy=IsolationPolicy(Isolation.PROCESS, limits)
    )
    assert registry.rows[0].reason.startswith("cannot be imported: the import did not answer within ")


SPIES = {
    "shadow": "open('/etc/shadow').read()",
    "secret": "open('{tmp}/secret.txt').read()",
    "home": "import pathlib\nlist(pathlib.Path('{home}').iterdir())",
    "neighbour": "open('{tmp}/bots/sound.py').read()",
    "write": "open('{tmp}/written.txt', 'w').write('x')",
    "socket": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)",
    "program": "import subprocess\nsubprocess.run(['/bin/true'], check=True)",
}
"""What an import must not reach, by the file's stem."""


@confined
def test_what_an_import_must_not_reach(tmp_path: Path) -> None:
    write(tmp_path / "secret.txt", "secret")
    write(tmp_path / "bots" / "sound.py", team_source("sound"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        place = {"tmp": tmp_path, "home": os.path.expanduser("~"), "port": server.getsockname()[1]}  # noqa: PTH111
        for name, text in SPIES.items():
            write(tmp_path / "bots" / f"{name}.py", text.format(**place))
        rows = {row.name: row for row in describe(tmp_path / "bots", isolation_policy=IsolationPolicy()).rows}
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert rows.keys() == {*SPIES, "sound"}
    assert rows.pop("sound").status == "ok"
    refused = tuple(f"cannot be imported: {error}" for error in ("PermissionError", "FileNotFoundError", "OSError"))
    assert [row for row in rows.values() if row.status != "failed" or not row.reason.startswith(refused)] == []
    assert not (tmp_path / "written.txt").exists()


def test_all_that_must_be_known_comes_back(tmp_path: Path) -> None:
    text = """\
        from tiltyard_engine import *
        from tiltyard_tanks.manager import TanksGameManager
        from tiltyard_tanks.rules import DIALECTS

        @hookimpl
        def game_managers():
            yield Manager(
                name="mine",
                game="tanks",
                create=lambda: TanksGameManager(DIALECTS["reference"][0]),
                on_fault="raise",
                log_suffix=".log",
                description="my rules",
            )

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
    assert row.reason.startswith("the name 'two words' is not a valid name")


def test_it_is_the_same_as_when_it_is_imported_here(tmp_path: Path, programs: Path) -> None:
    for folder in ("broken", "teams", "managers"):
        trusting, guarded = Registry.from_paths([programs / folder]), describe(programs / folder)
        assert guarded.entries == trusting.entries
        assert [(row.name, row.reason) for row in guarded.rows] == [(row.name, row.reason) for row in trusting.rows]


def test_one_file_that_needs_another_beside_it_is_told_what_to_do(tmp_path: Path) -> None:
    helper = unique("helper")
    write(tmp_path / f"{helper}.py", "")
    (row,) = describe(write(tmp_path / "bot.py", f"import {helper}\n")).rows
    assert row.reason.endswith(
        f"{helper}.py is in the same folder, but that may be many teams': put both files into a folder of their own"
    )
    assert row.reason.count("is in the same folder") == 1


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
    how = f"if you trust it, use --trust {path}, TILTYARD_TRUST, or 'trust' in the tournament file"
    assert row.reason == f"not loaded: a game's code runs in the runner's own process; {how}"
    for isolation_policy in (IsolationPolicy(trust=Trust.of([str(path)])), IsolationPolicy(Isolation.INLINE)):
        assert describe(path, isolation_policy=isolation_policy).game("nim").name == "nim"


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
    assert row.reason.startswith("not loaded: a format's code runs in the runner's own process; if you trust it, use --trust ")
    assert registry.find(MAP, "field").name == "field"
    assert (
        describe(path, isolation_policy=IsolationPolicy(trust=Trust.of([str(path)]))).find(FORMAT, "nothing").reference.game == ""
    )


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
        "not loaded: an observer's code runs in the runner's own process; if you trust it, use --trust "
    )
    assert rows[1].reason.startswith(
        "not loaded: a publisher's code runs in the runner's own process; if you trust it, use --trust "
    )
    trusting = describe(write(tmp_path / "trusted.py", text), isolation_policy=IsolationPolicy(trust=Trust.of([str(tmp_path)])))
    assert [entry.reference.kind for entry in trusting.entries] == [OBSERVER, PUBLISHER]


def test_what_is_installed_is_told_apart_by_its_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    game, team = unique("nim"), unique("thunder")
    write(tmp_path / f"{game}.py", GAME_SOURCE)
    write(tmp_path / f"{team}.py", HERE + team_source("thunder"))
    install(tmp_path, "nim-game", "1.0", {"nim": game})
    install(tmp_path, "thunder-team", "1.0", {"thunder": team})
    only = Selection(block=frozenset({"acorn"}))
    registry = open_registry(IsolationPolicy(limits=LIMITS, unconfined=True), only)
    assert registry.find(ALGORITHM, "thunder").file == str(tmp_path / f"{team}.py")
    (row,) = registry.failures()
    assert (row.name, row.distribution) == ("nim", "nim-game")
    assert "use --trust nim-game, " in row.reason
    assert not {game, team} & set(sys.modules)
    trusting = open_registry(IsolationPolicy(limits=LIMITS, unconfined=True, trust=Trust.of(["nim-game"])), only)
    assert trusting.failures() == []
    assert game in sys.modules
    assert team not in sys.modules


def test_teams_for_a_game_that_is_not_trusted_say_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    module = unique("nim")
    write(tmp_path / f"{module}.py", GAME_SOURCE + "\n" + team_source("rook").replace("TankTeam(", "TankTeam(game='nim', name=", 1))
    install(tmp_path, "nim-game", "1.0", {"nim": module})
    registry = open_registry(IsolationPolicy(limits=LIMITS, unconfined=True))
    reasons = {row.name: row.reason for row in registry.failures()}
    assert "the game nim failed: not loaded: a game's code runs" in reasons["rook"]
    # They are nothing that a tournament of another game misses.
    assert Finder(registry).plugins("installed", ALGORITHM, "tanks").left_out == []
    assert "rook" in Finder(registry).plugins("installed", ALGORITHM, "nim").left_out[0]


def test_where_nothing_can_be_confined_strangers_are_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTYARD_CONFINEMENT", "C")
    path = write(tmp_path / "bot.py", team_source("bot"))
    (row,) = describe(path, isolation_policy=IsolationPolicy()).rows
    assert row.reason.startswith("not loaded: this machine can't confine code from outside")
    assert "use --isolation process (or TILTYARD_ISOLATION=process), or use --unconfined" in row.reason
    for isolation_policy in (IsolationPolicy(unconfined=True), IsolationPolicy(Isolation.PROCESS)):
        assert describe(path, isolation_policy=isolation_policy).failures() == []


PROGRAM = 'game = "filler"\ncommand = ["./robot"]\n'


def test_what_no_match_could_be_set_up_with_is_a_row(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found out by a match, it would stop the whole run."""
    monkeypatch.delenv("TILTYARD_READABLE", raising=False)
    for name in ("honest", "nosy", "huge", "odd"):
        write(tmp_path / name / "program.toml", PROGRAM + ('readable = ["/root/.ssh"]\n' if name == "nosy" else ""))
    (tmp_path / "huge" / "weights.bin").touch()
    os.truncate(tmp_path / "huge" / "weights.bin", 1 << 40)
    Path(os.fsdecode(bytes(tmp_path) + b"/odd/\xff.txt")).touch()
    os.mkfifo(tmp_path / "odd" / "pipe")
    rows = {row.name: row for row in describe(tmp_path).rows}
    assert (rows["honest"].status, rows["odd"].status) == ("ok", "ok")
    assert (rows["nosy"].status, rows["nosy"].kind) == ("failed", ALGORITHM)
    assert rows["nosy"].reason.startswith("the program 'nosy' wants to read /root/.ssh. A manifest may only name paths below /usr")
    assert rows["huge"].status == "failed"
    assert rows["huge"].reason == f"{tmp_path / 'huge'}: its files have more than 4,294,967,296 bytes"


def test_a_loader_that_stumbles_over_a_file_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def examine(path: Path) -> None:
        raise RecursionError("too deep")

    loader = get_loader("tiltyard_tanks_native.files:LOADER")
    monkeypatch.setattr(contributions, "get_loader", lambda where: replace(loader, examine=examine))
    source = Source(name="odd", origin=Origin.LIBRARY, value=str(tmp_path / "odd.so"), loader="tiltyard_tanks_native.files:LOADER")
    (problem,) = contributions.describe_source(source).problems
    assert problem.reason == "cannot be examined: RecursionError: too deep"
    assert "in examine" in problem.detail


def test_a_registry_of_the_projects_own_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tiltyard_simulator.registry.plugin_inspection", None)
    assert open_registry(IsolationPolicy(), Selection()).failures() == []


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


def test_a_game_at_a_trusted_path_counts_like_an_installed_one(tmp_path: Path) -> None:
    path = write(tmp_path / "nim.py", GAME_SOURCE)
    broken = write(tmp_path / "broken.py", "1 / 0")
    team = write(tmp_path / "team.py", team_source("sound"))
    registry = open_registry(IsolationPolicy(trust=Trust.of([f"{tmp_path}/", str(tmp_path / "absent.py")])), Selection())
    assert registry.find(GAME, "nim").reference.source.value == str(path)
    assert [row.file for row in registry.failures() if row.file.startswith(str(tmp_path))] == [str(broken)], (
        "it may have been the game"
    )
    assert not [entry for entry in registry.entries if entry.file == str(team)], "it plays where somebody names it"
