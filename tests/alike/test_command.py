"""``tiltyard alike`` over a tournament that was played, and what of it is public: nothing."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest
from tests.whatif.games import CONNECT_FOUR
from typer.testing import CliRunner, Result

from tiltyard_alike.command import app as alike
from tiltyard_alike.tables import HINT
from tiltyard_engine.errors import UserError
from tiltyard_tournaments.cli.publish import app as publish
from tiltyard_tournaments.cli.run import app as run

RUNNER = CliRunner()
CUP = """title: Four
game: connect-four
trust: [./connect_four.py, ./teams.py, ./copies.py]
maps: [standard]
teams: ["teams.py:*", "copies.py:*", four-careful]
seed: 3
workers: 1
output: cup
"""
TEAMS = """
from hashlib import blake2b
from tiltyard_engine import TurnAlgorithm, TurnTeam, hookimpl

class Drops(TurnAlgorithm):
    def __init__(self, number):
        self.number = number
    def choose(self, position):
        return max(position.columns, key=lambda column: blake2b(repr((self.number, column, position.rows)).encode()).digest())

class Moody(Drops):
    count = 0
    def choose(self, position):
        Moody.count += 1
        return position.columns[blake2b(repr(Moody.count).encode()).digest()[0] % len(position.columns)]

@hookimpl
def algorithms():
    for number in NUMBERS:
        yield TurnTeam(f"NAME{number}", "connect-four", lambda seat, number=number: Drops(number))
    if "NAME" == "team":
        yield TurnTeam("moody", "connect-four", Moody)
"""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a tournament that was played."""
    folder = tmp_path_factory.mktemp("played")
    shutil.copy(CONNECT_FOUR, folder)
    (folder / "teams.py").write_text(TEAMS.replace("NAME", "team").replace("NUMBERS", "range(5)"))
    (folder / "copies.py").write_text(TEAMS.replace("NAME", "copy").replace("NUMBERS", "[2]"))
    (folder / "cup.yaml").write_text(CUP)
    done = RUNNER.invoke(run, [str(folder / "cup.yaml")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def cup(played: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(played)
    return played


def asked(*words: str) -> Result:
    done = RUNNER.invoke(alike, ["cup.yaml", "--positions", "150", *words], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def test_a_copy_is_shown_as_a_hint_and_never_as_a_verdict(cup: Path) -> None:
    done = asked()
    lines = done.stdout.splitlines()
    assert lines[0] == HINT
    pairs = [line.split() for line in lines[: lines.index("Teams that can't be compared")] if "  look  " in line]
    assert [pair[:3] for pair in pairs] == [["team2", "copy2", "look"]]
    assert pairs[0][3] == pairs[0][5]
    assert any(line.startswith("moody ") and "it gave a different answer when it was asked again" in line for line in lines)
    assert "1 pair to look at" in done.stderr
    assert "Results that the ratings don't explain" in done.stdout


def test_answers_of_an_earlier_look_are_not_asked_again(cup: Path) -> None:
    first = asked("--cpu-seconds", "100")
    times = {path: path.stat().st_mtime_ns for path in (cup / "cup" / "alike").iterdir()}
    assert times
    # What is known costs nothing.
    again = asked("--cpu-seconds", "0.0001")
    assert again.stdout == first.stdout
    assert {path: path.stat().st_mtime_ns for path in times} == times


def test_tables_for_programs(cup: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(asked("--format", "csv").stdout)))
    assert (rows[0]["algorithm"], rows[0]["and"], rows[0]["hint"]) == ("team2", "copy2", "look")
    tables = json.loads(asked("--format", "json").stdout)
    assert tables["notes"][0].startswith(HINT)
    assert tables["Teams that answer alike"][0]["and"] == "copy2"


def test_a_team_that_was_given_to_all_is_in_no_pair(cup: Path) -> None:
    done = asked("--given", "team2", "--given", "four-random")
    assert "team2 " not in done.stdout.partition("Results that")[0]
    assert "no pair to look at" in done.stderr


def test_the_page_shows_where_two_agree_and_asks_for_nothing(cup: Path) -> None:
    done = asked("--html", "report.html")
    page = (cup / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert HINT in page
    assert '<h2 id="pair-1"><bdi>team2</bdi> and <bdi>copy2</bdi></h2>' in page
    assert page.count('<img src="data:image/svg+xml;base64,') >= 3
    assert "http" not in page.replace("http-equiv", "")
    assert "report.html: " in done.stderr
    assert "for staff only" in done.stderr


def test_nothing_of_it_is_published(cup: Path) -> None:
    """The site is the same bytes before and after, and no file of it speaks of who answers like whom."""
    shutil.rmtree(cup / "cup" / "alike", ignore_errors=True)

    def site(name: str) -> dict[str, bytes]:
        done = RUNNER.invoke(publish, ["cup.yaml", "--output", name], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return {str(path.relative_to(name)): path.read_bytes() for path in sorted(Path(name).rglob("*")) if path.is_file()}

    before = site("before")
    asked("--html", "report.html")
    after = site("after")
    assert after == before
    assert not any("alike" in name or b"answer alike" in data for name, data in after.items())


def test_another_file_is_not_overwritten(cup: Path) -> None:
    with pytest.raises(UserError, match=r"cup\.yaml: exists and isn't a page"):
        asked("--html", "cup.yaml")
