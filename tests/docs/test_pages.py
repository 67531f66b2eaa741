"""Every command on every page prints what the page shows."""

from __future__ import annotations

import ast
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.docs import console
from tests.fork_server import QuickCommands

from tiltyard_simulator.registry.isolation_policy import ISOLATION_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "engine/README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "plugins").glob("*/README.md")),
]
INLINE = [
    ROOT / "docs" / page
    for page in (
        "index.md",
        "tutorial/first-algorithm.md",
        "how-to/run-a-competition.md",
        "how-to/run-a-tournament.md",
        "start/organisers.md",
        "start/team-members.md",
    )
]
"""Pages that isolation changes nothing of: their teams play in the commands' own process, which starts in no time."""
FIRST_READ = ROOT / "README.md"
"""What is typed by somebody who has just installed it. Its commands are started as a shell starts them."""


@pytest.fixture(scope="session")
def quick_commands(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The commands of the other pages come from a server that has imported what they import."""
    environment = console.environment_for(tmp_path_factory.mktemp("page"))
    server = QuickCommands(tmp_path_factory.mktemp("quick"), environment)
    with closing(server):
        yield server.folder


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path, quick_commands: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if page in INLINE:
        monkeypatch.setenv(ISOLATION_VARIABLE, "inline")
    if console.needs_openspiel(page.read_text(encoding="utf-8")):
        pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")
    _play(page, tmp_path, None if page == FIRST_READ else quick_commands)


def _play(page: Path, tmp_path: Path, quick: Path | None) -> None:
    try:
        # Closed in any case: it ends the page's servers.
        with closing(console.play(page.read_text(encoding="utf-8"), tmp_path, quick)) as played:
            for command, found in played:
                where = f"{page.relative_to(ROOT)}, line {command.number}: $ {command.line}"
                shown = "\n".join(command.expected)
                assert command.shows(found), f"{where}\n--- shown\n{shown}\n--- printed\n{found}"
    except console.MissingToolError as error:
        pytest.skip(f"the rest of the page: {error}")


@pytest.mark.parametrize("page", [*PAGES, *sorted(ROOT.glob("[C-Z]*.md"))], ids=lambda page: str(page.relative_to(ROOT)))
def test_links(page: Path) -> None:
    """Links to files and folders of the project lead somewhere."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = [*re.findall(r"\]\(([^)\s]+)\)", text), *re.findall(r'(?:src|href)="([^"]+)"', text)]
    for target in targets:
        path = target.split("#")[0]
        if path and "://" not in path:
            assert (page.parent / path).exists(), f"{page.relative_to(ROOT)}: {target}"


def test_that_a_wrong_page_fails(tmp_path: Path) -> None:
    (command,) = console.steps("```console\n$ echo one; echo two\none\nthree\n```\n")
    assert isinstance(command, console.Command)
    found = console.run(command, tmp_path, os.environ)
    assert found == "one\ntwo"
    assert not console.matches("\n".join(command.expected), found)
    assert console.matches("one\n...", found)


def test_that_a_page_is_refreshed() -> None:
    page = "```console\n$ echo one; echo two\none\nthree\n$ echo at /tmp/x\nat ...\n```\n"
    assert console.refreshed(page) == "```console\n$ echo one; echo two\none\ntwo\n$ echo at /tmp/x\nat ...\n```\n"


def test_what_a_page_had_compiled_is_there_for_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    page = "```console\n$ ls .cache/tiltyard\n$ touch .cache/tiltyard/libtiltyard_native-1.so .cache/tiltyard/of-a-team\n```\n"
    for name, expected in (("first", ""), ("second", "libtiltyard_native-1.so")):
        (tmp_path / name).mkdir()
        (_, found), *_ = console.play(page, tmp_path / name)
        assert found == expected


def test_a_server_runs_until_the_page_ends(tmp_path: Path) -> None:
    page = (
        "```console background\n$ python3 -u -m http.server 8000\nServing HTTP on ... port 8000 ...\n```\n"
        "```console\n$ python3 -c \"import urllib.request as u; print(u.urlopen('http://localhost:8000/').status)\"\n200\n```\n"
    )
    (server, says), (asking, answer) = console.play(page, tmp_path)
    assert console.matches("\n".join(server.expected), says.splitlines()[0])
    assert "port 8000 " in says  # whatever it was
    assert [answer] == asking.expected


@pytest.mark.parametrize("printed", ["one\\ntwo 2", "other\\ntwo 2\\none"])
def test_a_server_may_print_its_lines_in_any_order(tmp_path: Path, printed: str) -> None:
    page = f"```console background\n$ sh -c 'printf \"{printed}\\n\"; exec sleep 100'\none\ntwo ...\n```\n"
    with closing(console.play(page, tmp_path)) as played:
        server, says = next(played)
        assert server.shows(says)
        assert not server.shows("one\nthree")
        assert not server.shows("one")


def test_a_server_that_ends_says_why(tmp_path: Path) -> None:
    ((_, says),) = console.play("```console background\n$ sh -c 'echo no; exit 1'\nyes\n```\n", tmp_path)
    assert says == "no"


def test_edits() -> None:
    text = "import os\n\n\nclass A:\n    x = 1\n\n    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n"
    both = console.edited(text, "class A:\n    def three(self):\n        return 3\n\n    def one(self):\n        return 11\n")
    assert both == (
        "import os\n\n\nclass A:\n    x = 1\n\n    def one(self):\n        return 11\n\n    def two(self):\n        return 2\n"
        "\n    def three(self):\n        return 3\n"
    )
    assert console.edited(text, "Y = 2\n").startswith("import os\n\nY = 2\n\n\nclass A:\n")
    functions = "def one():\n    return 1\n\n\ndef two():\n    return 2\n"
    both = console.edited(functions, "def three():\n    return 3\n\n\ndef two():\n    return 22\n")
    assert both == "def one():\n    return 1\n\n\ndef three():\n    return 3\n\n\ndef two():\n    return 22\n"


def test_worked_pairs(tmp_path: Path, quick_commands: Path) -> None:
    """Each map of docs/examples gives the output file beside it."""
    maps = sorted(path for path in (ROOT / "docs/examples").glob("*.txt") if not path.name.startswith(("output_", "input_")))
    assert [path.stem for path in maps] == ["duel", "four_players", "gates", "two_shells"]
    environment = console.with_commands(console.environment_for(tmp_path), quick_commands)
    for path in maps:
        shutil.copy(path, tmp_path)
        console.run(console.Command(f"tanks_game {path.name}", 0), tmp_path, environment)
        assert (tmp_path / f"output_{path.name}").read_bytes() == (path.parent / f"output_{path.name}").read_bytes()
    assert (tmp_path / "input_errors.txt").read_bytes() == (ROOT / "docs/examples/input_errors.txt").read_bytes()
    assert "Player 4 won" in (tmp_path / "output_four_players.txt").read_text()


def test_tutorial_ends_with_acorn(tmp_path: Path, quick_commands: Path) -> None:
    """What a reader of the tutorial has typed in the end is acorn's code, but for names, imports and texts for people."""
    page = (ROOT / "docs/tutorial/first-algorithm.md").read_text(encoding="utf-8")
    environment = console.with_commands(console.environment_for(tmp_path), quick_commands)
    console.run(console.Command("tiltyard new team thunder", 0), tmp_path, environment)
    for step in console.steps(page):
        if isinstance(step, console.Edit):
            file = tmp_path / step.name
            file.write_text(console.edited(file.read_text(encoding="utf-8"), step.text), encoding="utf-8")
    template = (tmp_path / "thunder/thunder/player.py").read_text(encoding="utf-8")
    shown = page.split("```python\nclass BoardInfo")[1].split("```")[0].rstrip()
    assert template.endswith(f"class BoardInfo{shown}\n")
    for name in ("player.py", "tank.py"):
        made = (tmp_path / "thunder/thunder" / name).read_text(encoding="utf-8").replace("Thunder", "Acorn")
        assert _code(made) == _code((ROOT / "plugins/acorn/tiltyard_acorn" / name).read_text(encoding="utf-8"))


def _code(text: str) -> list[str]:
    """The statements of a module without its imports and without docstrings."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            node.body = [part for part in node.body if not (isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant))]
    return [ast.unparse(node) for node in tree.body if not isinstance(node, ast.Import | ast.ImportFrom)]
