"""The text for a team: what it says for each verdict."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_intake.report.feedback import MOST_LINES, feedback, write_feedback
from tiltyard_intake.report.team_report import BUILT, TeamReport, Verdict, time_in_words

BROKEN = TeamReport(
    label="Ann\nAmes",
    team="Ann_Ames",
    verdict=Verdict.UNBUILT,
    handed_in="2026-11-30T12:00:00+00:00",
    time_from="file",
    is_late=True,
    found="holds C++ sources (Tank.cpp)",
    recipe="tanks-cpp",
    title="C++ files of one algorithm",
    error="Tank.cpp:3: expected ';'",
    notes=("not in the list of students",),
    log="logs/Ann_Ames.txt",
)


def test_a_build_that_failed_is_told_with_what_it_printed(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    helper = "$ python3 -I headers/pick_plugin.py tree out\n"
    (tmp_path / "logs" / "Ann_Ames.txt").write_text("".join(f"line {number}\x1b\n" for number in range(100)) + helper)
    write_feedback(BROKEN, tmp_path)
    lines = (tmp_path / "feedback" / "Ann_Ames.txt").read_text().splitlines()
    assert lines[:16] == [
        "Ann Ames",
        "",
        "Your work doesn't build, so you have no team yet.",
        "",
        "The first error:",
        "    Tank.cpp:3: expected ';'",
        "Fix this, copy your files to an empty folder, try them there with 'tiltyard check FILE', then hand in again.",
        "",
        "Notes:",
        "- not in the list of students",
        "",
        f"Handed in: {time_in_words(BROKEN.handed_in)}, by the file's own time, which is late",
        "Found in it: C++ sources (Tank.cpp)",
        "Read as: C++ files of one algorithm",
        "",
        f"The last {MOST_LINES} lines that the build printed:",
    ]
    assert lines[16:] == [f"    line {number}\N{REPLACEMENT CHARACTER}" for number in range(100 - MOST_LINES, 100)]


@pytest.mark.parametrize("verdict", [each for each in Verdict if each not in (Verdict.ABSENT, Verdict.GONE, Verdict.FOUND)])
def test_every_verdict_has_a_sentence(verdict: Verdict) -> None:
    text = feedback(TeamReport(label="Ben", verdict=verdict, error="" if verdict in BUILT else "what is wrong"))
    assert text.splitlines()[2].startswith("Your work ")
    # Each refusal ends with the next step.
    assert ("again." in text) is (verdict not in (*BUILT, Verdict.UNTRIED))
    assert ("You don't need to do anything" in text) is (verdict is Verdict.UNTRIED)
    assert ("    what is wrong" in text) is (verdict not in BUILT)
