"""Versions that need packages are built, play and are kept with the packages that the league's file allows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.made_league import FILE, IDLE, make_league
from tests.simulator.intake.archives import zipped
from tests.simulator.intake.wheels import make_wheel

from tiltyard_league.handing_in.checking import Checker, environments_folder
from tiltyard_league.handing_in.receiving import receiving
from tiltyard_league.league_file.loading import League
from tiltyard_league.records.versions import Report

SHARED = IDLE.replace("return ActionRequest.DO_NOTHING", "return __import__('shared').action(ActionRequest)")


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    folder = tmp_path_factory.mktemp("league") / "course"
    for version, action in (("1.0", "DO_NOTHING"), ("2.0", "SHOOT")):
        make_wheel(folder / "wheels", "shared", version, f"action = lambda request: request.{action}\n")
    return make_league(folder, maps=1, file=f"{FILE}  wheels: wheels\n")


@pytest.fixture(scope="module")
def checker(league: League) -> Iterator[Checker]:
    with closing(Checker(league)) as made:
        yield made


def checked(checker: Checker, league: League, wanted: str, version: int) -> Report:
    with receiving(league.settings.folder, 10**7, 0) as upload:
        upload.write(zipped({"team.py": SHARED.encode(), "requirements.txt": wanted.encode()}))
    return checker.check(version, upload.digest, "team.zip")


def test_equal_code_with_other_packages_is_another_version(league: League, checker: Checker) -> None:
    reports = [checked(checker, league, wanted, number) for number, wanted in enumerate(("shared", "shared>1", "shared==1.0"), 11)]
    for report in reports: print(report.reason, report.steps)
    assert [report.accepted for report in reports] == [True] * 3
    assert reports[0].code == reports[1].code != reports[2].code
    places = [Path(report.entry.source.environment) for report in reports if report.entry is not None]
    assert {place.parent for place in places} == {environments_folder(league.settings.folder)}
    assert places[0] == places[1] != places[2]
