"""Whatever one team hands in, the others are taken in, and the report says what is wrong with it."""

from __future__ import annotations

import lzma
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.intake.made_archives import empty_folders, endless, zipped
from tests.intake.making import pool_of_builds
from tests.intake.test_intake import SHOOTS, TEAM

from tiltyard_intake import intake
from tiltyard_intake.archives.bounds import BOUNDS, EXPORT_BOUNDS, MIB
from tiltyard_intake.exports import lms_exports
from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.report.team_report import TeamReport, Verdict
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

FOLDERS = 30_000


def taken_in(folder: Path, name: str, data: bytes) -> dict[str, TeamReport]:
    """A class of three: two sound ones, and Ben with a file."""
    handed_in = folder / "handed-in"
    handed_in.mkdir(exist_ok=True)
    for sound in ("Ann", "Cem"):
        (handed_in / f"{sound}.py").write_text(TEAM.format(act=SHOOTS))
    (handed_in / name).write_bytes(data)
    options = IntakeOptions(
        handed_in=handed_in,
        into=folder / "teams",
        reports=folder / "reports",
        game="tanks",
        plays_once=False,
        cells=pool_of_builds(),
    )
    return {each.label: each for each in take_in(options, open_registry(IsolationPolicy()), lambda *_: None).teams}


def test_whoever_breaks_a_bound_is_told_which(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intake, "BOUNDS", replace(BOUNDS, memory=48 * MIB))
    # It asks for 64 MB to be read, whatever is in it.
    found = taken_in(tmp_path, "Ben.xz", lzma.compress(b"x = 1\n", preset=9))
    assert [each.verdict for each in found.values()].count(Verdict.PLAYS) == 2
    assert found["Ben"].verdict is Verdict.UNREADABLE
    assert found["Ben"].error == (
        "Ben.xz: is damaged: reading it takes more than 48 MB of memory; make a new zip of only the project"
    )


def test_a_folder_without_end_is_one_teams_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / "handed-in" / "Ben"
    deep.mkdir(parents=True)
    with monkeypatch.context() as context:
        context.chdir(deep)
        for _ in range(1_200):
            Path("a").mkdir()
            os.chdir("a")
        Path("bot.py").touch()
    try:
        found = taken_in(tmp_path, "readme.md", b"")
    finally:
        # Python's own function calls itself for each folder.
        subprocess.run(["rm", "-rf", str(deep)], check=True)
    assert found["Ben"].error == "Ben: contains folders more than 32 deep; send only the project"
    assert found["Ann"].verdict is found["Cem"].verdict is Verdict.PLAYS


def test_names_of_a_download_in_what_cannot_be_unpacked_are_one_teams_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"Student {number}_{number}_assignsubmission_file_/{number}/bot.py" for number in (1, 2)]
    monkeypatch.setattr(lms_exports, "EXPORT_BOUNDS", replace(EXPORT_BOUNDS, folders=3))
    found = taken_in(tmp_path, "Ben.zip", zipped(dict.fromkeys(names, TEAM.format(act=SHOOTS).encode())))
    assert sorted(found) == ["Ann", "Ben", "Cem"]
    assert found["Ann"].verdict is found["Cem"].verdict is Verdict.PLAYS


@pytest.mark.parametrize(
    ("name", "make", "error"),
    [
        ("Ben.tar.gz", endless, "Ben.tar.gz: is damaged (its end is missing); send it again"),
        ("Ben.zip", lambda: empty_folders(FOLDERS), "Ben.zip: contains more than 4,000 folders; leave out"),
    ],
)
def test_the_others_are_taken_in(name: str, make: Callable[[], bytes], error: str, tmp_path: Path) -> None:
    found = taken_in(tmp_path, name, make())
    assert {label: each.verdict for label, each in found.items()} == {
        "Ann": Verdict.PLAYS,
        "Ben": Verdict.UNREADABLE,
        "Cem": Verdict.PLAYS,
    }
    assert error in found["Ben"].error
