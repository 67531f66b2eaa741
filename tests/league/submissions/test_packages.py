"""Versions that need packages are built with those that the league's file allows, play with them, and keep them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from tests.engine.environments import make_environment
from tests.intake.made_archives import zipped
from tests.intake.wheels import make_wheel
from tests.league.made_league import FILE, IDLE, Visitor, make_league

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import path_sources
from tiltyard_engine.registry.environments import packages_of
from tiltyard_intake.environments.allowed import allowed_of, judge
from tiltyard_intake.environments.requirements import TeamRequirement
from tiltyard_league.cli.backup import backup, unpack_backup
from tiltyard_league.cli.finals import write_finals
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import RATED, Seats
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.versions import CheckReport, add_version, begin_check, end_check
from tiltyard_league.league_file.loading import WAYS_OUT, League
from tiltyard_league.league_file.model import LeagueKeys
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_league.service.main import Service
from tiltyard_league.submissions.checker import Checker, environments_folder
from tiltyard_league.submissions.environments import remove_unused
from tiltyard_league.submissions.upload import receive_upload
from tiltyard_league.web.app import make_app
from tiltyard_simulator.match.code_digest import code_digest
from tiltyard_simulator.play.executor import InlineExecutor

ARMED = IDLE.replace("return ActionRequest.DO_NOTHING", "return __import__('shared').action(ActionRequest)")
"""What it does, one of its packages decides."""


@dataclass
class PackageCourse:
    """A league with two versions of the same code that need other packages."""

    league: League
    checker: Checker
    armed: CheckReport
    idle: CheckReport

    @property
    def folder(self) -> Path:
        return self.league.settings.folder

    def check(self, requirement: str, team: str) -> tuple[int, CheckReport]:
        """Hand the code in for a team, and check it."""
        data = zipped({"team.py": ARMED.encode(), "requirements.txt": requirement.encode()})
        with receive_upload(self.folder, 10**7, 0) as upload:
            upload.write(data)
        with Database(self.folder) as database, database.writing():
            row = find_team(database, team)
            add_version(database, row["id"], upload=upload.digest, name="a.zip", size=1, member=None, note="", late=False)
            version = database.number("SELECT max(id) FROM versions")
            begin_check(database, version)
        report = self.checker.check(version, upload.digest, "a.zip")
        with Database(self.folder) as database, database.writing():
            end_check(database, version, report)
        return version, report


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PackageCourse]:
    folder = tmp_path_factory.mktemp("league") / "course"
    make_wheel(folder / "wheels", "shared", "1.0", "def action(request):\n    return request.DO_NOTHING\n")
    make_wheel(folder / "wheels", "shared", "2.0", "def action(request):\n    return request.SHOOT\n")
    league = make_league(folder, maps=1, file=f"{FILE}  wheels: wheels\n")
    with closing(Checker(league)) as checker:
        one = PackageCourse(league, checker, CheckReport(accepted=False), CheckReport(accepted=False))
        _, one.armed = one.check("shared>1", "Red")
        _, one.idle = one.check("shared==1.0", "Blue")
        yield one


def environment(report: CheckReport) -> Path:
    assert report.entry is not None
    return Path(report.entry.source.environment)


def test_equal_code_with_other_packages_is_another_version(course: PackageCourse) -> None:
    assert [(report.accepted, report.reason) for report in (course.armed, course.idle)] == [(True, "")] * 2
    assert [packages_of(environment(report)) for report in (course.armed, course.idle)] == [
        ["shared 2.0"],
        ["shared 1.0"],
    ]
    assert {environment(report).parent for report in (course.armed, course.idle)} == {environments_folder(course.folder)}
    assert course.armed.code != course.idle.code
    assert "its own environment: shared 2.0" in course.armed.notes


def test_a_version_plays_with_its_packages(course: PackageCourse) -> None:
    with closing(InlineExecutor()) as executor, closing(Service(course.league, executor, 1)) as service:
        service.begin()
        with Database(course.folder) as database:
            versions = [database.number("SELECT id FROM versions WHERE code = ?", course.armed.code)]
            versions.append(database.number("SELECT id FROM versions WHERE code = ?", course.idle.code))
        seats = Seats(versions=(versions[0], versions[1]), map=service.fixtures.maps[0], kind=RATED)
        service.playing.return_games.append(seats)
        service.step(0.0)
        (game,) = service.games.last(1)
    assert (game.versions, game.winner, game.fault) == (seats.versions, 1, 0)


def test_a_refusal_says_what_the_team_and_the_staff_can_do(course: PackageCourse) -> None:
    _, lacking = course.check("frobnicate", "Dot Dogwood")
    assert lacking.reason == (
        "built: lacks packages: requirements.txt:1: frobnicate is not in the folder of wheels: remove it, or ask the staff"
        " to put its wheel into the league's folder of wheels"
    )
    _, other = course.check("shared==3", "Dot Dogwood")
    assert "the wheels in the league's folder don't give what is asked for" in other.reason
    assert str(course.folder) not in str(lacking) + str(other)
    named = allowed_of(["shared"], None, WAYS_OUT)
    (refusal,) = judge([TeamRequirement(Requirement("frobnicate"), "requirements.txt:1")], named).refusals
    assert "ask the staff to write 'allow: [frobnicate]' under 'league' in league.yaml" in refusal
    crates = {"cargo:rand": "rand", "cargo:a-grid": "a_grid"}
    assert named.way_out(crates) == (
        "or for rand and a_grid: remove it, or ask the staff to write 'allow: [cargo:rand, cargo:a-grid]' under 'league'"
        " in league.yaml"
    )
    (course.folder / "packages" / "cargo").mkdir(parents=True)
    there = allowed_of([], None, WAYS_OUT, packages=course.folder / "packages").way_out(crates)
    assert "ask the staff to put it into the league's folder of packages" in there
    assert str(course.folder) not in there


@pytest.mark.parametrize(
    ("keys", "text"),
    [
        ({"allow": ["networkx==3.4", "scipy<2"]}, "<code>networkx==3.4</code>, <code>scipy&lt;2</code>."),
        ({"wheels": "wheels"}, "Ask the staff which packages are available."),
        ({"packages": "packages"}, "<code>Cargo.toml</code>. Ask the staff which packages are available."),
        ({}, ""),
    ],
)
def test_the_rules_say_which_packages_can_be_named(course: PackageCourse, keys: dict[str, Any], text: str) -> None:
    settings = replace(course.league.settings, keys=LeagueKeys(**keys))
    page = Visitor(make_app(settings)).get("/rules").text
    assert ("requirements.txt" in page) == bool(keys)
    assert text in page


def test_a_league_elsewhere_has_the_packages_of_its_versions(course: PackageCourse, tmp_path: Path) -> None:
    backup(course.folder, tmp_path / "league.tar.gz")
    elsewhere = tmp_path / "elsewhere"
    unpack_backup(tmp_path / "league.tar.gz", elsewhere)
    write_finals(elsewhere, "round-robin", 1)
    expected = {report.code: environments_folder(elsewhere) / environment(report).name for report in (course.armed, course.idle)}
    for there in (elsewhere / "versions", elsewhere / "finalists"):
        sources = [source for file in there.rglob("team.py") for source in path_sources(file)]
        assert [source.error for source in sources] == ["", ""]
        assert {code_digest(source): Path(source.environment) for source in sources} == expected
    python = environments_folder(elsewhere) / environment(course.armed).name / "bin" / "python"
    assert python.resolve() == (environment(course.armed) / "bin" / "python").resolve()


def test_packages_stay_as_long_as_a_version_needs_them(course: PackageCourse) -> None:
    needed = {environment(report) for report in (course.armed, course.idle)}
    unused = make_environment(environments_folder(course.folder).parent / "x.py", {"other": ""})
    with Database(course.folder) as database:
        with database.writing():
            database.run("UPDATE versions SET state = 'checking' WHERE code = ?", course.idle.code)
        # What a check installs is in no row yet.
        assert remove_unused(course.folder, database) == 0
        with database.writing():
            database.run("UPDATE versions SET state = 'accepted' WHERE code = ?", course.idle.code)
        assert remove_unused(course.folder, database) == 1
    assert not unused.exists()
    assert needed == {path for path in unused.parent.iterdir() if len(path.name) == 40}


def test_a_version_without_its_packages_is_checked_again(course: PackageCourse, tmp_path: Path) -> None:
    folder = environment(course.armed)
    with Database(course.folder) as database:
        active_versions = ActiveVersions(course.league, database)
        active_versions.look()
        (version,) = [row["id"] for row in database.rows("SELECT id FROM versions WHERE code = ?", course.armed.code)]
        assert version in active_versions.numbers
        folder.rename(tmp_path / "away")
        try:
            # While the league runs, and when it starts.
            with pytest.raises(UserError, match="is not on this machine"):
                active_versions.reference(version)
            assert active_versions.drop_broken([version])
            assert set_state(database, version, "accepted") == "received"
            again = ActiveVersions(course.league, database)
            again.look()
            assert version not in again.numbers
        finally:
            (tmp_path / "away").rename(folder)
            assert set_state(database, version, "accepted") == "received"


def set_state(database: Database, version: int, state: str) -> str:
    """Set the state of a version; the one before."""
    (before,) = database.rows("SELECT state FROM versions WHERE id = ?", version)
    with database.writing():
        database.run("UPDATE versions SET state = ? WHERE id = ?", state, version)
    return str(before["state"])
