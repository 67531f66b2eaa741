"""A whole class: everybody stands in the report, what changed is built again, nothing is left behind."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from tests.engine.environments import make_environment
from tests.intake.made_archives import files_below
from tests.intake.made_exports import write_all
from tests.intake.making import file_size_limit, pool_of_builds, pool_of_smoke_matches
from tests.intake.recipes.test_recognition import recipe
from tests.intake.wheels import make_wheel

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.registry.environments import ENVIRONMENTS, read_teams
from tiltyard_intake.environments.allowed import allowed_of
from tiltyard_intake.exports.entries import LONGEST_STEM
from tiltyard_intake.exports.roster import read_roster
from tiltyard_intake.intake import take_in
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.report.team_report import IntakeReport, TeamReport, Verdict, read_report, write_report
from tiltyard_intake.smoke import smoke_match
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.teams.team_folder import read_team_folder

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
def take(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_any_test: tuple[str, ...]) -> TakeIn:
    """``take(**options)`` takes ``handed-in`` in. With one worker, all intakes build and play in the same pools."""
    registry = open_registry(IsolationPolicy())
    monkeypatch.setattr(smoke_match, "CellPool", lambda **_: pool_of_smoke_matches(in_any_test))

    def run(**options: object) -> IntakeReport:
        given: dict[str, object] = {
            "handed_in": tmp_path / "handed-in",
            "into": tmp_path / "teams",
            "reports": tmp_path / "reports",
            "game": "tanks",
        }
        told = options.pop("told", lambda *_: None)
        if "workers" not in options:
            given["cells"] = pool_of_builds()
        return take_in(IntakeOptions(**{**given, **options}), registry, told)  # type: ignore[arg-type]

    return run


def hand_in(folder: Path, name: str, act: str = SHOOTS) -> Path:
    path = folder / "handed-in" / f"{name}_{1000 + len(name)}{ord(name[-1])}_assignsubmission_file_" / "bot.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(TEAM.format(act=act))
    return path


def teams_in(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "teams").glob("[!.]*"))


def by_label(report: IntakeReport) -> dict[str, TeamReport]:
    return {each.label: each for each in report.teams}


def test_everybody_stands_in_the_report(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    hand_in(tmp_path, "Ben", RAISES)
    (hand_in(tmp_path, "Cem").parent / "bot.py").write_text("only words")
    alone = hand_in(tmp_path, "Dan")
    alone.with_name("work.zip").write_bytes(b"not a zip at all")
    alone.unlink()
    (tmp_path / "handed-in" / "marks.csv").write_text("Ann,1\n")
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
    assert header == ["team", "id", "members", "verdict", "what", "recipe", "handed in", "build s", "smoke match", "words"]
    assert len(rows) == 6
    assert rows[-1][3:5] == ["left out", str(tmp_path / "handed-in" / "marks.csv")]
    assert "no shell today" in (tmp_path / "reports" / "feedback" / "Ben.txt").read_text()
    # Cem's words are no Python, which only a compiler can say; it reads them in the sandbox.
    assert found["Cem"].error.splitlines() == [
        "bot.py:1: SyntaxError: invalid syntax",
        "no .py file imports tiltyard_engine, so this is not a team for tanks",
    ]
    assert rows[1][-1] == "; ".join(found["Cem"].error.splitlines())
    assert report.summary() == (
        "4 handed in: 1 plays, 1 fails in a match, 1 not recognised, 1 can't be opened; 1 handed in nothing"
    )
    folder = read_team_folder(tmp_path / "teams")
    assert folder.labels == {"Ann.py": "Ann", "Ben.py": "Ben"}
    assert [team for team, _ in folder.not_admitted] == ["Dan", "Cem"]
    # A team that fails in a match stays: whether it plays is the organiser's decision.
    assert teams_in(tmp_path) == ["Ann.py", "Ben.py"]


def test_only_what_changed_is_built_again(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann", "Ben"):
        hand_in(tmp_path, name)
    take()
    hand_in(tmp_path, "Ben", RAISES)
    found = by_label(take())
    assert (found["Ann"].is_reused, found["Ann"].verdict) == (True, Verdict.PLAYS)
    assert (found["Ben"].is_reused, found["Ben"].verdict) == (False, Verdict.FAULTY)
    assert "no shell today" in (tmp_path / "teams" / "Ben.py").read_text()


def test_what_a_new_attempt_replaces_is_put_aside(take: TakeIn, tmp_path: Path) -> None:
    files = {name: hand_in(tmp_path, name) for name in ("Ann", "Ben", "Cem")}
    os.utime(files["Ben"], (1_700_000_000, 1_700_000_000))
    handed_in = by_label(take())["Ben"].handed_in
    (tmp_path / "teams" / "mine.py").write_text(TEAM.format(act=SHOOTS))
    package = files["Ann"].parent / "ann" / "__init__.py"
    package.parent.mkdir()
    files["Ann"].rename(package)
    files["Ben"].write_text("only words")
    files["Cem"].unlink()

    def after_the_first(team: TeamReport, *_: int) -> None:
        assert team.label == "Ann"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        take(told=after_the_first)
    assert teams_in(tmp_path) == ["Ann", "Ben.py", "Cem.py", "mine.py"]
    found = by_label(take(keeps_playing=True))
    assert teams_in(tmp_path) == ["Ann", "Ben.py", "mine.py"]
    assert (found["Ben"].verdict, found["Ben"].earlier_plays) == (Verdict.UNKNOWN, True)
    assert found["Cem"].verdict is Verdict.GONE
    assert sorted(path.name for path in (tmp_path / "reports" / "feedback").iterdir()) == ["Ann.txt", "Ben.txt"]
    assert found["Cem"].notes[-1].startswith("nothing was handed in this time; the earlier team was moved to reports/earlier/Cem/")
    # Without that wish, what was handed in last counts.
    found = by_label(take())
    assert teams_in(tmp_path) == ["Ann", "mine.py"]
    assert "Cem" not in found
    kept, moved = found["Ben"].notes
    assert kept == "an earlier attempt is kept"
    assert re.fullmatch("the earlier team was moved to reports/earlier/Ben/[^/]+", moved)
    (before,) = found["Ben"].older_sources
    with ZipFile(tmp_path / "reports" / before) as sources:
        assert sources.read("bot.py").decode() == TEAM.format(act=SHOOTS)
    assert found["Ben"].sources != before
    aside = sorted(path.relative_to(tmp_path / "reports") for path in (tmp_path / "reports" / "earlier").rglob("*.py"))
    assert [path.parts[1] for path in aside] == ["Ann", "Ben", "Cem"]
    assert found["Ann"].replaced == (str(aside[0].parent),)
    # It is called by when it was handed in, not by when that was which can't play.
    assert aside[1].parts[2].startswith(handed_in[:10])
    files["Ben"].write_text(TEAM.format(act="return ActionRequest.ROTATE_LEFT_45"))
    assert by_label(take())["Ben"].replaced == (str(aside[1].parent),)
    assert teams_in(tmp_path) == ["Ann", "Ben.py", "mine.py"]


def test_a_report_that_was_changed_leads_nowhere_else(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann").write_text("only words")
    (tmp_path / "mine").mkdir()
    (tmp_path / "teams").mkdir()
    (tmp_path / "teams" / "other.py").touch()
    products = ("../mine", str(tmp_path / "mine"), "", ".", "a\0b")
    write_report(
        IntakeReport(
            game="tanks", teams=(TeamReport(label="Ann", team="Ann", verdict=Verdict.PLAYS, digest="\0", products=products),)
        ),
        tmp_path / "reports",
    )
    take()
    assert (tmp_path / "mine").is_dir()
    assert teams_in(tmp_path) == ["other.py"]


def test_names_that_are_not_utf_8_are_written_with_escapes(take: TakeIn, tmp_path: Path) -> None:
    folder = os.fsdecode(os.fsencode(tmp_path / "handed-in") + b"/b\xffd")
    Path(folder).mkdir(parents=True)
    (Path(folder) / "words.txt").write_text("words")
    (team,) = take().teams
    assert team.label == "b\\udcffd"
    assert by_label(take()) == {team.label: team}


@pytest.mark.parametrize(
    ("files", "words"), [((), ""), (("marks.csv", "empty/"), r"\(empty is an empty folder, marks.csv is a table")]
)
def test_a_wrong_folder_is_an_error_and_replaces_nobody(files: tuple[str, ...], words: str, take: TakeIn, tmp_path: Path) -> None:
    write_all(tmp_path / "wrong", dict.fromkeys(files, b""))
    write_all(tmp_path / "teams", {"ann.py": b""})
    for is_dry in (True, False):
        with pytest.raises(UserError, match=f"contains no team's work.*{words}.*expected a folder"):
            take(handed_in=tmp_path / "wrong", is_dry=is_dry)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["teams", "wrong"]
    assert teams_in(tmp_path) == ["ann.py"]


def test_a_report_among_the_teams_is_refused(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    with pytest.raises(UserError, match="would be taken for a team"):
        take(reports=tmp_path / "teams" / "reports")


def test_a_dry_run_writes_nothing(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann")
    (team,) = take(is_dry=True).teams
    assert (team.verdict, team.recipe) == (Verdict.FOUND, "python-file")
    ours = recipe("ours", "*.py")
    assert take(is_dry=True, own_recipes=(ours,), recipes={"Ann": "ours"}).teams[0].recipe == "ours"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["handed-in"]


def test_names_that_look_alike_are_kept_apart(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ben B", "ben_b"):
        hand_in(tmp_path, name)
    report = take()
    assert {each.verdict for each in report.teams} == {Verdict.PLAYS}
    assert len({each.team.casefold() for each in report.teams}) == 2
    assert len(teams_in(tmp_path)) == 2


def test_long_names_and_those_of_any_script_are_usable(take: TakeIn, tmp_path: Path) -> None:
    for name in ("Ann Alder, Ben Birch, Çem Cedar, Dee Elm, Eve Fir and Fay van der Hazel", "דנה"):
        hand_in(tmp_path, name)
    report = take()
    assert {each.verdict for each in report.teams} == {Verdict.PLAYS}
    assert all(len(each.team) <= LONGEST_STEM for each in report.teams)


def test_several_workers_come_to_the_same(take: TakeIn, tmp_path: Path) -> None:
    for number in range(4):
        hand_in(tmp_path, f"team {number}", RAISES if number % 3 == 0 else SHOOTS)
    together = by_label(take(workers=2))
    assert {label: each.verdict for label, each in together.items()} == {
        f"team {number}": Verdict.FAULTY if number % 3 == 0 else Verdict.PLAYS for number in range(4)
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
        # In pools of its own, which have the limit too.
        take(workers=1)
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


def test_the_same_work_twice_is_told_to_the_organiser_alone(take: TakeIn, tmp_path: Path) -> None:
    mine = TEAM.format(act=SHOOTS)
    hand_in(tmp_path, "Ann")
    hand_in(tmp_path, "Ben").write_text(mine.replace("Turret", "Tower").replace("player_index", "me") + "\n# all my own\n")
    hand_in(tmp_path, "Cem").write_text(f"print({list(range(400))}) if __name__ == '__main__' else None")
    report = take(plays_once=False)
    with (tmp_path / "reports" / "intake.csv").open(newline="") as table:
        words = {row[0]: row[-1] for row in csv.reader(table)}
    assert words["Ann"].endswith("the same as in Ben (100 %)")
    assert words["Ben"].endswith("the same as in Ann (100 %)")
    assert "the same as" not in words["Cem"]
    for team in ("Ann", "Ben"):
        text = (tmp_path / "reports" / "feedback" / f"{team}.txt").read_text()
        assert "the same as" not in text
        assert text.count("Ben") + text.count("Ann") == 1
    assert report.likeness is not None
    assert read_report(tmp_path / "reports") == report
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "skeleton.py").write_text(mine)
    given = take(plays_once=False, common_code=(tmp_path / "given",)).likeness
    assert given is not None
    assert not given.pairs
    with pytest.raises(UserError, match=r"nowhere: isn't there; expected a folder"):
        take(common_code=(tmp_path / "nowhere",))


ROBOT = """import sys

read = sys.stdin.readline
read()
while head := read():
    if head[0] != "P":
        sys.exit("no board")
    rows = int(head.split()[1])
    board = [read() for _ in range(rows + 1)]
    rows = int(read().split()[1])
    piece = [read() for _ in range(rows)]
    print("0 0", flush=True)
# WORDS
"""
"""Reads a turn of 42's engine, and says that it can't place the piece."""
BY_WORDS = "uses the protocol 42: its sources mention Plateau"
BY_TRYING = "uses the protocol 42: it failed at once with the usual one, but plays with this one"


@pytest.mark.parametrize(
    ("words", "note"),
    [("'Plateau'", BY_WORDS), ("Plateau, a class", BY_TRYING), ("'Plateau' or 'Anfield'", BY_TRYING), ("'Anfield'", "")],
)
def test_a_robot_is_spoken_to_in_the_protocol_that_it_understands(take: TakeIn, tmp_path: Path, words: str, note: str) -> None:
    hand_in(tmp_path, "Ann").write_text(ROBOT.replace("WORDS", words))
    report = take(game="filler")
    (team,) = report.teams
    manifest = tmp_path / "teams" / team.team / "program.toml"
    if note:
        assert (team.verdict, team.protocol, team.error) == (Verdict.PLAYS, "42", "")
        assert note in team.notes
    else:
        assert (team.verdict, team.protocol) == (Verdict.FAULTY, "01")
    assert ('protocol = "42"' in manifest.read_text()) is bool(note)
    # What was found out by trying holds as long as nothing changes.
    again = take(game="filler").teams[0]
    assert (again.is_reused, again.verdict, again.protocol, again.notes) == (True, team.verdict, team.protocol, team.notes)
    assert ('protocol = "42"' in manifest.read_text()) is bool(note)


def test_a_robot_that_understands_no_protocol_is_told_of_each(take: TakeIn, tmp_path: Path) -> None:
    hand_in(tmp_path, "Ann").write_text("import sys\nsys.exit(3)\n")
    (team,) = take(game="filler").teams
    assert team.verdict is Verdict.FAULTY
    usual, _, other = team.error.partition("; uses the protocol 42: ")
    for said, form in ((usual, "X Y"), (other, "ROW COL")):
        assert said.startswith("crash in round 1: answering: the program exited with code 3 (sent: ")
        assert f"expected: {form}; " in said
    assert "protocol" not in (tmp_path / "teams" / team.team / "program.toml").read_text()
