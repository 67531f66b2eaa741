"""Every command on every page prints what the page shows."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.docs import console

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "plugins").glob("*/README.md"))]


PIP = """\
#!/bin/sh
# Installs beside the project's environment, not into it, and without a network.
shift
for word in "$@"; do case "$word" in -*) ;; *) package=$word ;; esac; done
exec {python} -m pip install --quiet --no-build-isolation --no-deps --target {target} "$package"
"""


def environment_for(folder: Path) -> Mapping[str, str]:
    """The project's commands first on the path, an installation folder of the page's own, nothing of the terminal's."""
    commands, target = folder / ".commands", folder / ".installed"
    commands.mkdir()
    pip = commands / "pip"
    pip.write_text(PIP.format(python=sys.executable, target=target))
    pip.chmod(0o755)
    return {
        "PATH": os.pathsep.join([str(commands), str(Path(sys.executable).parent), os.environ["PATH"]]),
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, [str(target), os.environ.get("PYTHONPATH", "")])),
        "COLUMNS": "100",
        "LC_ALL": "C.UTF-8",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_page(page: Path, tmp_path: Path) -> None:
    environment = environment_for(tmp_path)
    for step in console.steps(page.read_text(encoding="utf-8")):
        if isinstance(step, console.File):
            file = tmp_path / step.name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
        elif not console.is_setup(step):
            if "DOCS" in step.line and not (tmp_path / "DOCS").exists():
                shutil.copytree(ROOT / "docs", tmp_path / "DOCS")
            found = console.run(step, tmp_path, environment)
            expected = "\n".join(line.rstrip() for line in step.expected)
            where = f"{page.relative_to(ROOT)}, line {step.number}: $ {step.line}"
            assert console.matches(expected.rstrip(), found), f"{where}\n--- shown\n{expected}\n--- printed\n{found}"


def test_that_a_wrong_page_fails(tmp_path: Path) -> None:
    (command,) = console.steps("```console\n$ echo one; echo two\none\nthree\n```\n")
    found = console.run(command, tmp_path, os.environ)
    assert found == "one\ntwo"
    assert not console.matches("\n".join(command.expected), found)
    assert console.matches("one\n...", found)


def test_worked_pairs(tmp_path: Path) -> None:
    """Each map of docs/examples gives the output file beside it."""
    maps = sorted(path for path in (ROOT / "docs/examples").glob("*.txt") if not path.name.startswith(("output_", "input_")))
    assert [path.stem for path in maps] == ["duel", "four_players", "gates", "two_shells"]
    environment = environment_for(tmp_path)
    for path in maps:
        shutil.copy(path, tmp_path)
        console.run(console.Command(f"tanks_game {path.name}", 0), tmp_path, environment)
        assert (tmp_path / f"output_{path.name}").read_bytes() == (path.parent / f"output_{path.name}").read_bytes()
    assert (tmp_path / "input_errors.txt").read_bytes() == (ROOT / "docs/examples/input_errors.txt").read_bytes()
    assert "Player 4 won" in (tmp_path / "output_four_players.txt").read_text()
