"""The page of this release's measurements: its parts are those of the script, and a new result takes the place of the old one."""

from __future__ import annotations

import re

import pytest
from tests.scripts import ROOT, load_script

PAGE = (ROOT / "docs/reference/benchmarks.md").read_text(encoding="utf-8")
table = load_script("benchmarks/__main__.py")


def test_the_page_has_a_place_for_each_part_and_each_was_measured() -> None:
    places = {found["name"]: found[0] for found in table._PART.finditer(PAGE)}
    assert list(places) == list(table.PARTS)
    for name, part in table.PARTS.items():
        assert "Measured on 20" in places[name]
        assert f"$ python benchmarks/{' '.join([part.script, *part.arguments])}\n" in places[name]


def test_a_new_result_takes_the_place_of_the_old_one_and_others_stay() -> None:
    page = "# A\n\n<!-- measured: one -->\nold\n<!-- end -->\n\ntext\n\n<!-- measured: two -->\n<!-- end -->\n"
    new = table.refreshed(page, {"one": "new"})
    assert new == page.replace("old", "new")
    assert table.refreshed(new, {}) == new
    assert table.refreshed(page, {"two": "x"}).endswith("<!-- measured: two -->\nx\n<!-- end -->\n")


def test_the_machine_is_described_with_what_else_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "LOOK_SECONDS", 0.05)
    words = table.machine()
    assert words.startswith("Measured on 20")
    assert "cores (" in words
    assert re.search(r", \d+% used by other work(: \*\*the machine had other work\*\*.*)?\.$", words)


def test_others_are_those_that_leave_no_core_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(["cpu  100 0 50 1000 10 0", "cpu  130 0 60 1050 20 0"])
    monkeypatch.setattr(table, "LOOK_SECONDS", 0.0)
    monkeypatch.setattr(table, "_lines", lambda path: [next(looks)])
    assert table.others_share() == pytest.approx(0.4)
