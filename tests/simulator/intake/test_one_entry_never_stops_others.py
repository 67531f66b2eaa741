"""Whatever one team hands in, the others are taken in, and the report says what is wrong with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.simulator.intake.archives import empty_folders, endless
from tests.simulator.intake.test_class_intake import SHOOTS, TEAM

from tiltyard_simulator.intake.class_intake import IntakeOptions, take_in
from tiltyard_simulator.intake.team_report import TeamReport, Verdict
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry

FOLDERS = 30_000


def taken_in(folder: Path, name: str, data: bytes) -> dict[str, TeamReport]:
    """A class of three: two sound ones, and Ben with a file."""
    handed_in = folder / "handed-in"
    handed_in.mkdir()
    for sound in ("Ann", "Cem"):
        (handed_in / f"{sound}.py").write_text(TEAM.format(act=SHOOTS))
    (handed_in / name).write_bytes(data)
    options = IntakeOptions(handed_in=handed_in, into=folder / "teams", reports=folder / "reports", game="tanks", plays_once=False)
    return {each.label: each for each in take_in(options, open_registry(IsolationPolicy()), lambda *_: None).teams}


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
