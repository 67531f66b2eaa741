"""How a list of students becomes teams and members, or changes them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_intake.exports.roster import Person, Roster
from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.teams import add_team, free_name, members_of, team_after_merges
from tiltyard_league.database.tokens import revoke


@dataclass(frozen=True, slots=True)
class RosterChanges:
    """What a roster changed, in words for people."""

    new: list[str] = field(default_factory=list)
    """Teams that are new."""
    changes: list[str] = field(default_factory=list)
    """One line for each other change."""


def apply_roster(database: Database, roster: Roster, who: str, *, is_dry: bool = False) -> RosterChanges:
    """Make teams and members of a roster, or change them to it. The same roster twice changes nothing.

    A team is known by its group, or by the id of whoever is alone, whatever it is called by now; a merged one by the team that has
    its members. Who is not in the roster any more is marked as gone, and nothing of a team is lost. If somebody has left a team,
    its invite link ends. In the transaction that is open. ``is_dry``: it won't be kept, so the lines say what would be.

    Raises:
        UserError: two people can't be told apart.
    """
    _check_told_apart(roster)
    changes = _RosterImport(database, roster, is_dry).run()
    if changes.new or changes.changes:
        database.log(who, "roster", new=changes.new, changes=changes.changes)
    return changes


class _RosterImport:
    """One list on its way into the database."""

    def __init__(self, database: Database, roster: Roster, is_dry: bool) -> None:
        self._is_dry = is_dry
        self._database = database
        self._people = roster.people
        self._keys = {_key_of(person) for person in roster.people}
        self._names_in_list = Counter(person.name for person in roster.people)
        self._members = {str(row["roster_id"]): row for row in database.rows("SELECT * FROM members")}
        self._names = {int(row["id"]): str(row["name"]) for row in database.rows("SELECT id, name FROM teams")}
        self._left: set[int] = set()
        """Teams that somebody has left."""
        self._changes = RosterChanges()

    def run(self) -> RosterChanges:
        """Do it; what was done."""
        for person in self._people:
            self._enter(person, self._member_of(person))
        for member in self._members.values():
            self._remove(member)
        for team in sorted(self._left):
            self._end_links(team)
        return self._changes

    def _member_of(self, person: Person) -> Row | None:
        """As which member a person is known already. An earlier list may have had no ids: then by a name that is nobody else's."""
        member = self._members.pop(_id_of(person), None)
        if member is None and self._names_in_list[person.name] == 1:
            member = self._members.pop(person.name, None)
        return member

    def _enter(self, person: Person, member: Row | None) -> None:
        """Let a person be a member of the team that the list says; ``member``: the person's row, for who is one already."""
        listed_team = self._listed_team(person, member)
        if member is not None and member["name"] != person.name:
            self._changes.changes.append(f"{member['name']}: is now called {person.name}")
            self._follow_name(listed_team, person, member)
        team = team_after_merges(self._database, listed_team)
        values = (team, _id_of(person), person.name, listed_team if listed_team != team else None)
        if member is None:
            self._database.run(
                "INSERT INTO members (team, roster_id, name, merged_from, state) VALUES (?, ?, ?, ?, 'active')", *values
            )
            self._changes.changes.append(f"{person.name}: {'would be ' * self._is_dry}added to {self._names[team]}")
            return
        if member["team"] != team:
            self._changes.changes.append(
                f"{person.name}: {'would be ' * self._is_dry}moved from {self._names[member['team']]} to {self._names[team]}"
            )
            self._leave(member)
        if member["state"] == "gone":
            self._changes.changes.append(f"{person.name}: {'would be' if self._is_dry else 'is'} back in {self._names[team]}")
        self._database.run(
            "UPDATE members SET team = ?, roster_id = ?, name = ?, merged_from = ?, state = 'active' WHERE id = ?",
            *(*values, member["id"]),
        )

    def _listed_team(self, person: Person, member: Row | None) -> int:
        """The team that the list has a person in, be it merged by now; a new one if there is none."""
        key, name = _key_of(person), self._name_for(person)
        row = self._team_with(key)
        if row is None and member is not None and not person.group:
            row = self._team_with(f"alone {member['roster_id']}")
        if row is None and person.group:
            # The group was renamed in the list as its team was here, or was made without a list.
            row = self._database.row(
                "SELECT * FROM teams WHERE name = ? AND kind = 'student' AND ifnull(roster_key, '') NOT LIKE 'alone %'", name
            )
            if row is not None and row["roster_key"] in self._keys:
                row = None
        if row is None:
            team = add_team(self._database, free_name(self._database, name, "" if person.group else _id_of(person)))
            self._names[team] = str(self._database.rows("SELECT name FROM teams WHERE id = ?", team)[0]["name"])
            self._changes.new.append(self._names[team])
        else:
            team = int(row["id"])
        if row is None or row["roster_key"] != key:
            self._database.run("UPDATE teams SET roster_key = ? WHERE id = ?", key, team)
        return team

    def _name_for(self, person: Person) -> str:
        """What a new team is called: the group, or who works alone by name; with the id where two are called alike."""
        if person.group:
            return person.group
        alike = self._names_in_list[person.name] > 1 or f"group {person.name}" in self._keys
        return f"{person.name} ({_id_of(person)})" if alike else person.name

    def _team_with(self, key: str) -> Row | None:
        return self._database.row("SELECT * FROM teams WHERE roster_key = ?", key)

    def _follow_name(self, team: int, person: Person, member: Row) -> None:
        """Who is alone gives the team its name, also a new one, unless staff have called the team otherwise."""
        before = self._names[team]
        if person.group or before not in (member["name"], f"{member['name']} ({member['roster_id']})"):
            return
        self._names[team] = free_name(self._database, person.name, _id_of(person))
        self._database.run("UPDATE teams SET name = ? WHERE id = ?", self._names[team], team)
        self._changes.changes.append(f"{before}: the team {'would be' if self._is_dry else 'is now'} called {self._names[team]}")

    def _remove(self, member: Row) -> None:
        """Mark as gone whoever isn't in the list any more."""
        if member["state"] != "gone":
            self._database.run("UPDATE members SET state = 'gone' WHERE id = ?", member["id"])
            team = self._names[member["team"]]
            self._changes.changes.append(f"{member['name']}: is no longer in the roster, and was in {team}")
            self._leave(member)

    def _leave(self, member: Row) -> None:
        """Who is not of a team any more sees nothing of it any more."""
        self._database.run("DELETE FROM tokens WHERE member = ?", member["id"])
        self._left.add(member["team"])

    def _end_links(self, team: int) -> None:
        """End the invite link of a team that somebody has left; and all its tokens if nobody is left."""
        if revoke(self._database, team, "invite"):
            ends = "would stop working" if self._is_dry else "stopped working"
            self._changes.changes.append(f"{self._names[team]}: its invite link {ends}, as a person who left may have it")
        if not members_of(self._database, team):
            revoke(self._database, team, "session", "upload")


def _check_told_apart(roster: Roster) -> None:
    by_id: dict[str, Person] = {}
    for person in roster.people:
        other = by_id.setdefault(_id_of(person), person)
        if other is not person:
            name = one_line(person.name, LONGEST_NAME)
            raise UserError(
                f"line {person.line}: '{name}' is also in line {other.line}, and both have no id; add a column 'id'",
                see="student-list",
            )


def _id_of(person: Person) -> str:
    """What a person is known by: the id of the roster, as it is written there."""
    return person.ids[0] if person.ids else person.name


def _key_of(person: Person) -> str:
    """What a person's team is known by in all lists: the group, or who works alone."""
    return f"group {person.group}" if person.group else f"alone {_id_of(person)}"
