"""What was handed in is kept, each attempt once, and not without end."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.intake.making import plant

from tiltyard_intake.report import source_archive
from tiltyard_intake.report.source_archive import MOST_OLDER, with_older_sources, with_sources
from tiltyard_intake.report.team_report import TeamReport, Verdict
from tiltyard_intake.trees.team_tree import Tree

SAID = TeamReport(label="Ann", team="Ann", verdict=Verdict.UNBUILT, handed_in="2026-11-23T10:00:00+00:00")


def kept(folder: Path, text: str) -> TeamReport:
    tree = plant(folder / "tree", {"src/bot.py": text, "odd \udcff.txt": ""})
    return with_sources(SAID, Tree(tree, 2, len(text), ()), folder / "reports")


def test_each_attempt_is_kept_once_and_the_oldest_go(tmp_path: Path) -> None:
    first = kept(tmp_path, "0")
    assert (first.older_sources, first.notes) == ((), ())
    assert kept(tmp_path, "0") == first
    places = [kept(tmp_path, str(number)).sources for number in range(1, MOST_OLDER + 3)]
    # One that is handed in again is the latest.
    again = kept(tmp_path, "3")
    assert again.sources == places[2]
    assert again.older_sources == (places[1], *places[3:])
    assert again.notes == (f"{MOST_OLDER} earlier attempts are kept",)
    assert len(list((tmp_path / "reports").rglob("*"))) == 2 + MOST_OLDER + 1
    with ZipFile(tmp_path / "reports" / again.sources) as archive:
        assert archive.namelist() == ["odd \\udcff.txt", "src/bot.py"]
        assert archive.read("src/bot.py") == b"3"
    # What can't be unpacked has no sources, but attempts before it.
    assert with_older_sources(SAID, tmp_path / "reports").older_sources[-1] == again.sources


def test_what_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_archive, "MOST_BYTES", 3 << 20)
    before = kept(tmp_path, "0").sources
    said = with_sources(SAID, Tree(tmp_path / "tree", 1, 4 << 20, ()), tmp_path / "reports")
    assert (said.sources, said.older_sources) == ("", (before,))
    assert said.notes[0] == "no copy of these sources is kept: they are larger than 3 MB"
