from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_intake.exports.roster import parse_roster
from tiltyard_league.database import grades, staff
from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.rosters import apply_roster
from tiltyard_league.database.teams import add_team, find_team, members_of, pseudonym, remove_personal_data
from tiltyard_league.database.tokens import forget_expired, holder_of, make_token, revoke
from tiltyard_league.database.versions import add_version
from tiltyard_league.rating.standing import LeagueStanding, StandingLine

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
        changes = apply_roster(database, parse_roster(text, Path("students.csv")), "test")
    return changes.new, changes.changes


def everything(database: Database) -> list[tuple[object, ...]]:
    return [tuple(row) for table in ("teams", "members", "log") for row in database.rows(f"SELECT * FROM {table}")]


def test_a_roster_makes_teams_and_the_same_one_twice_changes_nothing(database: Database) -> None:
    assert roster(database, MOODLE)[0] == ["Red", "Blue"]
    before = everything(database)
    assert roster(database, MOODLE) == ([], [])
    assert everything(database) == before
    red = find_team(database, "Red")
    assert [row["name"] for row in members_of(database, red["id"])] == ["Ann Ash", "Bob Birch"]
    assert find_team(database, "0018")["id"] == red["id"] == find_team(database, red["pseudonym"])["id"]
    assert red["pseudonym"] != "Red"
    with pytest.raises(NotFoundError, match="Rod"):
        find_team(database, "Rod")


def test_names_are_compared_in_one_form(database: Database) -> None:
    roster(database, "name,id,group\nAnn,1,Zoe\u0308\n")
    with database.writing():
        red = add_team(database, "Re\u0301d")
    assert find_team(database, "R\u00e9d")["id"] == find_team(database, "Re\u0301d")["id"] == red
    with pytest.raises(UserError, match="another team is called"):
        staff.rename_team(database, find_team(database, "R\u00e9d"), "Zoe\u0308", "test")
    assert find_team(database, "Zo\u00eb")["name"] == "Zo\u00eb"


def test_who_moves_or_goes_is_told_of_and_signed_out(database: Database) -> None:
    roster(database, MOODLE)
    bob = database.row("SELECT * FROM members WHERE roster_id = '0018'")
    assert bob is not None
    with database.writing():
        token = make_token(database, "session", bob["team"], bob["id"])
    assert holder_of(database, token, "session") is not None
    links = {name: staff.new_invite(database, find_team(database, name), "test") for name in ("Red", "Blue")}
    _, changes = roster(database, MOODLE.replace("0018,b@x,Red", "0018,b@x,Blue").replace("Cid", "Sid"))
    assert changes == [
        "Bob Birch: moved from Red to Blue",
        "Cid =Cedar: is now called Sid =Cedar",
        "Red: its invite link stopped working, as a person who left may have it",
    ]
    assert holder_of(database, token, "session") is None
    assert {name: holder_of(database, link, "invite") is not None for name, link in links.items()} == {"Red": False, "Blue": True}
    assert [row["name"] for row in staff.without_link(database)] == ["Red"]
    with database.writing():
        left = make_token(database, "upload", find_team(database, "Blue")["id"])
    text = "is no longer in the roster, and was in Blue"
    _, changes = roster(database, MOODLE.replace('"Cid",=Cedar,0019,c@x,Blue\n', "").replace("Bob,Birch,0018,b@x,Red\n", ""))
    ended = "Blue: its invite link stopped working, as a person who left may have it"
    assert changes == [f"Bob Birch: {text}", f"Sid =Cedar: {text}", ended]
    # Nobody is left who could have a token of the team.
    assert holder_of(database, left, "upload") is None
    assert [row["name"] for row in staff.without_link(database)] == ["Red"]
    new, changes = roster(database, MOODLE)
    assert new == []
    assert "Bob Birch: is back in Red" in changes
    assert database.number("SELECT count(*) FROM members WHERE state = 'active'") == 3


def test_who_has_no_group_is_a_team_alone(database: Database) -> None:
    new, _ = roster(database, "name,id\nAnn,1\nAnn,2\nBob,3\n")
    assert new == ["Ann (1)", "Ann (2)", "Bob"]


def test_a_team_stays_itself_whatever_it_and_its_people_are_called(database: Database) -> None:
    alone = "name,id\nAnn,1\nBob,3\n"
    roster(database, alone)
    ann, bob = find_team(database, "1")["id"], find_team(database, "3")["id"]
    # Somebody else of the same name, and a name that was wrong.
    more = "name,id\nAnn,1\nAnn,2\nBobby,3\n"
    assert roster(database, more) == (
        ["Ann (2)"],
        ["Ann: added to Ann (2)", "Bob: is now called Bobby", "Bob: the team is now called Bobby"],
    )
    assert (find_team(database, "1")["id"], find_team(database, "Bobby")["id"]) == (ann, bob)
    # A name that staff chose stays.
    staff.rename_team(database, find_team(database, "3"), "Bob's Bots", "test")
    assert roster(database, more.replace("Bobby", "Rob")) == ([], ["Bobby: is now called Rob"])
    assert find_team(database, "3")["name"] == "Bob's Bots"
    # A group can be called as somebody is, or as a team of the staff.
    with database.writing():
        add_team(database, "acorn", "staff")
    new, _ = roster(database, "name,id,group\nAnn,1,\nAnn,2,\nRob,3,\nEve,4,Ann\nEd,5,acorn\n")
    assert new == ["Ann (3)", "acorn (2)"]
    # Also as one that the staff add later.
    groups = "name,id,group\nAnn,1,\nAnn,2,\nRob,3,\nEve,4,bramble\n"
    roster(database, groups)
    with database.writing():
        bot = add_team(database, "bramble", "staff")
    assert roster(database, groups) == ([], [])
    assert (find_team(database, "4")["name"], find_team(database, "bramble")["id"]) == ("bramble (students)", bot)


def test_a_list_with_ids_knows_the_people_of_one_without(database: Database) -> None:
    roster(database, "name,group\nAnn,\nBob,Red\n")
    assert roster(database, "name,id,group\nAnn,1,\nBob,2,Red\n") == ([], [])
    assert [row["roster_id"] for row in database.rows("SELECT roster_id FROM members ORDER BY id")] == ["1", "2"]
    assert roster(database, "name,id,group\nAnn,1,\nBob,2,Red\n") == ([], [])
    # Whoever comes later under the same name has nothing of it.
    new, _ = roster(database, "name,id,group\nAnn,9,\nBob,2,Red\n")
    assert new == ["Ann (9)"]
    roster(database, "name,group\nEve,\n")
    assert roster(database, "name,id,group\nEve,5,\nEve,6,\n")[0] == ["Eve (5)", "Eve (6)"]
    with pytest.raises(UserError, match=r"line 3: 'Ann' is also in line 2.*add a column 'id'"):
        roster(database, "name\nAnn\nAnn\n")


def test_a_list_finds_teams_that_were_renamed_or_merged(database: Database) -> None:
    roster(database, MOODLE)
    red, blue = find_team(database, "Red"), find_team(database, "Blue")
    staff.rename_team(database, red, "Crimson", "test")
    assert roster(database, MOODLE) == ([], [])
    # The group is called so in the list as well by now; or another one is.
    assert roster(database, MOODLE.replace(",Red", ",Crimson")) == ([], [])
    assert roster(database, MOODLE) == (["Red"], [f"{name}: moved from Crimson to Red" for name in ("Ann Ash", "Bob Birch")])
    roster(database, MOODLE.replace(",Red", ",Crimson"))
    staff.merge_teams(database, blue, red, "test")
    merged = MOODLE.replace(",Red", ",Crimson") + "Dot,Dogwood,0020,d@x,Blue\n"
    assert roster(database, merged) == ([], ["Dot Dogwood: added to Crimson"])
    assert roster(database, merged) == ([], [])
    with pytest.raises(UserError, match="'Blue' can't be merged: it is gone"):
        staff.merge_teams(database, find_team(database, "Crimson"), find_team(database, "Blue"), "test")
    with pytest.raises(UserError, match="'Blue' needs no link: it is gone"):
        staff.new_invite(database, find_team(database, "Blue"), "test")
    # Enabled again, it has its members back, and who was added to it in the list.
    staff.enable_team(database, find_team(database, "Blue"), "test")
    assert [row["name"] for row in members_of(database, blue["id"])] == ["Cid =Cedar", "Dot Dogwood"]
    assert len(members_of(database, red["id"])) == 2
    assert roster(database, merged) == ([], [])


def test_made_up_names_are_all_different() -> None:
    names: set[str] = set()
    for _ in range(300):
        names.add(pseudonym(names))
    assert len(names) == 300


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
    holder = holder_of(database, of_staff, "invite")
    assert holder is not None
    assert holder.is_staff
    # A link for staff that came into wrong hands is worth nothing after the next one, and neither is who came in by it.
    with database.writing():
        session = make_token(database, "session", None)
    staff.new_invite(database, None, "test")
    assert holder_of(database, of_staff, "invite") is None
    assert holder_of(database, session, "session") is None
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
        # The first one plays, and another one came after the deadline.
        for late in (False, True):
            add_version(database, 1, upload=f"{late}", name="x.py", size=1, member=None, note="", late=late)
    red = find_team(database, "Red")["id"]
    database.run("UPDATE versions SET uploaded_at = '2026-12-18T23:00'")
    figures = {"error": 30.0, "games": 40, "wins": 30, "ties": 0, "losses": 10}
    lines = [StandingLine(team=red, version=1, rating=120.4, **figures), StandingLine(team=bot, version=2, rating=0.0, **figures)]  # type: ignore[arg-type]
    text = grades.as_csv(grades.grades(database, LeagueStanding(lines=lines)))
    rows = text.splitlines()
    assert rows[0].startswith("id,name,team,place,rating,error")
    assert rows[1] == "0017,Ann Ash,Red,1,120,30,no,40,1,1,2,2026-12-18T23:00,no"
    assert rows[3] == "0019,Cid =Cedar,Blue,,,,,,,1,0,,"
    assert grades.as_csv([["=1+1", -1]]) == "'=1+1,-1\r\n"


def test_nothing_of_people_is_left_when_they_are_forgotten(database: Database) -> None:
    moodle = MOODLE
    # Words that no hash, time or made-up name contains.
    for word, rare in (("Ash", "Quixley"), ("Birch", "Wyzbeck"), ("0017", "q0017q"), ("Red", "Zinnober")):
        moodle = moodle.replace(word, rare)
    roster(database, moodle)
    with database.writing():
        for name in ("AnnQuixley", "ann.quixley.zip", "bob.wyzbeck", "Quixley.tar.gz"):
            add_version(database, 1, upload=name, name=name, size=1, member=1, note="Wyzbeck's", late=False)
        make_token(database, "session", 1, 1)
    team = find_team(database, "Zinnober")
    staff.disable_version(database, {"id": 1}, "see me, Quixley", "test")  # type: ignore[arg-type]
    staff.disable_team(database, team, "Quixley, see me", "test")
    staff.override(database, "key", "void", "Wyzbeck said so", "test")
    staff.merge_teams(database, find_team(database, "Blue"), team, "test")
    database.run("UPDATE versions SET upload = id")
    with database.writing():
        assert remove_personal_data(database, "test") == 3
    assert [row["name"] for row in database.rows("SELECT name FROM versions ORDER BY id")] == [
        *("upload", "upload.zip", "upload", "upload.tar.gz")
    ]
    database.run("VACUUM")
    database.close()
    content = b"".join(path.read_bytes() for path in database.path.parent.glob("league.sqlite")).lower()
    assert not [name for name in (b"quixley", b"wyzbeck", b"q0017q", b"zinnober", b"see me") if name in content]


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
    with pytest.raises(UserError, match="has no teams and no games yet"):
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
