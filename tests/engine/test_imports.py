"""The direction of imports: plugins -> kit -> engine <- simulator <- tournaments."""

from __future__ import annotations

import ast
import functools
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.test_house import OLD_NAMES, imported

ROOT = Path(__file__).resolve().parents[2]
PLUGINS = sorted(path.parent for path in ROOT.glob("plugins/*/pyproject.toml"))
GAMES = {"tanks", "tanks_native", "advance", "filler", "openspiel", "penguins"}
"""Games, and what loads their teams."""
TOOLS = {"pettingzoo"}
"""What uses games and teams. All others are teams."""
STANDARD = set(sys.stdlib_module_names) | {"__future__"}


def packages_of(folder: Path) -> set[str]:
    """Import names that a distribution's folder brings."""
    return {path.parent.name for path in folder.glob("*/__init__.py")} | {path.stem for path in folder.glob("*.py")}


def modules(folder: Path) -> Iterator[Path]:
    """Its Python files, but for tests of its own, and examples of what people hand in."""
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).parts
        if not {"tests", "examples"} & set(parts) and not any(part.startswith(".") or part in ("build", "dist") for part in parts):
            yield path


@functools.cache
def imports(path: Path) -> frozenset[str]:
    """Top-level names of the modules that a file imports, wherever in it; a relative import is the package's own."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.partition(".")[0])
        elif isinstance(node, ast.Call) and _names_a_module(node):
            (argument,) = node.args[:1]
            if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                found.add(argument.value.partition(".")[0])
    return frozenset(found)


def _names_a_module(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    return name in ("import_module", "__import__") and bool(node.args)


def strangers(folder: Path, allowed: set[str]) -> list[str]:
    """Imports of a folder that are not among the allowed ones."""
    return [f"{path.relative_to(ROOT)}: {name}" for path in modules(folder) for name in sorted(imports(path) - allowed)]


def forbidden(folder: Path, names: set[str]) -> list[str]:
    """Imports of a folder that are among the forbidden ones."""
    return [f"{path.relative_to(ROOT)}: {name}" for path in modules(folder) for name in sorted(imports(path) & names)]


def test_the_walk_sees_imports_of_every_form(tmp_path: Path) -> None:
    text = "import a.b, c\nfrom d.e import f\nfrom . import g\ndef h():\n    import i\n    importlib.import_module('j.k')\n"
    path = tmp_path / "module.py"
    path.write_text(text)
    assert imports(path) == {"a", "c", "d", "i", "j"}
    assert len(PLUGINS) >= 4
    assert sum(1 for _ in modules(ROOT / "engine")) >= 10


def test_the_engine_imports_pluggy_and_the_standard_library_alone() -> None:
    found = strangers(ROOT / "engine" / "tiltyard_engine", STANDARD | {"pluggy", "tiltyard_engine"})
    assert [line for line in found if not line.startswith(OLD_NAMES)] == []


def test_the_kit_imports_the_engine_and_what_tests_have() -> None:
    found = strangers(ROOT / "engine" / "tiltyard_kit", STANDARD | {"pluggy", "tiltyard_engine", "tiltyard_kit"})
    assert {line.partition(": ")[2] for line in found} == {"hypothesis", "pytest"}


@pytest.mark.parametrize("folder", PLUGINS, ids=lambda folder: folder.name)
def test_plugins_import_nothing_of_the_upper_rooms(folder: Path) -> None:
    assert forbidden(folder, {"tiltyard_simulator", "tiltyard_tournaments"}) == []


@pytest.mark.parametrize(
    "folder", [folder for folder in PLUGINS if folder.name not in GAMES | TOOLS], ids=lambda folder: folder.name
)
def test_teams_import_the_engine_themselves_and_the_standard_library_alone(folder: Path) -> None:
    assert strangers(folder, STANDARD | {"tiltyard_engine"} | packages_of(folder)) == []


def test_the_simulator_imports_neither_tournaments_nor_plugins() -> None:
    plugins = set().union(*[packages_of(folder) for folder in PLUGINS])
    # Of own packages: they take a match out of a tournament's store.
    places = ("tiltyard_pictures/cli.py", "tiltyard_whatif/analysis/losses.py", "tiltyard_whatif/stored.py")
    allowed = [f"simulator/{name}: tiltyard_tournaments" for name in places]
    people = {
        *("simulator/tiltyard_intake/command", "simulator/tiltyard_intake/pages"),
        *("simulator/tiltyard_checks/command", "simulator/tiltyard_checks/runs", "simulator/tiltyard_viewer/command"),
        "simulator/tiltyard_whatif/command",
    }
    upward = forbidden(ROOT / "simulator", plugins | {"tiltyard_tournaments"})
    assert [name for name in upward if "/".join(name.split("/")[:3]) not in people] == allowed


def test_own_packages_are_imported_by_none_but_the_league() -> None:
    """The viewer is used by all that draw, the steps of a check by the intake, what prints them by ``check-game``."""
    names = ("checks", "cluster", "intake", "pictures", "simulator", "viewer", "whatif")
    checks, cluster, intake, pictures, simulator, viewer, whatif = (ROOT / "simulator" / f"tiltyard_{name}" for name in names)
    upper = ("alike", "cycles", "kit_commands", "matchups", "site", "web_play")
    alike, cycles, commands, matchups, site, web_play = (ROOT / "tournaments" / f"tiltyard_{name}" for name in upper)
    own = {
        "tiltyard_league",
        *(each.name for each in (alike, checks, cluster, intake, pictures, whatif, cycles, commands, matchups, site, web_play)),
    }
    for folder in (ROOT / "engine", simulator, ROOT / "tournaments" / "tiltyard_tournaments", *PLUGINS):
        assert [line for line in forbidden(folder, own | {viewer.name}) if not line.startswith(OLD_NAMES)] == []
    for folder in (checks, cluster, cycles, pictures, viewer):
        assert forbidden(folder, own - {folder.name}) == []
    assert forbidden(commands, own - {commands.name, checks.name, web_play.name}) == []
    assert forbidden(whatif, own - {whatif.name, checks.name, site.name}) == []
    assert forbidden(alike, own - {alike.name, checks.name, cycles.name, pictures.name, site.name, whatif.name}) == []
    assert forbidden(matchups, own - {matchups.name, checks.name}) == []
    assert forbidden(web_play, own - {web_play.name, site.name, whatif.name}) == []
    assert forbidden(site, own - {site.name, checks.name, matchups.name}) == []
    assert forbidden(intake, own - {intake.name, checks.name, site.name}) == []
    assert forbidden(ROOT / "tournaments" / "tiltyard_league", {commands.name, cycles.name, matchups.name}) == []
    assert {line for line in forbidden(intake, {site.name}) if "tiltyard_intake/pages/" not in line} == set()


def test_the_kit_is_used_by_games_and_its_commands_alone_but_for_the_sheets_of_a_class() -> None:
    for folder in (ROOT / "simulator", ROOT / "tournaments" / "tiltyard_tournaments", ROOT / "tournaments" / "tiltyard_league"):
        found = forbidden(folder, {"tiltyard_kit"})
        assert [line for line in found if not line.startswith("simulator/tiltyard_intake/")] == []
    intake = [ast.parse(path.read_bytes()) for path in modules(ROOT / "simulator" / "tiltyard_intake")]
    names = {name for tree in intake for node in ast.walk(tree) for name in imported(node)[:1] if name.startswith("tiltyard_kit")}
    assert names == {"tiltyard_kit.sheet"}


def test_tournaments_import_no_plugin() -> None:
    plugins = set().union(*[packages_of(folder) for folder in PLUGINS])
    assert forbidden(ROOT / "tournaments", plugins) == []


@pytest.mark.parametrize("folder", [ROOT / "engine", *PLUGINS], ids=lambda folder: folder.name)
def test_what_a_distribution_requires_goes_the_same_way(folder: Path) -> None:
    requirements = tomllib.loads((folder / "pyproject.toml").read_text())["project"].get("dependencies", [])
    assert "tiltyard" not in {requirement.partition(">")[0].partition("=")[0].strip() for requirement in requirements}
    if folder.name == "engine":
        assert [requirement.partition(">")[0] for requirement in requirements] == ["pluggy"]
