"""No picture is older than what it shows, each is made by a program, and each page to begin with has one."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import ModuleType

import pytest
from tests.scripts import ROOT, load_script

PICTURES = ROOT / "docs/pictures"
START_PAGES = sorted((ROOT / "docs/start").glob("*.md"))
drawn_from = load_script("docs/pictures/drawn_from.py")


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A folder of one picture, with its program and the page that it shows."""
    folder = tmp_path / "docs/pictures"
    folder.mkdir(parents=True)
    (folder / "page.png").touch()
    (folder / "make_page.py").write_text("# photographs it")
    (tmp_path / "page.css").write_text("a {}")
    monkeypatch.setattr(drawn_from, "ROOT", tmp_path)
    monkeypatch.setattr(drawn_from, "FOLDER", folder)
    monkeypatch.setattr(drawn_from, "NOTES", folder / "drawn_from.json")
    monkeypatch.setattr(drawn_from, "SOURCES", {"make_page.py": ("*.css",)})
    drawn_from.note("page.png", "make_page.py")
    return drawn_from


def test_no_photograph_is_older_than_what_it_shows() -> None:
    assert list(drawn_from.out_of_date()) == []


def test_all_other_pictures_come_from_the_code() -> None:
    """``docs/make.py --check`` compares those: what it makes is named in a program beside them."""
    programs = "".join(path.read_text(encoding="utf-8") for path in PICTURES.glob("*.py"))
    names = [re.sub(r"-(light|dark)$", "", path.stem) for path in PICTURES.glob("*.svg")]
    assert [name for name in names if not re.search(rf"\b{name}\b", programs) and name.replace("-", "_") not in programs] == []


@pytest.mark.parametrize("page", START_PAGES, ids=lambda page: page.stem)
def test_each_page_to_begin_with_has_a_picture(page: Path) -> None:
    assert re.findall(r"!\[[^\]]+\]\(\.\./pictures/[\w-]+\.(?:svg|png|gif)\)", page.read_text(encoding="utf-8"))


def test_what_changed_is_told_with_what_to_run(copy: ModuleType) -> None:
    assert list(copy.out_of_date()) == []
    command = "run .venv/bin/python docs/pictures/make_page.py"
    for path in (copy.ROOT / "page.css", copy.FOLDER / "make_page.py"):
        path.write_text(f"{path.read_text()}\n")
        assert list(copy.out_of_date()) == [f"docs/pictures/page.png is older than what it shows: {command}, and look at it"]
        copy.note("page.png", "make_page.py")
    (copy.ROOT / "new.css").touch()
    assert len(list(copy.out_of_date())) == 1


def test_pictures_that_nobody_made_or_has_are_told(copy: ModuleType) -> None:
    (copy.FOLDER / "other.gif").touch()
    (copy.FOLDER / "page.png").unlink()
    assert list(copy.out_of_date()) == [
        "docs/pictures/other.gif was made by no program of docs/pictures/drawn_from.py",
        "docs/pictures/page.png is missing: run .venv/bin/python docs/pictures/make_page.py",
    ]


def test_a_source_that_was_moved_is_an_error(copy: ModuleType) -> None:
    (copy.ROOT / "page.css").rename(copy.ROOT / "style.scss")
    with pytest.raises(FileNotFoundError, match=r"\*\.css in SOURCES"):
        list(copy.out_of_date())


def test_notes_name_programs_that_there_are() -> None:
    programs = {made["by"] for made in json.loads((PICTURES / "drawn_from.json").read_text(encoding="utf-8")).values()}
    assert programs == drawn_from.SOURCES.keys()
