"""What makes the code heavy is counted, and may only fall: whoever makes a number smaller writes the new one down here.

Where a number must rise because something was added, look first for what that can replace.
"""

from __future__ import annotations

import ast
import gc
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Final, get_type_hints

import pytest

from tiltyard_engine.match_record import MatchRecord
from tiltyard_simulator.match.spec import MatchSpec

ROOT: Final = Path(__file__).resolve().parents[1]
CORE: Final = ("engine/tiltyard_engine", "simulator/tiltyard_simulator", "tournaments/tiltyard_tournaments")
OWN_PACKAGES: Final = (
    "engine/tiltyard_kit",
    "tournaments/tiltyard_alike",
    "tournaments/tiltyard_contest",
    "tournaments/tiltyard_cycles",
    "tournaments/tiltyard_fairness",
    "tournaments/tiltyard_web_play",
    "tournaments/tiltyard_kit_commands",
    "tournaments/tiltyard_site",
    "tournaments/tiltyard_league",
    "tournaments/tiltyard_matchups",
    "simulator/tiltyard_checks",
    "simulator/tiltyard_cluster",
    "simulator/tiltyard_intake",
    "simulator/tiltyard_pictures",
    "simulator/tiltyard_viewer",
    "simulator/tiltyard_whatif",
)
"""What the core finds through hooks. No file of the core imports it."""
OLD_NAMES: Final = (
    *(f"engine/tiltyard_engine/{name}" for name in ("conformance.py", "terminal", "testing.py")),
    "tournaments/tiltyard_tournaments/site.py",
)
"""Modules that moved to an own package. What stands here only leads there, for code outside the project; nothing imports it."""
NAMES_GAMES: Final = {
    "engine/tiltyard_engine/records.py": "a TankTeam that doesn't say its game",
    "simulator/tiltyard_checks/team/opening.py": "a step of a check",
    "simulator/tiltyard_simulator/guard/seats/tanks/__init__.py": "a kind of seat",
    "simulator/tiltyard_simulator/match/own_distributions.py": "what is trusted, and what there is to install",
    "tournaments/tiltyard_tournaments/examples/managers/two_readings.py": "an example of a plugin",
}
"""The files of the host with the name of a game or a team that the project ships, and what it is there. None may come to them."""
MOST_LINES_OF_CORE: Final = 41_802
MOST_FILES_OF_A_FOLDER: Final = 15
LARGE_FOLDERS: Final[dict[str, int]] = {}
"""Folders with more files than that, and how many they have."""
MOST_FIELDS: Final = {"input": 8, "holding": 6, "recording": 6, "place": 5, "outcome": 24, "evidence": 8}
"""Of each value that a match or its result is made of."""
MOST_PARAMETERS: Final = 8
MOST_LONG_SIGNATURES: Final = 8
MOST_AMBIGUOUS_CLASSES: Final = 6
MOST_PARTICIPLES: Final = 37
MOST_SHORT_DOCSTRINGS: Final = 0
PARTICIPLES: Final = frozenset(
    {
        "arrived",
        "asked",
        "begun",
        "built",
        "came",
        "chosen",
        "done",
        "drawn",
        "ended",
        "flown",
        "found",
        "given",
        "gone",
        "handed",
        "heard",
        "held",
        "kept",
        "known",
        "listed",
        "looked",
        "made",
        "meant",
        "named",
        "opened",
        "placed",
        "played",
        "printed",
        "said",
        "seen",
        "sent",
        "shown",
        "spoilt",
        "taken",
        "told",
        "turned",
        "used",
        "wanted",
        "written",
    }
)
"""As a name, each says what was done to a thing and not what it is."""


@pytest.fixture(scope="module", autouse=True)
def _no_tree_outlives_this_file() -> Iterator[None]:
    """Each garbage collection would walk over their millions of nodes, then and in all later tests."""
    gc.disable()
    yield
    nodes.cache_clear()
    sources.cache_clear()
    gc.enable()


@cache
def sources(*folders: str) -> dict[Path, ast.Module]:
    """The modules below some folders."""
    return {file: ast.parse(file.read_bytes()) for folder in folders for file in sorted((ROOT / folder).rglob("*.py"))}


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module, which most tests here look at: to find the way to them takes longer than to look at them."""
    return tuple(ast.walk(tree))


def host() -> dict[Path, ast.Module]:
    """The core and its own packages."""
    return sources(*CORE) | sources(*OWN_PACKAGES)


def product() -> dict[Path, ast.Module]:
    return host() | sources(*(f"plugins/{path.name}" for path in sorted((ROOT / "plugins").iterdir())))


def is_own(file: Path) -> bool:
    return any(file.is_relative_to(ROOT / place) for place in (*OWN_PACKAGES, *OLD_NAMES))


def core() -> dict[Path, ast.Module]:
    return {file: tree for file, tree in sources(*CORE).items() if not is_own(file)}


def bind(node: ast.AST, names: set[str], scopes: list[set[str]]) -> None:
    """Add the names that a scope binds below a node, and a set for each further scope."""
    for child in ast.iter_child_nodes(node):
        inner = names
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            if not isinstance(child, ast.Lambda):
                names.add(child.name)
            scopes.append(inner := set())
        elif isinstance(child, ast.arg):
            names.add(child.arg)
        elif isinstance(child, ast.Name):
            if isinstance(child.ctx, ast.Store):
                names.add(child.id)
            continue
        elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Store):
            names.add(child.attr)
        bind(child, inner, scopes)


def participles(tree: ast.Module) -> int:
    """How many names a module binds that are a bare participle; one that is bound twice in a function counts once."""
    scopes: list[set[str]] = [set()]
    bind(tree, scopes[0], scopes)
    return sum(name.strip("_") in PARTICIPLES for names in scopes for name in names)


def docstrings(tree: ast.Module) -> Iterator[str]:
    for node in nodes(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def test_participles_are_counted() -> None:
    tree = ast.parse(
        "found = 1\ndef f(found, x):\n    found = known = 2\n    self._kept = found_it = found\n    return lambda told: told\n"
    )
    assert participles(tree) == 5


def test_names_say_what_a_thing_is() -> None:
    assert sum(map(participles, product().values())) <= MOST_PARTICIPLES


def test_a_docstring_can_be_read_alone() -> None:
    short = [page for tree in product().values() for page in docstrings(tree) if 0 < len(page.split()) <= 3]
    assert len(short) <= MOST_SHORT_DOCSTRINGS


def test_the_core_does_not_grow() -> None:
    assert sum(len(file.read_bytes().splitlines()) for file in core()) <= MOST_LINES_OF_CORE


@pytest.mark.parametrize("folder", [*CORE, *OWN_PACKAGES])
def test_a_folder_can_be_read_at_a_glance(folder: str) -> None:
    files: dict[str, int] = defaultdict(int)
    for file in (ROOT / folder).rglob("*.py"):
        if file.name != "__init__.py" and is_own(file) == (folder in OWN_PACKAGES):
            files[str(file.parent.relative_to(ROOT))] += 1
    large = {name: number for name, number in files.items() if number > LARGE_FOLDERS.get(name, MOST_FILES_OF_A_FOLDER)}
    assert large == {}


def test_the_core_makes_classes_with_slots_without_compiling() -> None:
    """See the module ``tiltyard_engine.data_classes``: the standard library's decorator takes three times as long at each start."""
    standard = import_any(core(), ["/dataclasses/dataclass.py"])
    slow = [
        f"{file.relative_to(ROOT)}: {node.name}"
        for file, tree in core().items()
        for node in nodes(tree)
        if isinstance(node, ast.ClassDef)
        for call in node.decorator_list
        if isinstance(call, ast.Call) and "slots" in {keyword.arg for keyword in call.keywords}
        if str(file.relative_to(ROOT)) in standard
    ]
    assert slow == []


def test_functions_take_what_they_need() -> None:
    long = []
    for file, tree in product().items():
        for node in nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                number = sum(parameter.arg not in ("self", "cls") for parameter in parameters)
                if number > MOST_PARAMETERS:
                    long.append(f"{file.relative_to(ROOT)}: {node.name}")
    assert len(long) <= MOST_LONG_SIGNATURES, long


@pytest.mark.parametrize("whole", [MatchSpec, MatchRecord])
def test_a_match_and_its_result_are_small_values(whole: type[MatchSpec] | type[MatchRecord]) -> None:
    parts = {name: len(fields(kind)) for name, kind in get_type_hints(whole).items()}
    assert all(number <= MOST_FIELDS[name] for name, number in parts.items()), parts


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for file, tree in host().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(str(file.relative_to(ROOT)))
    several = {name: files for name, files in places.items() if len(files) > 1}
    assert len(several) <= MOST_AMBIGUOUS_CLASSES, several


def test_all_that_plays_matches_can_be_used_alike() -> None:
    whole = {"begin", "room", "is_busy", "submit", "poll", "abandon"}
    protocols, partial = [], []
    for file, tree in host().items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                methods = {child.name for child in node.body if isinstance(child, ast.FunctionDef)}
                if methods & {"submit", "poll"} and "Protocol" in map(ast.unparse, node.bases):
                    protocols.append(f"{file.relative_to(ROOT)}: {node.name}")
                if {"submit", "poll"} <= methods and not whole <= methods:
                    partial.append(f"{file.relative_to(ROOT)}: {node.name}")
    assert protocols == ["simulator/tiltyard_simulator/play/executor.py: Executor"]
    assert partial == []


def imported(node: ast.AST) -> list[str]:
    """The modules that a statement imports, and what it takes of a package, which may be a module."""
    if isinstance(node, ast.ImportFrom) and node.module:
        return [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return [alias.name for alias in node.names] if isinstance(node, ast.Import) else []


def import_any(files: dict[Path, ast.Module], places: Iterable[str]) -> set[str]:
    """The files that import one of these packages or modules, or something below it."""
    names = tuple(place.partition("/")[2].removesuffix(".py").replace("/", ".") for place in places)
    return {
        str(file.relative_to(ROOT))
        for file, tree in files.items()
        for node in nodes(tree)
        for module in imported(node)
        if any(f"{module}.".startswith(f"{name}.") for name in names)
    }


def test_the_core_imports_no_package_that_it_finds_through_hooks() -> None:
    assert import_any(core(), OWN_PACKAGES) == set()


def texts(tree: ast.Module) -> Iterator[str]:
    """The strings of a module but for those that stand alone, such as docstrings."""
    alone = {id(node.value) for node in nodes(tree) if isinstance(node, ast.Expr)}
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value


def test_the_core_names_no_package_that_it_finds_through_hooks() -> None:
    """Not even as text, to import it late. Games use the kit, so that their cells may read it."""
    names = [Path(place).name for place in OWN_PACKAGES if not place.endswith("/tiltyard_kit")]
    found = {file.name: text for file, tree in core().items() for text in texts(tree) if any(name in text for name in names)}
    assert found == {}


def test_the_host_names_no_game_and_no_team() -> None:
    """What it has to know of one stands in the game's own record, where any game can say it."""
    names = "|".join(path.name for path in (ROOT / "plugins").iterdir())
    is_name = re.compile(rf"(?:tiltyard[-_\[])?(?:{names})\b\]?")
    found = {str(file.relative_to(ROOT)) for file, tree in host().items() if any(map(is_name.fullmatch, texts(tree)))}
    assert found == set(NAMES_GAMES)


def test_tables_are_laid_out_in_one_place() -> None:
    """Games have a second one, because they require the engine alone; grades are in the form that learning platforms read."""
    tables = "simulator/tiltyard_simulator/output/tables.py"
    files = product() | sources("benchmarks", "docs", "release")
    assert import_any(files, ["/tabulate.py"]) == {tables}
    writers = {str(file.relative_to(ROOT)) for file in files if "csv.writer(" in file.read_text(encoding="utf-8")}
    assert writers == {tables, "engine/tiltyard_kit/sheet.py", "tournaments/tiltyard_league/database/grades.py"}


def test_nothing_imports_what_only_leads_to_a_new_name() -> None:
    assert import_any(product(), OLD_NAMES) == set()
