"""Who plays: the versions of all teams, the staff's among them, as what can be put into a match."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.environments import check_environment
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_league.database.clock import now
from tiltyard_league.database.database import Database, Row
from tiltyard_league.database.teams import add_team
from tiltyard_league.database.versions import HAS_PLAYED, active_versions, check_once_more, entry_of, report_of
from tiltyard_league.league_file.loading import League
from tiltyard_league.matchmaking.fixtures import before
from tiltyard_league.submissions.checker import TEAMS, folder_of
from tiltyard_league.submissions.upload import UPLOADS
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader
from tiltyard_simulator.registry.finder import Finder


@dataclass(slots=True)
class ActiveVersions:
    """The versions that play now, and those that ever did."""

    league: League
    database: Database
    active: dict[int, int] = field(default_factory=dict)
    """Team to version."""
    before: Mapping[int, int | None] = field(default_factory=dict)
    """Each version that was ever accepted, with the team's one before it; earlier ones first."""
    pin: int = 0
    """The staff's version whose rating is 0."""
    broken: dict[int, str] = field(default_factory=dict)
    """Versions whose files are gone, also what was handed in, and why they can't play."""
    _pins: list[int] = field(default_factory=list)
    _has_lost: bool = False
    """Whether a version was found whose files are to be made again."""
    _references: dict[int, Reference] = field(default_factory=dict)
    """One object for each version, as keys are remembered by them."""

    def enter_staff(self) -> None:
        """Enter the staff's teams of the league's file; one whose code has changed has a new version.

        Those that are not in the file any more no longer play.
        """
        database = self.database
        ids: set[int] = set()
        with database.writing():
            for reference in self.league.tournament.teams:
                row = database.row("SELECT id FROM teams WHERE kind = 'staff' AND name = ?", reference.label)
                team = add_team(database, reference.label, "staff") if row is None else int(row["id"])
                ids.add(team)
                database.run("UPDATE teams SET state = 'active', reason = '' WHERE id = ? AND state = 'gone'", team)
                self._enter(team, reference)
            for row in database.rows("SELECT id FROM teams WHERE kind = 'staff' AND state = 'active'"):
                if row["id"] not in ids:
                    database.run("UPDATE teams SET state = 'gone', reason = 'not in the file any more' WHERE id = ?", row["id"])

    def _enter(self, team: int, reference: Reference) -> None:
        code = code_digest(reference.source)
        newest = self.database.row("SELECT * FROM versions WHERE team = ? ORDER BY number DESC LIMIT 1", team)
        entry = msgspec.msgpack.encode(reference)
        if newest is not None and newest["code"] == code:
            # It may lie elsewhere now.
            self.database.run("UPDATE versions SET entry = ? WHERE id = ? AND entry != ?", entry, newest["id"], entry)
            return
        self.database.run(
            "INSERT INTO versions (team, number, upload, name, size, note, late, uploaded_at, state, reason, attempts, checked_at,"
            " code, entry) VALUES (?, ?, '', ?, 0, '', 0, ?, 'accepted', '', 0, ?, ?, ?)",
            *(team, 1 if newest is None else newest["number"] + 1, reference.label, now(), now(), code, entry),
        )

    def look(self) -> bool:
        """See which versions play now; whether that has changed."""
        self._has_lost = True
        while self._has_lost:
            # Of a team whose version is checked again from now on, the one before it plays.
            self._has_lost = False
            rows = [row for row in active_versions(self.database) if row["id"] not in self.broken]
            active = {int(row["team"]): int(row["id"]) for row in rows if self._is_usable(row)}
        self.before = self.before_at()
        rows = self.database.rows(
            "SELECT versions.id FROM versions JOIN teams ON teams.id = versions.team WHERE teams.kind = 'staff' AND teams.name = ?"
            " ORDER BY number",
            self.league.pin.label,
        )
        self._pins = [int(row["id"]) for row in rows]
        self.pin = self._pins[-1] if self._pins else 0
        changed = active != self.active
        self.active = active
        return changed

    def pin_of(self, versions: Container[int]) -> int:
        """The newest of some versions that the team whose rating is 0 has had; 0 if it has none of them."""
        return next((version for version in reversed(self._pins) if version in versions), 0)

    def before_at(self, at: str = "") -> Mapping[int, int | None]:
        """Each version that was accepted until a time, or ever, with the team's one before it; earlier ones first."""
        return before(
            (int(row["id"]), int(row["team"]))
            for row in self.database.rows(
                f"SELECT id, team FROM versions WHERE {HAS_PLAYED} AND (?1 = '' OR checked_at <= ?1) ORDER BY id",  # noqa: S608 -- our own words
                at,
            )
        )

    @property
    def numbers(self) -> list[int]:
        """The versions that play now, in order."""
        return sorted(self.active.values())

    def reference(self, version: int) -> Reference:
        """What plays for a version.

        Raises:
            UserError: it can't play, or never could.
        """
        reference = self._references.get(version)
        if reference is None:
            row = self.database.row(
                "SELECT versions.*, teams.pseudonym, teams.kind FROM versions JOIN teams ON teams.id = versions.team"
                " WHERE versions.id = ?",
                version,
            )
            if row is None or not self._is_usable(row):
                raise UserError(self.broken.get(version, "this version can no longer be played"))
            reference = self._references[version]
        _check_packages(reference.source)
        return reference

    def drop_broken(self, versions: Iterable[int]) -> bool:
        """Take those of some versions out of play whose files can't be read now; whether there are any."""
        self._has_lost = False
        for version in versions:
            reference = self._references.get(version)
            try:
                if reference is not None:
                    code_digest(reference.source)
                    _check_packages(reference.source)
            except UserError as error:
                del self._references[version]
                self._lose(self.database.rows("SELECT * FROM versions WHERE id = ?", version)[0], str(error))
        return self._has_lost or not self.broken.keys().isdisjoint(versions)

    def _is_usable(self, row: Row) -> bool:
        version = int(row["id"])
        if version in self._references:
            return True
        problem = ""
        try:
            reference = entry_of(row)
            if reference is None:
                return False
            if row["upload"] and reference.source.origin is not Origin.INSTALLED:
                reference = self._in_own_folder(version, reference)
                if not _is_as_accepted(row, reference.source):
                    problem = "its files have changed since it was accepted, for example after a power cut"
            code_digest(reference.source)
            _check_packages(reference.source)
        except (UserError, OSError, msgspec.MsgspecError) as error:
            # One row or file that can't be read must not stop all others.
            problem = str(error)
        if problem or reference is None:
            self._lose(row, problem)
            return False
        self._references[version] = replace(reference, shown=f"{row['pseudonym']} v{row['number']}")
        return True

    def _in_own_folder(self, version: int, reference: Reference) -> Reference:
        """What plays for a version, in the league's folder, and not in that of the league that this one is a copy of.

        Raises:
            UserError: its files are missing.
        """
        folder = folder_of(self.league.settings.folder.resolve(), version) / TEAMS
        place = Path(reference.source.folder or reference.source.value)
        if place.resolve().is_relative_to(folder) and place.exists():
            return reference
        references = Finder(self.league.registry).teams(str(folder), self.league.tournament.game.name).references
        if not references:
            raise UserError(f"{folder}: its files are missing")
        with self.database.writing():
            self.database.run("UPDATE versions SET entry = ? WHERE id = ?", msgspec.msgpack.encode(references[0]), version)
        return references[0]

    def _lose(self, row: Row, problem: str) -> None:
        """A version's files can't be used: they are made again of what was handed in, or it no longer plays."""
        # What is remembered of these files isn't true of those that another check makes.
        code_digest.cache_clear()
        is_uploaded = bool(row["upload"]) and (self.league.settings.folder / UPLOADS / row["upload"]).is_file()
        if is_uploaded and check_once_more(self.database, row["id"], problem):
            self._has_lost = True
        else:
            self.broken[int(row["id"])] = problem


def _is_as_accepted(row: Row, source: Source) -> bool:
    """Whether the files are those that were checked. A new version of the game's plugin changes nothing about that."""
    if not source.loader:
        return code_digest(source) == str(row["code"])
    report = report_of(row)
    return report is None or not report.build_digest or digest_without_loader(source) == report.build_digest


def _check_packages(source: Source) -> None:
    """Look whether the packages of a version are there, and for the Python that the league runs on now.

    Raises:
        UserError: they aren't.
    """
    if source.environment:
        check_environment(Path(source.environment))
