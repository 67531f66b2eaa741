from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.teams import add_team
from tiltyard_league.database.versions import (
    CheckReport,
    active_version_of,
    active_versions,
    add_version,
    begin_check,
    check_once_more,
    checks_before,
    end_check,
    entry_of,
    give_back_check,
    give_back_checks,
    next_to_check,
    quota,
    report_of,
    twins,
)

ENTRY = Reference(kind="algorithm", name="thunder", game="tanks", source=Source(name="x", origin=Origin.FILE, value="/x.py"))


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    make_database(tmp_path)
    with Database(tmp_path) as database, database.writing():
        add_team(database, "Red")
        add_team(database, "Blue")
        yield database


def hand_in(database: Database, team: int, upload: str, code: str = "") -> int:
    number, _ = add_version(database, team, upload=upload, name="a.zip", size=3, member=None, note="", late=False)
    version = database.number("SELECT id FROM versions WHERE team = ? AND number = ?", team, number)
    if code:
        begin_check(database, version)
        end_check(database, version, CheckReport(accepted=True, code=code, entry=ENTRY))
    return version


def test_the_newest_that_was_accepted_plays_or_the_one_that_was_chosen(database: Database) -> None:
    first = hand_in(database, 1, "a", "code 1")
    second = hand_in(database, 1, "b", "code 2")
    hand_in(database, 1, "c")
    assert [row["id"] for row in active_versions(database)] == [second]
    database.run("UPDATE teams SET chosen = ? WHERE id = 1", first)
    assert active_version_of(database, 1)["id"] == first  # type: ignore[index]
    database.run("UPDATE versions SET state = 'disabled' WHERE id = ?", first)
    assert active_version_of(database, 1)["id"] == second  # type: ignore[index]
    database.run("UPDATE teams SET state = 'disabled' WHERE id = 1")
    assert active_versions(database) == []
    row = database.row("SELECT * FROM versions WHERE id = ?", second)
    assert row is not None
    assert entry_of(row) == ENTRY
    assert report_of(row) == CheckReport(accepted=True, code="code 2")


def test_the_same_code_is_the_same_version_again(database: Database) -> None:
    first = hand_in(database, 1, "a", "code 1")
    second = hand_in(database, 1, "b", "code 2")
    again = hand_in(database, 1, "zipped otherwise", "code 1")
    row = database.row("SELECT * FROM versions WHERE id = ?", again)
    assert row is not None
    assert (row["state"], row["reason"]) == ("again", "the same code as version 1; keeps its games and its rating")
    assert active_version_of(database, 1)["id"] == first  # type: ignore[index]
    hand_in(database, 1, "d", "code 3")
    assert active_version_of(database, 1)["id"] not in (first, second)  # type: ignore[index]
    # Nor does withdrawing it make another one of it, whose games would count twice.
    database.run("UPDATE versions SET state = 'withdrawn' WHERE id = ?", first)
    hand_in(database, 1, "zipped once more", "code 1")
    row = active_version_of(database, 1)
    assert row is not None
    assert row["id"] == first
    assert database.number("SELECT count(*) FROM versions WHERE code = 'code 1' AND entry IS NOT NULL") == 1
    database.run("UPDATE versions SET state = 'disabled', reason = 'see me' WHERE id = ?", first)
    hand_in(database, 1, "and once more", "code 1")
    row = database.row("SELECT reason FROM versions ORDER BY id DESC LIMIT 1")
    assert row is not None
    assert row["reason"].endswith("that one is disabled: see me")
    # Another team with the same code is somebody else, whom staff hear of.
    hand_in(database, 2, "e", "code 1")
    same = [[(row["code"], row["team_name"]) for row in rows] for rows in twins(database)]
    assert same == [[("code 1", "Red"), ("code 1", "Blue")]]


def test_equal_bytes_are_one_upload_unless_it_was_withdrawn(database: Database) -> None:
    values = {"name": "a", "size": 1, "member": None, "note": "", "late": False}
    assert add_version(database, 1, upload="a", **values) == (1, True)  # type: ignore[arg-type]
    assert add_version(database, 1, upload="a", **values) == (1, False)  # type: ignore[arg-type]
    assert add_version(database, 2, upload="a", **values) == (1, True)  # type: ignore[arg-type]
    database.run("UPDATE versions SET state = 'withdrawn'")
    assert add_version(database, 1, upload="a", **values) == (2, True)  # type: ignore[arg-type]


def test_nobody_holds_up_the_checks_of_all_others(database: Database) -> None:
    for number in range(3):
        hand_in(database, 1, f"red {number}")
    hand_in(database, 2, "blue")
    assert [checks_before(database, version) for version in (1, 2, 3, 4)] == [0, 2, 3, 1]
    begin_check(database, 1)
    assert [checks_before(database, version) for version in (1, 2, 3, 4)] == [0, 2, 3, 1]
    database.run("UPDATE versions SET state = 'received', attempts = 0")
    order: list[str] = []
    while (row := next_to_check(database)) is not None:
        begin_check(database, row["id"])
        end_check(database, row["id"], CheckReport(accepted=False, reason="no"))
        order.append(row["upload"])
    assert order == ["red 0", "blue", "red 1", "red 2"]


def test_a_check_that_was_cut_off_waits_for_all_that_were_not_checked_yet(database: Database) -> None:
    slow = hand_in(database, 1, "slow")
    assert begin_check(database, slow)
    give_back_check(database, slow)
    for number in range(2):
        hand_in(database, 2, f"blue {number}")
    order: list[str] = []
    while (row := next_to_check(database)) is not None:
        begin_check(database, row["id"])
        end_check(database, row["id"], CheckReport(accepted=False, reason="no"))
        order.append(row["upload"])
    assert order == ["blue 0", "blue 1", "slow"]


def test_what_was_withdrawn_is_not_checked(database: Database) -> None:
    version = hand_in(database, 1, "a")
    database.run("UPDATE versions SET state = 'withdrawn'")
    assert not begin_check(database, version)
    give_back_check(database, version)
    assert database.number("SELECT count(*) FROM versions WHERE state = 'withdrawn' AND attempts = 0") == 1


def test_what_is_checked_once_more_changes_nothing_that_a_team_chose(tmp_path: Path) -> None:
    make_database(tmp_path)
    with Database(tmp_path) as database:
        with database.writing():
            add_team(database, "Red")
            first = hand_in(database, 1, "a", "code 1")
            second = hand_in(database, 1, "b", "code 2")
            database.run("UPDATE teams SET chosen = ?", first)
        assert check_once_more(database, first, "its files were lost")
        assert not check_once_more(database, first, "its files were lost")
        assert [row["id"] for row in active_versions(database)] == [second]
        with database.writing():
            begin_check(database, first)
            end_check(database, first, CheckReport(accepted=True, code="code 1", entry=ENTRY))
        assert [row["id"] for row in active_versions(database)] == [first]


def test_a_check_that_ends_after_that_of_a_newer_version_changes_nothing_that_plays(database: Database) -> None:
    first = hand_in(database, 1, "a", "code 1")
    hand_in(database, 1, "b", "code 2")
    slow, newer = hand_in(database, 1, "c"), hand_in(database, 1, "d")
    for version, code in ((newer, "code 1"), (slow, "code 3")):
        begin_check(database, version)
        end_check(database, version, CheckReport(accepted=True, code=code, entry=ENTRY))
    # The newest upload is the first one again, so that one plays.
    assert active_version_of(database, 1)["id"] == first  # type: ignore[index]


def test_uploads_a_day(database: Database) -> None:
    assert quota(database, 1, 2).left == 2
    hand_in(database, 1, "a")
    hand_in(database, 1, "b")
    team_quota = quota(database, 1, 2)
    assert team_quota.left == 0
    assert team_quota.next_at > "2026"
    database.run("UPDATE versions SET uploaded_at = '2000-01-01' WHERE number = 1")
    assert quota(database, 1, 2).left == 1


def test_a_check_that_was_cut_off_is_done_again(tmp_path: Path) -> None:
    make_database(tmp_path)
    with Database(tmp_path) as database:
        with database.writing():
            add_team(database, "Red")
            version = hand_in(database, 1, "a")
            begin_check(database, version)
        assert next_to_check(database) is None
        assert give_back_checks(database) == 1
        row = next_to_check(database)
        assert row is not None
        assert row["attempts"] == 1
