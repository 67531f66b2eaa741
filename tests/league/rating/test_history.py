"""Ratings over time: which points there are, that they are those of a fit of that moment, and how they are drawn."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.league.conftest import Course

from tiltyard_league.rating.history import HISTORY, HOURLY, HistoryKeeper, point_times, read_history
from tiltyard_league.rating.standing import LeagueStanding, StandingLine, read_standing
from tiltyard_league.web.pages.curves import MOST_MARKS, make_curve

HERE = datetime(2026, 12, 3, 14, 20, tzinfo=UTC)


@given(st.integers(0, 200 * 24 * 60))
def test_each_hour_has_a_point_for_two_days_and_each_day_before(minutes: int) -> None:
    first = HERE - timedelta(minutes=minutes)
    times = list(point_times(first, HERE))
    assert len(times) == len(set(times))
    assert all(first < at <= HERE for at in times)
    assert all(at.hour == 0 for at in times if HERE - at > HOURLY)
    recent = [at for at in times if HERE - at <= HOURLY]
    assert all(later - earlier == timedelta(hours=1) for later, earlier in pairwise(recent))
    assert len(times) >= min(minutes // 60, 48) + max(0, minutes - 3 * 24 * 60) // (24 * 60)
    assert len(times) <= 49 + minutes // (24 * 60) + 1


def test_missing_points_are_added_one_at_a_time_and_old_hours_go(tmp_path: Path) -> None:
    times: list[str] = []

    def standing_at(at: str) -> LeagueStanding:
        times.append(at)
        return LeagueStanding(
            games=len(times), lines=[StandingLine(team=7, version=1, rating=1.23, error=9.0, games=1, wins=1, ties=0, losses=0)]
        )

    first = (HERE - timedelta(hours=3)).isoformat()
    keeper = HistoryKeeper(tmp_path, standing_at)
    assert not keeper.step("", HERE)
    assert [keeper.step(first, HERE) for _ in range(4)] == [True, True, True, False]
    assert times == [f"2026-12-03T{hour}:00:00.000+00:00" for hour in (14, 13, 12)]
    history = read_history(tmp_path)
    assert history.of_team(7, until=times[1]) == [(times[2], 1.2, 9.0), (times[1], 1.2, 9.0)]
    assert history.of_team(8) == []
    # Another process knows them; four days later only midnights are left of them.
    later = HistoryKeeper(tmp_path, standing_at)
    while later.step(first, HERE + timedelta(days=4)):
        pass
    assert times[0] not in {point.at for point in read_history(tmp_path).points}
    later.forget()
    assert later.step(first, HERE)
    (tmp_path / HISTORY).write_text("{")
    assert read_history(tmp_path).points == []


def test_a_curve_has_hours_within_a_day_and_days_within_a_term() -> None:
    def points(step: timedelta, number: int) -> list[tuple[str, float, float]]:
        return [((HERE + place * step).isoformat(), 10.0 * place, 5.0) for place in range(number)]

    assert make_curve(points(timedelta(hours=1), 2), []) is None
    accepted = [(HERE + timedelta(hours=2)).isoformat(), "", (HERE - timedelta(hours=9)).isoformat()]
    day = make_curve(points(timedelta(hours=1), 5), accepted)
    assert day is not None
    assert (day.low, day.high, day.versions) == (-5.0, 45.0, (50.0,))
    assert [words for _, words in day.marks] == ["15:00", "16:00", "17:00", "18:00"]
    assert day.line.split()[0] == "0.0,90.0"
    term = make_curve(points(timedelta(days=1), 100), [])
    assert term is not None
    assert 2 <= len(term.marks) <= MOST_MARKS + 1
    assert all(":" not in words for _, words in term.marks)


def test_the_last_point_is_what_the_standing_says(course: Course) -> None:
    from contextlib import closing

    from tiltyard_league.service.main import Service
    from tiltyard_simulator.play.executor import InlineExecutor

    with closing(InlineExecutor()) as executor, closing(Service(course.league, executor, 1)) as service:
        service.active_versions.look()
        standing = service.standing_at("9999")
    assert [(line.team, line.rating) for line in standing.lines] == [
        (line.team, line.rating) for line in read_standing(course.folder).lines
    ]
