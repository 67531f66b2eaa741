from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_league.rating.standing import Line, Standing
from tiltyard_league.records import staff
from tiltyard_league.records.database import Database, make_database
from tiltyard_league.records.teams import add_team, apply_roster, find_team, members_of, pseudonym, remove_personal_data
from tiltyard_league.records.tokens import forget_expired, holder_of, make_token, revoke
from tiltyard_simulator.intake.roster import parse_roster

MOODLE = (
    'First name,Surname,ID number,Email address,Groups\nAnn,Ash,0017,a@x,Red\nBob,Birch,0018,b@x,Red\n"Cid",=Cedar,0019,c@x,Blue\n'
)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    make_database(tmp_path)
    with Database(tmp_path) as database:
        yield database


def roster(database: Database, text: str) -> tuple[list[str], list[str]]:
    with database.writing():
        done = apply_roster(database, parse_roster(text, Path("students.csv")), "test")
    return done.new, done.changes


def test_a_roster_makes_teams_and_the_same_one_twice_changes_nothing(database: Database) -> None:
    assert roster(database, MOODLE)[0] == ["Red", "Blue"]
    before = [tuple(row) for row in database.rows("SELECT * FROM teams UNION ALL SELECT *, 0, 0, 0, 0 FROM members")]
    assert roster(database, MOODLE) == ([], [])
    assert [tuple(row) for row in database.rows("SELECT * FROM teams UNION ALL SELECT *, 0, 0, 0, 0 FROM members")] == before
    red = find_team(database, "Red")
    assert [row["name"] for row in members_of(database, red["id"])] == ["Ann Ash", "Bob Birch"]
    assert find_team(database, "0018")["id"] == red["id"] == find_team(database, red["pseudonym"])["id"]
    assert red["pseudonym"] != "Red"
    with pytest.raises(NotFoundError, match="Rod"):
        find_team(database, "Rod")


def test_who_moves_or_goes_is_told_of_and_signed_out(database: Database) -> None:
    roster(database, MOODLE)
    bob = database.row("SELECT * FROM members WHERE roster_id = '0018'")
    assert bob is not None
    with database.writing():
        token = make_token(database, "session", bob["team"], bob["id"])
    assert holder_of(database, token, "session") is not None
    _, changes = roster(database, MOODLE.replace("0018,b@x,Red", "0018,b@x,Blue").replace("Cid", "Sid"))
    assert changes == ["Bob Birch: moved from Red to Blue", "Cid =Cedar: is now called Sid =Cedar"]
    assert holder_of(database, token, "session") is None
    gone = "is not in the roster any more, and was in Blue"
    _, changes = roster(database, MOODLE.replace('"Cid",=Cedar,0019,c@x,Blue\n', "").replace("Bob,Birch,0018,b@x,Red\n", ""))
    assert changes == [f"Bob Birch: {gone}", f"Sid =Cedar: {gone}"]
    new, changes = roster(database, MOODLE)
    assert new == []
    assert "Bob Birch: is back in Red" in changes
    assert database.number("SELECT count(*) FROM members WHERE state = 'active'") == 3


def test_who_has_no_group_is_a_team_alone(database: Database) -> None:
    new, _ = roster(database, "name,id\nAnn,1\nAnn,2\nBob,3\n")
    assert new == ["Ann (1)", "Ann (2)", "Bob"]


def test_made_up_names_are_all_different() -> None:
    taken: set[str] = set()
    for _ in range(300):
        taken.add(pseudonym(taken))
    assert len(taken) == 300


def test_a_token_lets_in_until_it_is_revoked_or_expires(database: Database) -> None:
    roster(database, MOODLE)
    team = find_team(database, "Red")
    first = staff.new_invite(database, team, "test")
    holder = holder_of(database, first, "invite")
    assert holder is not None
    assert (holder.team, holder.is_staff) == (team["id"], False)
    assert holder_of(database, first, "session") is None
    assert holder_of(database, first + "x", "invite") is None
    second = staff.new_invite(database, team, "test")
    assert holder_of(database, first, "invite") is None
    database.run("UPDATE tokens SET expires_at = '2000'")
    assert holder_of(database, second, "invite") is None
    assert forget_expired(database) == 1
    of_staff = staff.new_invite(database, None, "test")
    found = holder_of(database, of_staff, "invite")
    assert found is not None
    assert found.is_staff
    assert revoke(database, None, "invite") == 1


def test_what_staff_do_stands_in_the_log_and_can_be_undone(database: Database) -> None:
    roster(database, MOODLE)
    red, blue = find_team(database, "Red"), find_team(database, "Blue")
    staff.disable_team(database, red, "see me", "test")
    assert find_team(database, "Red")["state"] == "disabled"
    staff.enable_team(database, red, "test")
    assert find_team(database, "Red")["state"] == "active"
    staff.rename_team(database, red, "Crimson", "test")
    with pytest.raises(UserError, match="called 'Blue'"):
        staff.rename_team(database, red, "Blue", "test")
    token = staff.new_invite(database, blue, "test")
    staff.merge_teams(database, blue, red, "test")
    assert holder_of(database, token, "invite") is None
    assert len(members_of(database, red["id"])) == 3
    with pytest.raises(UserError, match="itself"):
        staff.merge_teams(database, red, red, "test")
    assert staff.set_frozen(database, True, "test")
    at = database.fact("frozen_at")
    assert not staff.set_frozen(database, True, "test")
    assert database.fact("frozen_at") == at
    staff.set_closed(database, True, "test")
    with pytest.raises(UserError, match="open it first"):
        staff.override(database, "some match", "rerun", "", "test")
    staff.set_frozen(database, False, "test")
    assert (database.fact("frozen_at"), bool(database.fact("closed_at"))) == ("", True)
    log = [row["what"] for row in database.rows("SELECT what FROM log ORDER BY id")]
    assert log == [
        *("roster", "team disabled", "team enabled", "team", "new invite", "team merged", "frozen", "closed", "unfrozen"),
    ]


def test_grades_keep_ids_as_they_are_and_no_cell_is_a_formula(database: Database) -> None:
    roster(database, MOODLE)
    with database.writing():
        bot = add_team(database, "acorn", "staff")
    red = find_team(database, "Red")["id"]
    figures = {"error": 30.0, "games": 40, "wins": 30, "ties": 0, "losses": 10}
    lines = [Line(team=red, version=1, rating=120.4, **figures), Line(team=bot, version=2, rating=0.0, **figures)]  # type: ignore[arg-type]
    text = staff.grades(database, Standing(lines=lines))
    rows = text.splitlines()
    assert rows[0].startswith("id,name,team,place,rating,error")
    assert rows[1] == "0017,Ann Ash,Red,1,120,30,no,40,1,1,0,,no"
    assert rows[3] == "0019,Cid =Cedar,Blue,,,,,,,1,0,,no"
    assert staff._cell("=1+1") == "'=1+1"


def test_nothing_of_people_is_left_when_they_are_forgotten(database: Database) -> None:
    roster(database, MOODLE)
    with database.writing():
        make_token(database, "session", 1, 1)
        assert remove_personal_data(database, "test") == 3
    database.run("VACUUM")
    database.close()
    kept = b"".join(path.read_bytes() for path in database.path.parent.glob("league.sqlite"))
    assert not [name for name in (b"Ash", b"Birch", b"0017", b"Red") if name in kept]


def _write_and_fail(database: Database) -> None:
    database.set_fact("a", "b")
    database.run("INSERT INTO no_such_table VALUES (1)")


def test_two_connections_see_each_others_writing(tmp_path: Path) -> None:
    make_database(tmp_path)
    with Database(tmp_path) as one, Database(tmp_path) as other:
        stamp = one.stamp()
        with pytest.raises(UserError, match="no such table"), other.writing():
            _write_and_fail(other)
        with other.writing(only_looking=True):
            other.set_fact("a", "b")
        assert one.fact("a") == ""
        other.set_fact("a", "b")
        assert one.stamp() != stamp
        assert one.fact("a") == "b"


def test_a_database_that_is_missing_or_of_another_version(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has neither teams nor games yet"):
        Database(tmp_path)
    make_database(tmp_path)
    with Database(tmp_path) as database:
        database.run("PRAGMA user_version = 0")
    with pytest.raises(UserError, match="older tiltyard"):
        Database(tmp_path)
    import sqlite3

    connection = sqlite3.connect(tmp_path / "league.sqlite")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UserError, match="newer tiltyard"):
        make_database(tmp_path)
    assert (tmp_path / "league.sqlite").stat().st_mode & 0o077 == 0
