"""Deadlines as people write them, and as they are shown back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from tests.intake.made_archives import zipped
from typer.testing import CliRunner

from tiltyard_intake.command import intake
from tiltyard_intake.command.deadlines import deadline_of, in_both_zones
from tiltyard_intake.command.settings_file import IntakeSettingsError, read_intake_settings
from tiltyard_intake.exports.entries import read_entries
from tiltyard_league.league_file.loading import read_settings


def test_a_day_alone_means_its_end() -> None:
    assert deadline_of("2026-11-30") == datetime(2026, 11, 30, 23, 59, 59, 999999)
    assert deadline_of("2026-11-30 12:30") == datetime(2026, 11, 30, 12, 30)
    assert deadline_of("2026-11-30T12:30+00:00") == datetime(2026, 11, 30, 12, 30, tzinfo=UTC)
    assert deadline_of(None) is None
    with pytest.raises(ValueError, match="'x' isn't a time"):
        deadline_of("x")


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The machine's time zone, where clocks are set forward in March and back in October."""
    monkeypatch.setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "2026-10-25 02:30",
            (
                "'2026-10-25 02:30' exists twice, because clocks go back in this machine's time zone then;"
                " write '2026-10-25 02:30+02:00' (CEST) or '2026-10-25 02:30+01:00' (CET)"
            ),
        ),
        (
            "2026-03-29 02:30",
            (
                "'2026-03-29 02:30' doesn't exist, because clocks go forward in this machine's time zone then;"
                " write '2026-03-29 01:30+01:00' (CET) or '2026-03-29 03:30+02:00' (CEST)"
            ),
        ),
        (datetime(2026, 10, 25, 2, 59, 59), "write '2026-10-25 02:59:59+02:00' (CEST) or '2026-10-25 02:59:59+01:00' (CET)"),
        ("0001-01-01", "'0001-01-01 23:59:59' is too far from today; expected one such as '2026-11-30 23:59'"),
    ],
)
def test_a_deadline_that_is_there_twice_or_not_at_all_is_refused_with_both_readings(said: str | datetime, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        deadline_of(said)
    # What is told to be written can be written, and both are an hour apart.
    written = re.findall(r"'(2026[^']+[+][^']+)'", told)
    times = [deadline_of(text) for text in written]
    assert [at.utcoffset() for at in times if at] == [timedelta(hours=int(text[-4])) for text in written]
    assert len(set(times)) == len(written)


@pytest.mark.usefixtures("berlin")
def test_all_other_deadlines_are_taken_as_they_are() -> None:
    for said in ("2026-10-25 01:59", "2026-10-25 03:00", "2026-03-29 01:59", "2026-03-29 03:00", "2026-10-25"):
        at = deadline_of(said)
        assert at is not None
        assert at.tzinfo is None


@pytest.mark.parametrize(
    ("zone", "shown"),
    [
        (UTC, "2026-12-18 23:59 UTC"),
        (timezone(timedelta(hours=1), "CET"), "2026-12-18 23:59 CET (22:59 UTC)"),
        (timezone(timedelta(hours=-5), "EST"), "2026-12-18 23:59 EST (2026-12-19 04:59 UTC)"),
    ],
)
def test_a_deadline_is_shown_in_the_zone_of_the_server_and_in_that_of_all_other_times(zone: timezone, shown: str) -> None:
    assert in_both_zones(datetime(2026, 12, 18, 23, 59, tzinfo=zone)) == shown


@pytest.mark.usefixtures("berlin")
def test_without_a_zone_it_is_shown_in_the_machines() -> None:
    assert in_both_zones(datetime(2026, 12, 18, 23, 59)) == "2026-12-18 23:59 CET (22:59 UTC)"


@pytest.mark.usefixtures("berlin")
def test_an_intake_says_which_deadline_it_holds_to(tmp_path: Path) -> None:
    (tmp_path / "handed-in").mkdir()
    words = [str(tmp_path / "handed-in"), "--game", "tanks", "--into", str(tmp_path / "teams"), "--deadline", "2026-07-01 12:00"]
    told = CliRunner().invoke(intake.app, words).stderr
    assert "deadline: 2026-07-01 12:00 CEST (10:00 UTC); later work is marked as late, and still taken\n" in told


def test_what_the_marks_of_a_download_rest_on_is_said(tmp_path: Path) -> None:
    """The option did nothing for a zip, and promised that what came later is marked."""
    ann, bob = (f"{name}_assignsubmission_file_/tank.py" for name in ("Ann Alder_1", "Bob Birch_2"))
    words = [str(tmp_path / "moodle.zip"), "--game", "tanks", "--into", str(tmp_path / "teams"), "--dry-run"]
    for at, note in (
        (
            (2026, 7, 2, 9, 0, 0),
            "note: whether a work is late follows from the times of its files in moodle.zip; these",
        ),
        (
            (2026, 7, 9, 9, 0, 0),
            "note: it isn't known when 2 of 2 works were handed in, so none of these is marked",
        ),
    ):
        data = zipped({ann: b"x = 1", bob: b"x = 1"}, times={ann: at, bob: (2026, 7, 9, 9, 30, 0)})
        (tmp_path / "moodle.zip").write_bytes(data)
        found = CliRunner().invoke(intake.app, [*words, "--deadline", "2026-07-05"])
        assert note in found.stderr
        assert ("2026-07-09 09:30 (late)" in found.stdout) == ("is late follows" in note)
        assert "note:" not in CliRunner().invoke(intake.app, words).stderr


@pytest.mark.usefixtures("berlin")
def test_a_zips_times_are_local(tmp_path: Path) -> None:
    ann, bob = (f"{name}_assignsubmission_file_/tank.py" for name in ("Ann Alder_1", "Bob Birch_2"))
    times = {ann: (2026, 7, 9, 9, 30, 0), bob: (2026, 1, 9, 9, 30, 0)}
    (tmp_path / "moodle.zip").write_bytes(zipped({ann: b"x = 1", bob: b"x = 1"}, times=times))
    listing = read_entries(tmp_path / "moodle.zip", work=tmp_path / "work")
    assert [entry.handed_in for entry in listing.entries] == [
        datetime(2026, 7, 9, 7, 30, tzinfo=UTC),
        datetime(2026, 1, 9, 8, 30, tzinfo=UTC),
    ]


@pytest.mark.usefixtures("berlin")
def test_the_end_of_the_grace_is_shown_in_the_zone_of_its_own_day(tmp_path: Path) -> None:
    (tmp_path / "league.yaml").write_text("game: tanks\nleague: {deadline: 2026-10-25 01:00, grace: 3}\n")
    settings = read_settings(tmp_path)
    assert settings.deadline is not None
    assert settings.end is not None
    assert in_both_zones(settings.deadline) == "2026-10-25 01:00 CEST (2026-10-24 23:00 UTC)"
    # The night has an hour more.
    assert in_both_zones(settings.end) == "2026-10-25 03:00 CET (02:00 UTC)"


@pytest.mark.parametrize("value", ["20261130", "23:59", "[1]", "{}", "true"])
def test_what_is_no_time_is_told_once(tmp_path: Path, value: str) -> None:
    """It was told three times: once for each form that a time may have."""
    (tmp_path / "intake.yaml").write_text(f"deadline: {value}\n")
    with pytest.raises(
        IntakeSettingsError, match=r"1: deadline: .* isn't a time; expected one such as '2026-11-30 23:59'\n"
    ) as caught:
        read_intake_settings(tmp_path / "intake.yaml")
    assert len(caught.value.problems) == 1
