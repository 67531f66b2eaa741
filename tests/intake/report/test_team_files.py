"""What lies in the folder of teams from earlier intakes is known, even from one that was killed, and goes; nothing else does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_intake.report.team_files import TeamFiles
from tiltyard_intake.report.team_report import IntakeReport, TeamReport, Verdict


def report_of(label: str, *products: str) -> TeamReport:
    return TeamReport(label=label, team=label, verdict=Verdict.PLAYS, products=products)


@pytest.fixture
def into(tmp_path: Path) -> Path:
    """A folder of teams with a file of each of four, beside a file of somebody else."""
    folder = tmp_path / "teams"
    folder.mkdir()
    for name in ("teams/ann.py", "teams/ben.py", "teams/cid.py", "teams/own.py", "other.py"):
        (tmp_path / name).touch()
    return folder


def names(into: Path) -> list[str]:
    return sorted(path.name for path in into.iterdir())


def test_what_the_report_does_not_name_goes_if_an_intake_has_put_it_there(into: Path, tmp_path: Path) -> None:
    TeamFiles(into, tmp_path, {}).note(["cid.py"])
    # That one was killed; this is the next.
    placed = TeamFiles(into, tmp_path, {"ann": report_of("ann", "ann.py"), "ben": report_of("ben", "ben.py")})
    placed.remove_others(IntakeReport(game="tanks", teams=(report_of("ann", "ann.py"),)))
    assert names(into) == ["ann.py", "own.py"]
    placed.forget_notes()
    assert not (tmp_path / "placed.txt").exists()


def test_what_an_attempt_no_longer_has_goes(into: Path, tmp_path: Path) -> None:
    placed = TeamFiles(into, tmp_path, {"ann": report_of("ann", "ann.py", "ben.py")})
    placed.remove_old(report_of("ann", "ben.py"))
    placed.remove_old(report_of("new", "cid.py"))
    assert names(into) == ["ben.py", "cid.py", "own.py"]


def test_a_changed_report_does_not_lead_out_of_the_folder(into: Path, tmp_path: Path) -> None:
    outside = ("../other.py", str(tmp_path / "other.py"), "", "a\0b")
    TeamFiles(into, tmp_path, {"ann": report_of("ann", *outside)}).remove_old(report_of("ann"))
    assert (tmp_path / "other.py").exists()
    assert len(names(into)) == 4
