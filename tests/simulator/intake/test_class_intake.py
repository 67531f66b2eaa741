"""A whole class: everybody stands in the report, what changed is built again, nothing is left behind."""

from __future__ import annotations

import csv
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.environments import make_environment
from tests.simulator.intake.archives import files_below
from tests.simulator.intake.making import file_size_limit
from tests.simulator.intake.wheels import make_wheel

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry.environments import ENVIRONMENTS, read_teams
from tiltyard_simulator.intake.class_intake import LONGEST_STEM, IntakeOptions, take_in
from tiltyard_simulator.intake.environments.allowed import allowed_of
from tiltyard_simulator.intake.roster import read_roster
from tiltyard_simulator.intake.team_report import COLUMNS, IntakeReport, TeamReport, Verdict
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_simulator.play.registry import open_registry

TEAM = """
from collections.abc import Iterator
from tiltyard_engine import ActionRequest, Player, TankAlgorithm, TankTeam, hookimpl

class Turret(TankAlgorithm):
    def __init__(self, player_index: int, tank_index: int) -> None: ...
    def get_action(self) -> ActionRequest:
        {act}
    def update_battle_info(self, info: object) -> None: ...

class Silent(Player):
    def update_tank_with_battle_info(self, tank: object, satellite_view: object) -> None: ...

@hookimpl
def algorithms() -> Iterator[TankTeam]:
    yield TankTeam("turret", player=Silent, tank=Turret)
"""
SHOOTS, RAISES = "return ActionRequest.SHOOT", "raise ValueError('no shell today')"

TakeIn = Callable[..., IntakeReport]


@pytest.fixture
def take(tmp_path: Path) -> TakeIn:
    """``take(**options)`` takes ``handed-in`` in."""
    registry = open_registry(IsolationPolicy())

    def run(**options: object) -> IntakeReport:
        given = {"handed_in": tmp_path / "handed-in", "into": tmp_path / "teams", "reports": tmp_path / "reports", "game": "tanks"}
        return take_in(IntakeOptions(**{**given, **options}), registry, lambda *_: None)  # type: ignore[arg-type]

    return run


def hand_in(folder: Path, name: str, act: str = SHOOTS) -> Path:
    path = folder / "handed-in" / f"{name}_{1000 + len(name)}{ord(name[-1])}_assignsubmission_file_" / "bot.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEAM.format(act=act))
    return path


def by_label(report: IntakeReport) -> dict[str, TeamReport]:
    return {each.label: each for each in report.teams}


def test_everybody_stands_in_the_report(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    hand_in(tmp_path, "Ben", RAISES)
    (hand_in(tmp_path, "Cem").parent / "bot.py").write_text("only words")
    alone = hand_in(tmp_path, "Dan")
    alone.with_name("work.zip").write_bytes(b"not a zip at all")
    alone.unlink()
    (tmp_path / "students.csv").write_text("name,id\nAnn,1\nBen,2\nCem,3\nDan,4\nEve,5\n")
    report = take(roster=read_roster(tmp_path / "students.csv"))
    found = by_label(report)
    assert {label: each.verdict for label, each in found.items()} == {
        "Ann": Verdict.PLAYS,
        "Ben": Verdict.FAULTY,
        "Cem": Verdict.UNKNOWN,
        "Dan": Verdict.UNREADABLE,
        "Eve": Verdict.ABSENT,
    }
    assert "no shell today" in found["Ben"].error
    assert "work.zip" in found["Dan"].error
    assert [each.label for each in report.sorted()] == ["Dan", "Cem", "Ben", "Eve", "Ann"]
    with (tmp_path / "reports" / "intake.csv").open(newline="") as table:
        header, *rows = csv.reader(table)
    assert tuple(header) == COLUMNS
    assert len(rows) == 5
    assert "no shell today" in (tmp_path / "reports" / "feedback" / "Ben.txt").read_text()
    # A team that fails in a match stays: whether it plays is the organiser's decision.
    assert sorted(path.name for path in (tmp_path / "teams").iterdir()) == ["Ann.py", "Ben.py"]


def test_only_what_changed_is_built_again(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann", "Ben"):
        hand_in(tmp_path, name)
    take()
    hand_in(tmp_path, "Ben", RAISES)
    found = by_label(take())
    assert (found["Ann"].is_reused, found["Ann"].verdict) == (True, Verdict.PLAYS)
    assert (found["Ben"].is_reused, found["Ben"].verdict) == (False, Verdict.FAULTY)
    assert "no shell today" in (tmp_path / "teams" / "Ben.py").read_text()


def test_a_team_that_is_gone_leaves_nothing_in_the_folder(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann", "Ben"):
        hand_in(tmp_path, name)
    take()
    mine = tmp_path / "teams" / "mine.py"
    mine.write_text(TEAM.format(act=SHOOTS))
    hand_in(tmp_path, "Ben").write_text("only words")
    assert by_label(take())["Ben"].verdict is Verdict.UNKNOWN
    assert sorted(path.name for path in (tmp_path / "teams").iterdir()) == ["Ann.py", "mine.py"]


def test_a_dry_run_writes_nothing(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    (team,) = take(is_dry=True).teams
    assert (team.verdict, team.recipe) == (Verdict.FOUND, "python-file")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["handed-in"]


def test_names_that_look_alike_are_kept_apart(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ben B", "ben_b"):
        hand_in(tmp_path, name)
    report = take()
    assert {each.verdict for each in report.teams} == {Verdict.PLAYS}
    assert len({each.team.casefold() for each in report.teams}) == 2
    assert len(list((tmp_path / "teams").iterdir())) == 2


def test_long_names_and_those_of_any_script_are_usable(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann Alder, Ben Birch, Çem Cedar, Dee Elm, Eve Fir and Fay van der Hazel", "דנה"):
        hand_in(tmp_path, name)
    report = take()
    assert {each.verdict for each in report.teams} == {Verdict.PLAYS}
    assert all(len(each.team) <= LONGEST_STEM for each in report.teams)


def test_several_workers_come_to_the_same(take: TakeIn, tmp_path: Path) -> None:
    for number in range(6):
        hand_in(tmp_path, f"team {number}", RAISES if number % 3 == 0 else SHOOTS)
    together = by_label(take(workers=3))
    assert {label: each.verdict for label, each in together.items()} == {
        f"team {number}": Verdict.FAULTY if number % 3 == 0 else Verdict.PLAYS for number in range(6)
    }


def test_wrong_recipes_and_teams_are_named(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    with pytest.raises(NotFoundError, match="python-fil"):
        take(recipe="python-fil")
    with pytest.raises(NotFoundError, match="Anne"):
        take(recipes={"Anne": "python-file"})


def test_a_full_disk_is_told_and_no_team_is_lost(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann", "Ben"):
        hand_in(tmp_path, name)
    take()
    before = files_below(tmp_path / "teams")
    hand_in(tmp_path, "Ben", RAISES)
    path = hand_in(tmp_path, "Ann")
    path.write_text(f"{path.read_text()}#{'x' * 100_000}")
    with file_size_limit(50_000), pytest.raises(UserError, match="cannot be written: File too large"):
        take()
    assert files_below(tmp_path / "teams") == before
    assert {each.verdict for each in take().teams} == {Verdict.PLAYS, Verdict.FAULTY}


def test_a_damaged_report_is_not_overwritten(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    take()
    path = tmp_path / "reports" / "intake.json"
    assert json.loads(path.read_text())["game"] == "tanks"
    path.write_text("{")
    with pytest.raises(UserError, match="isn't the report of an intake"):
        take()
    assert path.read_text() == "{"


def test_teams_get_the_packages_that_they_may_have(take: TakeIn, tmp_path: Path) -> None:
    """One class, twice: what is allowed, what isn't, what is forged, and a team that no longer asks for anything."""
    wheels = tmp_path / "wheels"
    for version in ("1.0", "2.0"):
        make_wheel(wheels, "shared", version)
    for name, version, wanted in (("Ann", "1.0", "shared==1.0"), ("Ben", "2.0", "shared"), ("Cem", "2.0", "shared>1")):
        bot = hand_in(tmp_path, name, f"assert __import__('shared').VERSION == '{version}'; {SHOOTS}")
        bot.with_name("requirements.txt").write_text(wanted)
    hand_in(tmp_path, "Dan").with_name("requirements.txt").write_text("frobnicate")
    hand_in(tmp_path, "Eve").with_name("requirements.txt").write_text("git+https://example.com/x")
    forged = hand_in(tmp_path, "Fay", f"import shared; {SHOOTS}")
    make_environment(forged, {"shared": ""})
    with zipfile.ZipFile(forged.with_name("work.zip"), "w") as archive:
        for path in [path for path in forged.parent.rglob("*") if path.is_file() and path.suffix != ".zip"]:
            archive.write(path, path.relative_to(forged.parent))
    shutil.rmtree(forged.parent / ENVIRONMENTS)
    forged.unlink()

    found = by_label(take(allowed=allowed_of([], wheels)))
    assert {label: each.verdict for label, each in found.items()} == {
        **dict.fromkeys(("Ann", "Ben", "Cem"), Verdict.PLAYS),
        **dict.fromkeys(("Dan", "Eve"), Verdict.UNEQUIPPED),
        "Fay": Verdict.FAULTY,
    }
    assert found["Ann"].packages == ("shared 1.0",)
    assert found["Ben"].environment == found["Cem"].environment != found["Ann"].environment
    assert "requirements.txt:1: frobnicate is not in the folder of wheels: ask the organiser" in found["Dan"].error
    assert "requirements.txt:1: git+https://example.com/x: is a URL" in found["Eve"].error
    assert "No module named 'shared'" in found["Fay"].error
    feedback = (tmp_path / "reports" / "feedback" / "Ben.txt").read_text()
    assert "- its own environment: shared 2.0" in feedback
    assert {*read_teams(tmp_path / "teams")} == {"Ann.py", "Ben.py", "Cem.py"}

    hand_in(tmp_path, "Ben").with_name("requirements.txt").unlink()
    shutil.rmtree(tmp_path / "handed-in" / hand_in(tmp_path, "Cem").parent.name)
    found = by_label(take(allowed=allowed_of([], wheels)))
    assert (found["Ann"].verdict, found["Ann"].is_reused, found["Ben"].environment) == (Verdict.PLAYS, True, "")
    assert {*read_teams(tmp_path / "teams")} == {"Ann.py"}
