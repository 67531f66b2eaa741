"""What is on disk while an intake runs accounts for everybody who is done, and is not all written again for each."""

from __future__ import annotations

from pathlib import Path

from tiltyard_intake.report.report_writer import ReportWriter
from tiltyard_intake.report.team_report import NEWER, REPORT, IntakeReport, TeamReport, Verdict, read_report
from tiltyard_simulator.teams import TEAMS_RECORD
from tiltyard_simulator.teams.team_folder import NEWER as NEWER_IN_TEAMS
from tiltyard_simulator.teams.team_folder import read_team_folder


def team(number: int, verdict: Verdict = Verdict.PLAYS) -> TeamReport:
    products = (f"t{number}.py",) if verdict is Verdict.PLAYS else ()
    error = "" if products else "t.py:1: wrong"
    return TeamReport(label=f"Team {number}", team=f"t{number}", verdict=verdict, products=products, error=error)


def whole_writes(count: int, tmp_path: Path) -> int:
    """How often everything was written for so many teams; after each, everybody who is done is known."""
    written = ReportWriter(IntakeReport(game="tanks"), {}, reports=tmp_path / "r", into=tmp_path / "t")
    (tmp_path / "r").mkdir()
    (tmp_path / "t").mkdir()
    times = set()
    for number in range(count):
        written.add(team(number, Verdict.UNBUILT if number % 5 == 0 else Verdict.PLAYS))
        times.add((tmp_path / "r" / REPORT).stat().st_ino)
        report = read_report(tmp_path / "r")
        assert report is not None
        assert [each.label for each in report.teams] == [f"Team {each}" for each in range(number + 1)]
        record = read_team_folder(tmp_path / "t")
        assert len(record.labels) + len(record.not_admitted) == number + 1
        assert (tmp_path / "r" / "feedback" / f"t{number}.txt").exists()
    return len(times)


def test_everybody_is_accounted_for_at_any_time_and_little_is_written_twice(tmp_path: Path) -> None:
    assert whole_writes(60, tmp_path) < 40


def test_what_a_kill_cut_off_is_left_out_and_the_next_line_stays_whole(tmp_path: Path) -> None:
    whole_writes(30, tmp_path)
    for path in (tmp_path / "r" / NEWER, tmp_path / "t" / NEWER_IN_TEAMS):
        path.write_bytes(path.read_bytes()[:-9] if path.exists() else b'{"label": "Te')
    before = {each.team: each for each in getattr(read_report(tmp_path / "r"), "teams", ())}
    written = ReportWriter(IntakeReport(game="tanks"), before, reports=tmp_path / "r", into=tmp_path / "t")
    for number in range(40):
        written.add(team(number))
    report = read_report(tmp_path / "r")
    assert report is not None
    assert {each.team for each in report.teams} == {f"t{number}" for number in range(40)}
    assert {each.verdict for each in report.teams} == {Verdict.PLAYS}
    written.write()
    assert not (tmp_path / "r" / NEWER).exists()
    assert sorted(path.name for path in (tmp_path / "t").iterdir()) == [TEAMS_RECORD]
    assert read_team_folder(tmp_path / "t").not_admitted == ()
