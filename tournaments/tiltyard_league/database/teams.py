"""Teams and their members."""

from __future__ import annotations

import itertools
import re
import secrets
from importlib.resources import files
from typing import Final

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.texts.names import normal
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database, Row
from tiltyard_site.pages.labels import slugs

ADJECTIVES, ANIMALS = (
    line.split() for line in files(__package__).joinpath("pseudonyms.txt").read_text(encoding="ascii").splitlines()
)

ENDINGS: Final = (
    *(".tar.gz", ".tar.xz", ".tar.bz2", ".tar.zst", ".tar", ".tgz", ".zip", ".7z", ".rar"),
    *(".py", ".ipynb", ".c", ".cc", ".cpp", ".cs", ".go", ".java", ".js", ".rs", ".sh", ".exe", ".jar"),
)
"""Of what is handed in, that are nobody's names."""


def pseudonym(others: set[str]) -> str:
    """A made-up name that nobody has, such as ``amber-falcon``."""
    while True:
        name = f"{secrets.choice(ADJECTIVES)}-{secrets.choice(ANIMALS)}"
        if name in others:
            name = f"{name}-{secrets.randbelow(9000) + 1000}"
        if name not in others:
            return name


def add_team(database: Database, name: str, kind: str = "student") -> int:
    """A new team; its number. If another one is called so, it gets a number; but a team of the staff keeps its name.

    In the transaction that is open.
    """
    name = normal(name)
    if kind == "staff":
        new = free_name(database, name, "students")
        database.run("UPDATE teams SET name = ? WHERE name = ?", new, name)
    name = free_name(database, name)
    others = {row[0] for row in database.rows("SELECT pseudonym FROM teams UNION SELECT slug FROM teams")}
    # Staff have no secret name: everybody knows whose bots these are.
    public_name = name if kind == "staff" else pseudonym(others)
    slug = public_name
    if kind == "staff":
        stem = slug = slugs([name])[name]
        number = 1
        while slug in others:
            number += 1
            slug = f"{stem}-{number}"
    return database.run(
        "INSERT INTO teams (name, pseudonym, slug, kind, state, reason, made_at) VALUES (?, ?, ?, ?, 'active', '', ?)",
        name,
        public_name,
        slug,
        kind,
        now(),
    )


def find_team(database: Database, name: str) -> Row:
    """A team by its name, made-up name, or a member's id.

    Raises:
        NotFoundError: there is none.
    """
    names = name, normal(name)
    team = database.row("SELECT * FROM teams WHERE name IN (?1, ?2) OR pseudonym = ?1 OR slug = ?1", *names) or database.row(
        "SELECT teams.* FROM teams JOIN members ON members.team = teams.id WHERE members.roster_id = ?", name
    )
    if team is None:
        raise NotFoundError("team", name, [str(row["name"]) for row in database.rows("SELECT name FROM teams ORDER BY name")])
    return team


def team_after_merges(database: Database, team: int) -> int:
    """The team that the members of a team are in now: itself, unless it was merged into another one."""
    return database.number(
        "WITH RECURSIVE chain (id, next) AS (SELECT id, merged_into FROM teams WHERE id = ?"
        " UNION SELECT teams.id, teams.merged_into FROM chain JOIN teams ON teams.id = chain.next)"
        " SELECT id FROM chain WHERE next IS NULL",
        team,
    )


def free_name(database: Database, base: str, mark: str = "") -> str:
    """A name that no team has: the wanted one, or the same with a mark or a number behind it."""
    marks = itertools.chain(["", *([f" ({mark})"] if mark else [])], (f" ({number})" for number in itertools.count(2)))
    names = (f"{base}{each}" for each in marks)
    return next(name for name in names if database.row("SELECT 1 FROM teams WHERE name = ?", name) is None)


def members_of(database: Database, team: int) -> list[Row]:
    """The members that are there."""
    return database.rows("SELECT * FROM members WHERE team = ? AND state = 'active' ORDER BY name", team)


def remove_personal_data(database: Database, who: str) -> int:
    """Forget the names and ids of all members, what student teams are called, and what people wrote; how many members there were.

    Games, versions and made-up names stay. In the transaction that is open.
    """
    number = database.number("SELECT count(*) FROM members")
    database.run("DELETE FROM tokens WHERE team IS NOT NULL")
    for row in database.rows("SELECT DISTINCT name FROM versions WHERE upload != ''"):
        # The ending says how the bytes are read, if they are checked again.
        ending = next((ending for ending in ENDINGS if str(row["name"]).lower().endswith(ending)), "")
        database.run("UPDATE versions SET name = ? WHERE name = ? AND upload != ''", f"upload{ending}", row["name"])
    database.run("UPDATE versions SET member = NULL, note = ''")
    database.run("UPDATE versions SET reason = '' WHERE state = 'disabled'")
    database.run("DELETE FROM members")
    database.run("UPDATE teams SET name = pseudonym, roster_key = NULL, reason = '' WHERE kind = 'student'")
    database.run("UPDATE overrides SET why = ''")
    database.run("UPDATE log SET about = '{}'")
    database.log(who, "personal data removed", members=number)
    return number


def is_slug(text: str) -> bool:
    """Whether a text can be a team's part of an address."""
    return re.fullmatch(r"[a-z0-9-]{1,80}", text) is not None


def public_label(kind: str, name: str, pseudonym: str, number: int, has_pseudonyms: bool) -> str:
    """What everybody sees a version of a team called."""
    if kind == "staff":
        return name
    return f"{pseudonym if has_pseudonyms else name} v{number}"
