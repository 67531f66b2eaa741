"""Rooms within the distributions: imports go one way, and nothing imports in a circle. Lazy imports count as well."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = [
    ROOT / "engine" / "tiltyard_engine",
    ROOT / "engine" / "tiltyard_kit",
    ROOT / "simulator" / "tiltyard_simulator",
    ROOT / "simulator" / "tiltyard_checks",
    ROOT / "simulator" / "tiltyard_cluster",
    ROOT / "simulator" / "tiltyard_intake",
    ROOT / "simulator" / "tiltyard_pictures",
    ROOT / "simulator" / "tiltyard_viewer",
    ROOT / "simulator" / "tiltyard_whatif",
    ROOT / "tournaments" / "tiltyard_tournaments",
    ROOT / "tournaments" / "tiltyard_alike",
    ROOT / "tournaments" / "tiltyard_cycles",
    ROOT / "tournaments" / "tiltyard_league",
    ROOT / "tournaments" / "tiltyard_matchups",
    ROOT / "tournaments" / "tiltyard_kit_commands",
    ROOT / "tournaments" / "tiltyard_site",
    ROOT / "tournaments" / "tiltyard_fairness",
    ROOT / "tournaments" / "tiltyard_web_play",
    *sorted(path.parent for path in ROOT.glob("plugins/*/tiltyard_*/__init__.py")),
]
MAY_IMPORT: Mapping[str, Set[str]] = {
    "match": set(),
    "output": {"match"},
    "replays": {"match"},
    "guard": {"match"},
    "teams": {"match"},
    "registry": {"match", "guard", "teams"},
    "play": {"match", "output", "replays", "guard", "registry"},
}
"""The simulator's rooms, and which others each may import."""
CHECKS_MAY_IMPORT: Mapping[str, Set[str]] = {
    "faults": set(),
    "machine": set(),
    "runs": {"faults"},
    "team": {"runs"},
    "command": {"faults", "machine", "runs", "team"},
}
LEAGUE_MAY_IMPORT: Mapping[str, Set[str]] = {
    "league_file": set(),
    "rating": set(),
    "database": {"rating"},
    "submissions": {"league_file", "database"},
    "matchmaking": {"rating", "database"},
    "web": {"league_file", "rating", "database", "submissions"},
    "service": {"league_file", "rating", "database", "submissions", "matchmaking"},
    "tables": {"league_file", "database", "service"},
    "cli": {"league_file", "rating", "database", "submissions", "service"},
}
"""The league's: the web process imports nothing that checks, chooses or plays."""

Graph = dict[str, set[str]]


def modules(folder: Path) -> dict[str, Path]:
    """Dotted name to file; a package stands for its ``__init__``."""
    found: dict[str, Path] = {}
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports_of(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                if name in known or node.module in known:
                    yield name if name in known else node.module


def graph_of(folder: Path) -> Graph:
    """Who imports whom within a distribution."""
    known = modules(folder)
    return {name: set(imports_of(path, known)) - {name} for name, path in known.items()}


def circles(graph: Graph) -> list[set[str]]:
    """Groups that reach each other (Tarjan, 1972)."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        order[name] = lowest[name] = len(order)
        stack.append(name)
        for other in graph.get(name, ()):
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in stack:
                lowest[name] = min(lowest[name], order[other])
        if lowest[name] == order[name]:
            group = set(stack[stack.index(name) :])
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(group)

    for name in graph:
        if name not in order:
            visit(name)
    return found


def folders_of(folder: Path, graph: Graph) -> Graph:
    """The same for folders. A package's ``__init__`` and ``plugin`` name what all its folders offer, so they do not count."""
    known = modules(folder)
    faces = ("__init__.py", "plugin.py")
    files = {name: name.rpartition(".")[0] for name, path in known.items() if path.name not in faces}
    found: Graph = defaultdict(set)
    for name, others in graph.items():
        for other in others:
            here, there = files.get(name), files.get(other, other)
            if here is not None and here != there:
                found[here].add(there)
    return found


def test_circles_are_found() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set()}) == [{"b", "c"}]
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_file_imports_itself_by_way_of_others(folder: Path) -> None:
    assert circles(graph_of(folder)) == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_folder_imports_itself_by_way_of_others(folder: Path) -> None:
    assert circles(folders_of(folder, graph_of(folder))) == []


WITH_ROOMS = [
    (ROOT / "simulator" / "tiltyard_simulator", MAY_IMPORT),
    (ROOT / "simulator" / "tiltyard_checks", CHECKS_MAY_IMPORT),
    (ROOT / "tournaments" / "tiltyard_league", LEAGUE_MAY_IMPORT),
]


@pytest.mark.parametrize(("folder", "may_import"), WITH_ROOMS, ids=["simulator", "checks", "league"])
def test_rooms_import_only_those_before_them(folder: Path, may_import: Mapping[str, Set[str]]) -> None:
    wrong: list[str] = []
    for name, others in graph_of(folder).items():
        room = name.split(".")[1] if "." in name else ""
        for other in others:
            there = other.split(".")[1] if "." in other else ""
            if there and room != there and there not in may_import.get(room, set()):
                wrong.append(f"{name} imports {other}")
    assert wrong == []


@pytest.mark.parametrize(("folder", "may_import"), WITH_ROOMS, ids=["simulator", "checks", "league"])
def test_every_module_lies_in_a_room(folder: Path, may_import: Mapping[str, Set[str]]) -> None:
    assert {path.name for path in folder.glob("*.py")} - {"plugin.py"} == {"__init__.py"}
    assert {path.parent.name for path in folder.glob("*/__init__.py")} == set(may_import)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_package_tells_only_of_modules_that_it_has(folder: Path) -> None:
    gone: list[str] = []
    for face in folder.rglob("__init__.py"):
        page = ast.get_docstring(ast.parse(face.read_bytes())) or ""
        # Such as "store.py  what was played" or "- ``store``: what was played".
        told = {name or other for name, other in re.findall(r"^(\w+)\.py\b|^- ``(\w+)``:", page, re.MULTILINE)}
        here = {path.stem for path in face.parent.iterdir()}
        gone += [f"{face.relative_to(ROOT)} tells of {name}" for name in sorted(told - here)]
    assert gone == []
