"""What teams handed in: each upload is a version with a number, and stays what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from typing import Final

import msgspec

from tiltyard_engine.registry import Reference
from tiltyard_engine.texts.public_text import public_text
from tiltyard_league.database.clock import last_day, now
from tiltyard_league.database.database import Database, Row

MOST_ATTEMPTS: Final = 3
"""A check that ends without a result so many times is given up: then the version is refused."""
ACTIVE_VERSIONS: Final = """
    SELECT versions.*, teams.pseudonym, teams.slug, teams.kind, teams.name AS team_name FROM versions
    JOIN teams ON teams.id = versions.team
    WHERE teams.state = 'active' AND versions.id = coalesce(
        (SELECT id FROM versions AS chosen WHERE chosen.id = teams.chosen AND chosen.state = 'accepted'),
        (SELECT id FROM versions AS newest WHERE newest.team = teams.id AND newest.state = 'accepted' ORDER BY number DESC LIMIT 1))
"""
"""The version of each team that plays now: the one it chose, or the newest that was accepted."""
HAS_PLAYED: Final = "entry IS NOT NULL AND state IN ('accepted', 'disabled', 'withdrawn')"
"""Of versions that play, or have played: what was made of their uploads is kept."""
ENABLED: Final = "version {} enabled at"
"""The fact that staff let a disabled version play again: faults of before count no more."""
FROZEN_VERSIONS: Final = "frozen_versions"
"""The fact which version of each team played when the league was frozen."""
WAITING: Final = """
    SELECT versions.*, (SELECT count(*) FROM versions AS other WHERE other.team = versions.team AND other.checked_at > ?
    AND other.checked_at <= ?) AS done FROM versions WHERE state = 'received'
"""
"""What waits for its check, and how many checks its team had between two times."""
_ENTRIES: Final = msgspec.msgpack.Decoder(Reference)


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check."""

    accepted: bool
    reason: str = ""
    """Why it was refused, in one line."""
    steps: list[dict[str, object]] = []
    """As ``tiltyard check --json`` has them."""
    notes: list[str] = []
    log: str = ""
    """What the build printed."""
    code: str = ""
    """The digest of the code that plays."""
    build_digest: str = msgspec.field(default="", name="built")
    """The digest of what was built alone: of a compiled file without its loader, which changes with the game's plugin."""
    entry: Reference | None = None


class Quota(msgspec.Struct, frozen=True):
    """How much a team may hand in now."""

    left: int
    next_at: str
    """When there is one more, if there is none now: the first whole minute, in UTC."""


def add_version(
    database: Database, team: int, *, upload: str, name: str, size: int, member: int | None, note: str, late: bool
) -> tuple[int, bool]:
    """Keep that a team has handed something in; its number, and whether it is new. In the transaction that is open.

    The same bytes as those of the team's newest version are that version again.
    """
    newest = newest_of(database, team)
    if newest is not None and newest["upload"] == upload:
        return int(newest["number"]), False
    number = 1 + database.number("SELECT coalesce(max(number), 0) FROM versions WHERE team = ?", team)
    database.run(
        "INSERT INTO versions (team, number, upload, name, size, member, note, late, uploaded_at, state, reason, attempts,"
        " checked_at, code) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'received', '', 0, '', '')",
        *(team, number, upload, name, size, member, note, int(late), now()),
    )
    return number, True


def newest_of(database: Database, team: int) -> Row | None:
    """The team's newest version, whose bytes are not taken as another one; None if there is none, or if it was withdrawn."""
    newest = database.row("SELECT * FROM versions WHERE team = ? ORDER BY number DESC LIMIT 1", team)
    return None if newest is None or newest["state"] == "withdrawn" else newest


def quota(database: Database, team: int, most: int) -> Quota:
    """How many uploads a team has left within 24 hours, of so many."""
    query = "SELECT uploaded_at FROM versions WHERE team = ? AND uploaded_at > ? AND uploaded_at <= ? ORDER BY uploaded_at"
    times = [row["uploaded_at"] for row in database.rows(query, team, *last_day())]
    left = max(0, most - len(times))
    again = (
        ""
        if left
        else (datetime.fromisoformat(times[len(times) - most]) + timedelta(days=1, minutes=1)).isoformat(timespec="minutes")
    )
    return Quota(left, again)


def active_versions(database: Database) -> list[Row]:
    """The versions that play now, one a team."""
    return database.rows(f"{ACTIVE_VERSIONS} ORDER BY versions.id")


def active_version_of(database: Database, team: int) -> Row | None:
    """A team's version that plays now; None if it has none."""
    return database.row(f"{ACTIVE_VERSIONS} AND teams.id = ?", team)


def next_to_check(database: Database, slow: Collection[int] = (), busy: Collection[int] = ()) -> Row | None:
    """The version that is checked next; nobody holds up all others.

    One whose check was cut off comes after all that weren't checked yet, and the team with the fewest checks today comes first.

    Args:
        database: the league's.
        slow: versions whose checks have been set back, as they take long; they come last.
        busy: teams that have a lane already; their versions come after those of others.
    """
    rows = database.rows(f"{WAITING} ORDER BY attempts, done, id", *last_day())
    return min(rows, key=lambda row: (row["id"] in slow, row["team"] in busy), default=None)


def checks_before(database: Database, version: int) -> int:
    """How many checks come before that of a version, if nobody hands in meanwhile; 0 if it is next, or doesn't wait."""
    # Each check of a team puts its next one further back.
    checks = Counter(row["team"] for row in database.rows("SELECT team FROM versions WHERE state = 'checking'"))
    running = checks.total()
    places: dict[int, tuple[int, int, int]] = {}
    for row in database.rows(f"{WAITING} ORDER BY id", *last_day()):
        places[row["id"]] = (row["attempts"], row["done"] + checks[row["team"]], row["id"])
        checks[row["team"]] += 1
    return running + sum(place < places[version] for place in places.values()) if version in places else 0


def begin_check(database: Database, version: int) -> bool:
    """Mark a version as being checked; false: it was withdrawn meanwhile. In the transaction that is open."""
    query = "UPDATE versions SET state = 'checking', attempts = attempts + 1 WHERE id = ? AND state = 'received'"
    return database.changed(query, version) > 0


def end_check(database: Database, version: int, report: CheckReport) -> str:
    """Save the result of a check; the version's new state. In the transaction that is open.

    Code that the team handed in before is that version again: its games and its rating are there already.
    """
    row = database.row("SELECT team, number, report FROM versions WHERE id = ?", version)
    assert row is not None
    before = report_of(row)
    state, reason = ("accepted", "") if report.accepted else ("refused", report.reason)
    if report.accepted:
        same = same_code(database, row["team"], version, report.code)
        if same is not None:
            state, reason = "again", f"the same code as version {same['number']}; keeps its games and its rating"
            if same["state"] == "disabled":
                reason += f"; that one is disabled{': ' if same['reason'] else ''}{same['reason']}"
            # Who takes a version back and hands it in again wants it to play.
            database.run("UPDATE versions SET state = 'accepted' WHERE id = ? AND state = 'withdrawn'", same["id"])
        # What was accepted before is nothing new, and the team may have chosen another one since. Nor is what was handed in before
        # another one whose check ended sooner.
        is_newest = not database.number(
            "SELECT count(*) FROM versions WHERE team = ? AND number > ? AND state IN ('accepted', 'again')",
            *(row["team"], row["number"]),
        )
        if is_newest and (before is None or not before.accepted):
            database.run("UPDATE teams SET chosen = ? WHERE id = ?", None if same is None else same["id"], row["team"])
    # Only one version of some code ever plays: its games would count twice.
    entry = None if report.entry is None or state == "again" else msgspec.msgpack.encode(report.entry)
    plain = msgspec.structs.replace(report, entry=None)
    database.run(
        "UPDATE versions SET state = ?, reason = ?, checked_at = ?, code = ?, entry = ?, report = ? WHERE id = ?",
        *(state, reason, database.time_of_result(), report.code, entry, msgspec.msgpack.encode(plain), version),
    )
    return state


def give_back_check(database: Database, version: int, *, counts: bool = True) -> None:
    """After a check without a result: let it be checked again, unless it was withdrawn. In the transaction that is open.

    Args:
        database: the league's.
        version: its number.
        counts: whether that was one of its ``MOST_ATTEMPTS``.
    """
    query = "UPDATE versions SET state = 'received', attempts = attempts - ? WHERE id = ? AND state = 'checking'"
    database.run(query, int(not counts), version)


def check_once_more(database: Database, version: int, why: str) -> bool:
    """Let a version that plays be checked again, since what was made of its upload was lost; false: it doesn't play."""
    with database.writing():
        query = "UPDATE versions SET state = 'received', attempts = 0 WHERE id = ? AND state = 'accepted'"
        if not database.changed(query, version):
            return False
        database.log("league", "check again", version=version, reason=why)
    return True


def keeps_files(database: Database, version: int) -> bool:
    """Whether what was made of a version's upload is still needed."""
    return bool(database.number(f"SELECT count(*) FROM versions WHERE id = ? AND {HAS_PLAYED}", version))  # noqa: S608 -- our own words


def same_code(database: Database, team: int, version: int, code: str) -> Row | None:
    """The version of a team with the same code as another one of its versions, which plays for both."""
    return database.row(
        f"SELECT * FROM versions WHERE team = ? AND code = ? AND id != ? AND {HAS_PLAYED}"  # noqa: S608 -- our own words
        " ORDER BY state = 'accepted' DESC, id LIMIT 1",
        *(team, code, version),
    )


def give_back_checks(database: Database) -> int:
    """After a start: what was being checked when the service ended is checked again; how many that are."""
    with database.writing():
        return database.changed("UPDATE versions SET state = 'received' WHERE state = 'checking'")


def report_of(row: Row) -> CheckReport | None:
    """The report of a version, for its team: without paths of the machine that checked it; None while there is none."""
    if row["report"] is None:
        return None
    report = msgspec.msgpack.decode(row["report"], type=CheckReport)
    return msgspec.structs.replace(
        report,
        reason=public_text(report.reason),
        steps=[_public(step) for step in report.steps],
        notes=list(map(public_text, report.notes)),
        log=public_text(report.log),
    )


def _public(step: Mapping[str, object]) -> dict[str, object]:
    return {key: public_text(value) if isinstance(value, str) else value for key, value in step.items()}


def entry_of(row: Row) -> Reference | None:
    """What plays for a version."""
    return None if row["entry"] is None else _ENTRIES.decode(row["entry"])


def twins(database: Database) -> list[list[Row]]:
    """Code that several student teams handed in: of each team its first version with it, whoever had it first before the others."""
    by_code: dict[str, list[Row]] = {}
    for row in database.rows(
        # The other columns are of the row with the smallest number: times are a matter of the clock.
        "SELECT min(versions.id) AS id, versions.number, versions.code, versions.team, teams.name AS team_name,"
        " versions.uploaded_at FROM versions JOIN teams ON teams.id = versions.team"
        " WHERE versions.code != '' AND teams.kind = 'student'"
        " GROUP BY versions.code, versions.team ORDER BY min(versions.id)"
    ):
        by_code.setdefault(row["code"], []).append(row)
    return [rows for rows in by_code.values() if len(rows) > 1]
