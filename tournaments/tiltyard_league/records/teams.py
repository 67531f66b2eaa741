"""Teams and their members, and how a roster becomes them."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files

from tiltyard_engine.errors import NotFoundError
from tiltyard_league.records.database import Database, Row, now
from tiltyard_simulator.intake.roster import Person, Roster
from tiltyard_tournaments.site.labels import slugs

ADJECTIVES, ANIMALS = (
    line.split() for line in files(__package__).joinpath("pseudonyms.txt").read_text(encoding="ascii").splitlines()
)


@dataclass(frozen=True, slots=True)
class Imported:
    """What a roster changed, in words for people."""

    new: list[str] = field(default_factory=list)
    """Teams that are new."""
    changes: list[str] = field(default_factory=list)
    """One line for each other change."""


def pseudonym(taken: set[str]) -> str:
    """A made-up name that nobody has, such as ``amber-falcon``."""
    while True:
        name = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}"
        if name in taken:
            name = f"{name}-{secrets.randbelow(9000) + 1000}"
        if name not in taken:
            return name


def add_team(database: Database, name: str, kind: str = "student") -> int:
    """A new team; its number. In the transaction that is open."""
    taken = {row[0] for row in database.rows("SELECT pseudonym FROM teams UNION SELECT slug FROM teams")}
    # Staff have no secret name: everybody knows whose bots these are.
    shown = name if kind == "staff" else pseudonym(taken)
    slug = shown
    if kind == "staff":
        stem = slug = slugs([name])[name]
        number = 1
        while slug in taken:
            number += 1
            slug = f"{stem}-{number}"
    return database.run(
        "INSERT INTO teams (name, pseudonym, slug, kind, state, reason, made_at) VALUES (?, ?, ?, ?, 'active', '', ?)",
        name,
        shown,
        slug,
        kind,
        now(),
    )


def find_team(database: Database, wanted: str) -> Row:
    """A team by its name, made-up name, or a member's id.

    Raises:
        NotFoundError: there is none.
    """
    found = database.row("SELECT * FROM teams WHERE name = ?1 OR pseudonym = ?1 OR slug = ?1", wanted) or database.row(
        "SELECT teams.* FROM teams JOIN members ON members.team = teams.id WHERE members.roster_id = ?", wanted
    )
    if found is None:
        raise NotFoundError("team", wanted, [str(row["name"]) for row in database.rows("SELECT name FROM teams ORDER BY name")])
    return found


def apply_roster(database: Database, roster: Roster, who: str) -> Imported:
    """Make teams and members of a roster, or change them to it. The same roster twice changes nothing.

    Who is not in it any more is marked as gone, and nothing of a team is lost. In the transaction that is open.
    """
    done = Imported()
    before = {row["roster_id"]: row for row in database.rows("SELECT * FROM members")}
    names = {row["id"]: row["name"] for row in database.rows("SELECT id, name FROM teams")}
    teams = {name: number for number, name in names.items()}
    for person in roster.people:
        wanted = team_of(person, roster.people)
        if wanted not in teams:
            teams[wanted] = add_team(database, wanted)
            names[teams[wanted]] = wanted
            done.new.append(wanted)
        team = teams[wanted]
        known = before.pop(roster_id(person), None)
        if known is None:
            row = (team, roster_id(person), person.name)
            database.run("INSERT INTO members (team, roster_id, name, state) VALUES (?, ?, ?, 'active')", *row)
            done.changes.append(f"{person.name}: added to {wanted}")
            continue
        if known["team"] != team:
            done.changes.append(f"{person.name}: moved from {names[known['team']]} to {wanted}")
            # Who is not of the team any more sees nothing of it any more.
            database.run("DELETE FROM tokens WHERE member = ?", known["id"])
        if known["state"] == "gone":
            done.changes.append(f"{person.name}: is back in {wanted}")
        if known["name"] != person.name:
            done.changes.append(f"{known['name']}: is now called {person.name}")
        database.run(
            "UPDATE members SET team = ?, name = ?, state = 'active' WHERE id = ? AND (team, name, state) != (?, ?, 'active')",
            team,
            person.name,
            known["id"],
            team,
            person.name,
        )
    for known in before.values():
        if known["state"] != "gone":
            database.run("UPDATE members SET state = 'gone' WHERE id = ?", known["id"])
            database.run("DELETE FROM tokens WHERE member = ?", known["id"])
            done.changes.append(f"{known['name']}: is not in the roster any more, and was in {names[known['team']]}")
    if done.new or done.changes:
        database.log(who, "roster", new=done.new, changes=done.changes)
    return done


def roster_id(person: Person) -> str:
    """What a person is known by: the id of the roster, as it is written there."""
    return person.ids[0] if person.ids else person.name


def team_of(person: Person, people: Sequence[Person]) -> str:
    """The name of a person's team: the group, or who works alone by name; with the id where two are called alike."""
    if person.group:
        return person.group
    alike = sum(other.name == person.name for other in people) > 1 or any(other.group == person.name for other in people)
    return f"{person.name} ({roster_id(person)})" if alike else person.name


def members_of(database: Database, team: int) -> list[Row]:
    """The members that are there."""
    return database.rows("SELECT * FROM members WHERE team = ? AND state = 'active' ORDER BY name", team)


def remove_personal_data(database: Database, who: str) -> int:
    """Forget the names and ids of all members, and what student teams are called; how many members there were.

    Games, versions and made-up names stay. In the transaction that is open.
    """
    number = database.number("SELECT count(*) FROM members")
    database.run("DELETE FROM tokens WHERE team IS NOT NULL")
    database.run("UPDATE versions SET member = NULL, name = 'upload' || substr(name, instr(name, '.'))")
    database.run("DELETE FROM members")
    database.run("UPDATE teams SET name = pseudonym WHERE kind = 'student'")
    database.run("UPDATE log SET about = '{}' WHERE what IN ('roster', 'team')")
    database.log(who, "personal data removed", members=number)
    return number


def is_slug(text: str) -> bool:
    """Whether a text can be a team's part of an address."""
    return re.fullmatch(r"[a-z0-9-]{1,80}", text) is not None
