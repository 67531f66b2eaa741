"""What ``docs/make.py`` makes is up to date, and it says or writes what isn't."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.scripts import ROOT, load_script

from tiltyard_tournaments.cli.start import LazyGroup

make = load_script("docs/make.py")
MAKER = """
from pathlib import Path

def files():
    return {Path(__file__).with_name(name): "new\\n" for name in ("one.md", "two.md", "three.md")}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages, of which the first is up to date, the second is not and the third is not there; and what makes them."""
    (tmp_path / "one.md").write_text("new\n")
    (tmp_path / "two.md").write_text("old\n")
    (tmp_path / "maker_of_three_pages.py").write_text(MAKER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(make, "ROOT", tmp_path)
    monkeypatch.setattr(make, "MAKERS", {"pages": "maker_of_three_pages"})
    for name in make.ENVIRONMENT:
        monkeypatch.setenv(name, "")
    return tmp_path


def test_what_is_made_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "docs/make.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_page_of_a_command_is_made() -> None:
    made = load_script("docs/reference/commands.py").OTHER_PROGRAMS.keys() | {*LazyGroup.order}
    pages = {path.stem for path in (ROOT / "docs/reference/commands").iterdir()}
    assert made <= pages
    assert all(f"(commands/{page}.md)" in (ROOT / "docs/reference/commands.md").read_text(encoding="utf-8") for page in pages)


def test_what_is_out_of_date_is_named_and_then_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert make.main(["--check"]) == 1
    assert capsys.readouterr().err == (
        "two.md is out of date: run docs/make.py pages\nthree.md is out of date: run docs/make.py pages\n"
    )
    assert (folder / "two.md").read_text() == "old\n"
    assert make.main([]) == 0
    assert capsys.readouterr().out == "two.md\nthree.md\n"
    assert (folder / "three.md").read_text() == "new\n"
    assert make.main(["--check", "pages"]) == 0


def test_an_unknown_name_is_told_with_the_known_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        make.main(["page"])
    assert ended.value.code == 2
    assert capsys.readouterr().err.endswith("error: there is no 'page': expected some of pages\n")
