"""What tests of several rooms need: the installed plugins, the programs written for tests, small maps."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import is_hypothesis_test, settings
from tests.fork_server import QuickCommands, places, server_for

from tiltyard_engine.registry import Reference, Registry, Selection
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.guard import zygotes as zygotes_of_a_worker
from tiltyard_simulator.guard.cells.zygote import Zygote
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE

DUEL = ("          ", " 1     2  ", "          ")
"""Each tank faces the other across the joined edges: who alone shoots wins."""

# Some machines forbid it. Every command and every cell would then compile all that it imports, which doubles the time of the tests.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# What runs in the background or by nohup ignores these, and so would all that it starts: no test could interrupt anything.
for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)
# It contributes hundreds of records, which every command that a test runs would have to load, and only some machines have it.
os.environ["TILTYARD_BLOCK"] = "openspiel"
# How long one example takes says something of the machine, not of the rule that is tested.
settings.register_profile("all", deadline=None, max_examples=25)
# For who looks for what a few examples of each rule have not shown.
settings.register_profile("many", deadline=None, max_examples=400)
# It looks for constants in all code that is imported, and keeps them in the current folder: commands would look for them anew each
# time, for a second.
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(Path(__file__).resolve().parents[1] / ".hypothesis"))
# What repeats the tests of another Python or another build needs fewer examples.
FEW = 10
settings.register_profile("few", deadline=None, max_examples=FEW)
EXAMPLES = os.environ.get("TILTYARD_EXAMPLES", "all")
settings.load_profile(EXAMPLES)

WriteMap = Callable[..., Path]
RunCommand = Callable[..., "subprocess.CompletedProcess[str]"]


CACHE = "XDG_CACHE_HOME"
OWN_SETTINGS = "_hypothesis_internal_use_settings"
"""Where hypothesis keeps those of a test; nothing public changes them."""
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one can't draw windows, and takes half the time of the others."""


def pytest_configure(config: pytest.Config) -> None:
    """Give all tests one new folder for what commands keep, such as what the probes found: each would take a fifth of a second."""
    if not hasattr(config, "workerinput"):
        os.environ[CACHE] = tempfile.mkdtemp(prefix="tests-of-tiltyard-")
    places[:] = [Path(os.environ[CACHE])]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays: to look through it for garbage, then and later, would take as long as collecting it."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With few examples, a test that asks for a number of its own has a fifth of it."""
    if EXAMPLES != "few":
        return
    for test in {test for item in items if (test := getattr(item, "obj", None)) is not None and is_hypothesis_test(test)}:
        own = getattr(test, OWN_SETTINGS)
        if own is not None and own is not settings.default:
            setattr(test, OWN_SETTINGS, settings(own, max_examples=max(own.max_examples // 5, min(own.max_examples, FEW))))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove that folder."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(CACHE), ignore_errors=True)


@pytest.fixture(scope="session", autouse=True)
def where_nothing_can_be_confined() -> Iterator[None]:
    """On a machine without any sandbox the command refuses strangers' teams; the tests then hold them in plain processes."""
    with pytest.MonkeyPatch.context() as patch:
        if probe_confinement().level is Level.C and ISOLATION_VARIABLE not in os.environ:
            patch.setenv(ISOLATION_VARIABLE, "process")
        yield


@pytest.fixture
def inline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands run teams in their own process unless a test says otherwise: for tests of what comes of matches.

    Each command would first start what cells are forked from, which takes longer than the matches of most tests.
    """
    monkeypatch.setenv(ISOLATION_VARIABLE, "inline")


@pytest.fixture(scope="session")
def in_any_test(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Where the teams of all tests lie. A zygote that can see it serves them all, where each new team would need a new one."""
    return (str(tmp_path_factory.getbasetemp()),)


@pytest.fixture(scope="session")
def programs() -> Path:
    """The folder of plugins that were written for tests."""
    return Path(__file__).resolve().parent / "programs"


@pytest.fixture(scope="session")
def registry() -> Registry:
    """All installed plugins, whatever the environment says."""
    return Registry.installed(Selection(), own=OWN_DISTRIBUTIONS)


@pytest.fixture(scope="session")
def tanks(registry: Registry) -> Reference:
    """The tank game."""
    return registry.find(GAME, "tanks").reference


@pytest.fixture(scope="session")
def reference_manager(registry: Registry) -> Reference:
    """The reference rules."""
    return registry.find(MANAGER, "reference").reference


@pytest.fixture(scope="session")
def teams(programs: Path) -> Mapping[str, Reference]:
    """The teams written for tests, by name."""
    found = Registry.from_paths([programs / "teams"])
    return {entry.name: entry.reference for entry in found.all(ALGORITHM)}


@pytest.fixture(scope="session")
def managers(programs: Path) -> Mapping[str, Reference]:
    """The GameManagers written for tests, by name."""
    found = Registry.from_paths([programs / "managers"])
    return {entry.name: entry.reference for entry in found.all(MANAGER)}


@pytest.fixture
def write_map(tmp_path: Path) -> WriteMap:
    """``write_map(name, rows, steps=, shells=)`` writes a map file below ``tmp_path`` and returns its path."""

    def write(name: str = "duel.txt", rows: Sequence[str] = DUEL, steps: int = 20, shells: int = 5) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(map_text(rows, steps, shells))
        return path

    return write


def map_text(rows: Sequence[str], steps: int, shells: int) -> str:
    """A map file's text."""
    header = ["a map", f"MaxSteps = {steps}", f"NumShells = {shells}", f"Rows = {len(rows)}", f"Cols = {len(rows[0])}"]
    return "\n".join([*header, *rows]) + "\n"


@pytest.fixture(scope="session")
def forked_commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder of commands that need not import everything anew; several may run at once."""
    with closing(QuickCommands(tmp_path_factory.mktemp("commands"), os.environ)) as server:
        yield server.folder


@pytest.fixture
def run_command(tmp_path: Path) -> RunCommand:
    """``run_command("simulator", ...)`` runs an installed command in ``tmp_path``."""

    def run(name: str, *words: str, cwd: Path = tmp_path) -> subprocess.CompletedProcess[str]:
        server = server_for(words)
        if server.can_run(name):
            return server.run(name, words, cwd, seconds=60)
        command = [str(Path(sys.executable).with_name(name)), *words]
        return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)

    return run


@pytest.fixture(scope="session")
def nim(programs: Path) -> Mapping[str, Reference]:
    """The game nim, its referee and its teams, by name."""
    found = Registry.from_paths([programs / "turn_games"])
    assert not found.failures()
    return {entry.name: entry.reference for entry in found.entries}


@pytest.fixture
def zygotes(monkeypatch: pytest.MonkeyPatch) -> list[Zygote]:
    """Those that this process starts during a test."""
    started: list[Zygote] = []

    def start(*arguments: Any) -> Zygote:
        started.append(Zygote(*arguments))
        return started[-1]

    monkeypatch.setattr(zygotes_of_a_worker, "Zygote", start)
    return started


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One for all tests of a process: playwright can be started once in each."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    if program is None:
        if os.environ.get("TILTYARD_EXPECT_BROWSER"):
            pytest.fail("no browser is installed, but TILTYARD_EXPECT_BROWSER says that there is one")
        pytest.skip(f"no browser is installed: looked for {', '.join(BROWSERS)}")
    with playwright.sync_playwright() as running:
        arguments = [
            "--no-sandbox",
            "--headless=new",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-gpu",
            # No second process for each page, which never shows anything, nor what playwright switches off itself.
            "--disable-site-isolation-trials",
            "--disable-features=SpareRendererForSitePerProcess,IsolateOrigins,site-per-process,Translate,PaintHolding,MediaRouter",
            # Pages of tests don't live as long as it takes until better machine code has paid for its making.
            "--js-flags=--no-opt,--no-maglev",
        ]
        found = running.chromium.launch(executable_path=program, args=arguments)
        yield found
        found.close()
