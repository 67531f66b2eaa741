from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from typer.testing import CliRunner

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_matchups.commands.comparative import app

RUNNER = CliRunner()


@pytest.fixture
def words(tmp_path: Path, write_map: WriteMap, programs: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A map that three shooters share, and the test managers."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "managers").mkdir()
    shutil.copy(programs / "managers" / "wrapped.py", tmp_path / "managers")
    teams = programs / "teams" / "sound.py"
    path = write_map(rows=("           ", " 1         ", "         2 "), steps=11)
    return [str(path), f"{teams}:shooter", f"{teams}:shooter", "-m", "managers", "-w", "1"]


@pytest.mark.usefixtures("inline")
def test_shows_groups_and_where_they_part(words: list[str]) -> None:
    done = RUNNER.invoke(app, words)
    assert done.exit_code == 0
    assert "GameManagers" in done.stdout
    assert "first differ in round" in done.stdout


def test_explains_all_or_none(words: list[str]) -> None:
    words = [*words, "--isolation", "inline"]
    largest, every, none = (RUNNER.invoke(app, [*words, "--explain", which]).stdout for which in ("largest", "all", "none"))
    assert every.count("differ in round") >= largest.count("differ in round") > 0
    assert "differ in round" not in none


REFEREE = """
from dataclasses import replace

from tiltyard_engine import Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager


class Referee(TanksGameManager):
    def run(self, match):
        return replace(super().run(match), reason="{reason}")


@hookimpl
def game_managers():
    yield Manager(name="referee", game="tanks", create=Referee, on_fault="raise")
"""


def test_managers_that_declare_the_same_name_all_play(words: list[str], tmp_path: Path) -> None:
    (tmp_path / "managers" / "wrapped.py").unlink()
    for name, reason in (("ann", "one"), ("bob", "one"), ("referee", "other")):
        (tmp_path / "managers" / f"{name}.py").write_text(REFEREE.format(reason=reason))
    done = RUNNER.invoke(app, [*words, "--site", "report", "--isolation", "inline", "--verbose", "-f", "csv"])
    assert done.exit_code == 0, done.output
    rows = list(csv.reader(done.stdout.splitlines()))
    assert [(row[1], row[4]) for row in rows[1:3]] == [("2", "ann: referee, bob: referee"), ("1", "referee")]
    assert "ann: referee and referee: no round differs" in done.stdout
    assert "ann.py: the name 'referee' is also another GameManager's, so this one is shown as 'ann: referee'" in done.stderr
    (text,) = [path.read_text() for path in (tmp_path / "managers").glob("comparative_results_*.txt")]
    assert "\n\nann: referee, bob: referee\n" in text
    assert "bob: referee" in (tmp_path / "report" / "index.html").read_text()


LOGGING = """
from dataclasses import replace

from tiltyard_engine import Manager, hookimpl
from tiltyard_tanks.manager import TanksGameManager


class Logging(TanksGameManager):
    def run(self, match):
        result = super().run(match)
        return replace(result, log=result.log{change})


@hookimpl
def game_managers():
    yield Manager(name="{name}", game="tanks", create=Logging, on_fault="raise")
"""
CHANGES = {
    "ann": "",
    "bob": ".replace(' (ignored)', '')",
    "cat": ".replace(', ', ',')",
    "dan": ".replace(', ', ',')",
    "eve": "[:0]",
}


@pytest.fixture
def logging_managers(tmp_path: Path, words: list[str]) -> list[str]:
    """Words for managers that have one result and write it down differently."""
    (tmp_path / "managers" / "wrapped.py").unlink()
    for name, change in CHANGES.items():
        (tmp_path / "managers" / f"{name}.py").write_text(LOGGING.format(name=name, change=change))
    return [*words, "--isolation", "inline"]


@pytest.mark.parametrize("more", [[], ["--verbose"]])
def test_output_files_that_differ_within_a_group_are_told(logging_managers: list[str], more: list[str]) -> None:
    done = RUNNER.invoke(app, [*logging_managers, *more])
    assert done.exit_code == 0, done.output
    assert (
        "group 1: the output files of GameManagers cat, dan differ from that of ann from round 1 on, for example: 'Shoot,Shoot'"
        in (done.output)
    )
    assert "group 1: the output file of GameManager bob differs from that of ann from round" in done.output
    assert "(ignored)" in done.output
    assert "eve differ" not in done.output
    assert "output file" not in RUNNER.invoke(app, [*logging_managers, "--explain", "none"]).output


def test_the_model_speaks_for_its_group(logging_managers: list[str], tmp_path: Path, programs: Path) -> None:
    shutil.copy(programs / "managers" / "wrapped.py", tmp_path / "managers")
    # In the form of macOS, with the accent as a sign of its own; it is named in the other one.
    apart, together = "ca\u0302t", "c\u00e2t"
    cat = tmp_path / "managers" / "cat.py"
    cat.write_text(cat.read_text().replace('"cat"', f'"{apart}"'))
    done = RUNNER.invoke(app, [*logging_managers, "--against", together])
    assert f"differ from that of {apart}" in done.output or f"differs from that of {apart}" in done.output
    assert f"{apart} and " in done.output
    assert "ann and " not in done.output
    assert "\nrecorded-longer and " in RUNNER.invoke(app, [*logging_managers, "--against", "recorded-longer"]).stdout
    wrong = RUNNER.invoke(app, [*logging_managers, "--against", "dog"])
    assert isinstance(wrong.exception, UserError)
    assert f"--against dog: it does not take part; these do: ann, boasting, bob, {apart}, " in str(wrong.exception)


def test_the_games_default_manager_is_the_model_where_it_takes_part(words: list[str]) -> None:
    installed = [*words[:3], "--managers", "installed", "-w", "1", "--isolation", "inline"]
    assert "\nreference and " in RUNNER.invoke(app, installed).stdout


@pytest.mark.usefixtures("inline")
def test_mistakes_are_named_before_anything_is_played(words: list[str], tmp_path: Path) -> None:
    before = sorted(tmp_path.rglob("*.txt"))
    assert isinstance(RUNNER.invoke(app, [*words, "-f", "none-such"]).exception, NotFoundError)
    assert isinstance(RUNNER.invoke(app, ["missing.txt", *words[1:]]).exception, UserError)
    assert RUNNER.invoke(app, [*words, "-w", "-1"]).exit_code == 2
    assert RUNNER.invoke(app, [*words, "--explain", "some"]).exit_code == 2
    assert sorted(tmp_path.rglob("*.txt")) == before


LOOPING = """
from tiltyard_engine import GameManager, Manager, hookimpl


class Looping(GameManager):
    def run(self, match):
        print("looping")
        while True:
            pass


@hookimpl
def game_managers():
    yield Manager(name="looping", game="tanks", create=Looping)
    yield Manager(name="endless", game="tanks", create=Looping)
"""


@pytest.mark.parametrize("isolation", ["process", "sandbox"])
def test_a_manager_that_loops_is_timed_out(words: list[str], tmp_path: Path, isolation: str) -> None:
    (tmp_path / "managers" / "wrapped.py").unlink()
    (tmp_path / "managers" / "looping.py").write_text(LOOPING)
    (tmp_path / "managers" / "referee.py").write_text(REFEREE.format(reason="one"))
    limit = ["--isolation", isolation, "--unconfined", "--limit", "manager:move_seconds=0.05", "--explain", "none"]
    done = RUNNER.invoke(app, [*words, *limit, "-f", "csv"])
    assert done.exit_code == 0
    (line,) = [line for line in done.stdout.splitlines() if "looping" in line]
    assert "no result: the GameManager failed: timeout: a step of run() used 0." in line
    assert line.endswith(',0,"endless, looping"')
    assert "GameManager isolation: endless, looping, referee" in done.stderr
    assert {"process": "own process", "sandbox": "sandboxed"}[isolation] in done.stderr


def test_wrong_limits_of_managers(words: list[str]) -> None:
    failed = RUNNER.invoke(app, [*words, "--limit", "manager:moves=1"])
    assert isinstance(failed.exception, NotFoundError)
    assert "no limit in --limit is called 'moves'" in str(failed.exception)
