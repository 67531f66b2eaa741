"""Files of versions that are elsewhere, or not what they were."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec
import pytest
from tests.league.made_league import IDLE, enter, make_league

from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.versions import CheckReport
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_league.submissions.checker import TEAMS, folder_of
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader


@pytest.fixture
def league(tmp_path: Path) -> League:
    """With a version of Red that was entered as from an upload."""
    league = make_league(tmp_path / "course", maps=1)
    version = enter(league, "Red", IDLE)
    with Database(league.settings.folder) as database:
        database.run("UPDATE versions SET upload = 'handed-in' WHERE id = ?", version)
    (league.settings.folder / "uploads").mkdir(exist_ok=True)
    (league.settings.folder / "uploads" / "handed-in").write_text(IDLE)
    return league


def test_what_is_not_what_was_accepted_is_checked_again_and_the_version_before_plays(league: League) -> None:
    folder = league.settings.folder
    with Database(folder) as database:
        red = int(find_team(database, "Red")["id"])
        first, entry = database.rows("SELECT id, entry FROM versions WHERE team = ?", red)[0]
        second = enter(league, "Red", IDLE.replace("idle", "other"))
        database.run("UPDATE versions SET upload = 'handed-in' WHERE id = ?", second)
        # As after a power cut, and in a process that hasn't read the file before.
        file = folder_of(folder, second) / TEAMS / "team.py"
        file.write_text("")
        os.utime(file, (0, 0))
        code_digest.cache_clear()
        versions = ActiveVersions(load_league(folder), database)
        versions.look()
        assert versions.active[red] == first
        assert versions.broken == {}
        row = database.row("SELECT state, attempts FROM versions WHERE id = ?", second)
        assert row is not None
        assert tuple(row) == ("received", 0)
        # Once it is there again, it plays.
        file.write_text(IDLE.replace("idle", "other"))
        database.run("UPDATE versions SET state = 'accepted' WHERE id = ?", second)
        versions.look()
        assert versions.active[red] == second
        database.run("UPDATE versions SET state = 'refused' WHERE id = ?", second)
        assert "have changed since it was accepted" in str(
            database.rows("SELECT about FROM log ORDER BY id DESC LIMIT 1")[0]["about"]
        )
        # One that could never play, such as after a recovery, holds up nobody.
        database.run("UPDATE versions SET entry = NULL WHERE id = ?", first)
        versions = ActiveVersions(load_league(folder), database)
        versions.look()
        assert (red in versions.active, versions.broken) == (False, {})
        database.run("UPDATE versions SET entry = ? WHERE id = ?", entry, first)
        # Without what was handed in, nobody can make it again.
        (folder / "uploads" / "handed-in").unlink()
        shutil.rmtree(folder_of(folder, first))
        fresh = ActiveVersions(load_league(folder), database)
        fresh.look()
        assert red not in fresh.active
        assert set(fresh.broken) == {first}


def test_a_copy_of_a_league_uses_its_own_files(league: League, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(league.settings.folder, copy)
    with Database(copy) as database:
        versions = ActiveVersions(load_league(copy), database)
        versions.look()
        (version,) = versions.active.values()
        assert versions.reference(version).source.value == str(folder_of(copy, version) / TEAMS / "team.py")


def test_a_compiled_team_is_as_accepted_with_another_loader_and_not_with_another_file(league: League) -> None:
    folder = league.settings.folder
    with Database(folder) as database:
        red = int(find_team(database, "Red")["id"])
        version = database.number("SELECT id FROM versions WHERE team = ?", red)
        file = folder_of(folder, version) / TEAMS / "team.so"
        file.write_bytes(b"compiled")
        source = Source(name="team", origin=Origin.LIBRARY, value=str(file), loader="json:loader")
        report = CheckReport(accepted=True, code="with an older loader", build_digest=digest_without_loader(source))
        entry = Reference(kind="algorithm", name="team", game="tanks", source=source)
        values = (report.code, msgspec.msgpack.encode(report), msgspec.msgpack.encode(entry), version)
        database.run("UPDATE versions SET code = ?, report = ?, entry = ? WHERE id = ?", *values)
        versions = ActiveVersions(league, database)
        versions.look()
        assert versions.active == {red: version}
        file.write_bytes(b"compi")
        os.utime(file, (0, 0))
        code_digest.cache_clear()
        versions = ActiveVersions(league, database)
        versions.look()
        assert versions.active == {}
