"""No page and no answer of a league names a folder of its machine."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

from tests.league.made_league import CRASHING, Visitor, enter, make_league, play, sign_in
from tests.site.packed_replays import files_in

import tiltyard_engine
from tiltyard_checks.team.steps import Step, StepMark
from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.versions import CheckReport, add_version, begin_check, end_check
from tiltyard_league.web.app import make_app

PLANTED = f"/srv/secret place/x.py, {json.__file__} and /opt/secret/tool"
FOLDERS = ("/srv/secret", "/opt/secret", str(Path(json.__file__).parent) + "/", str(Path(tiltyard_engine.__file__).parent) + "/")


def refuse(folder: Path, team: str) -> int:
    """A version whose check found things that name folders."""
    step = Step(
        name="loads",
        mark=StepMark.FAILED,
        detail=f'"{PLANTED}"',
        traceback=PLANTED,
        advice=PLANTED,
        output=PLANTED.encode(),
    ).plain()
    with Database(folder) as database, database.writing():
        number, _ = add_version(
            database, find_team(database, team)["id"], upload="0" * 64, name="x.py", size=1, member=None, note="", late=False
        )
        version = database.number("SELECT id FROM versions WHERE number = ? ORDER BY id DESC", number)
        begin_check(database, version)
        end_check(database, version, CheckReport(accepted=False, reason=PLANTED, steps=[step], notes=[PLANTED], log=PLANTED))
    return number


def _unpacked(archive: bytes) -> str:
    """What stands in the files of a download."""
    with zipfile.ZipFile(io.BytesIO(archive)) as files:
        return "".join(files.read(name).decode("utf-8", "replace") for name in files.namelist())


def test_no_folder_of_the_machine_is_on_any_page(tmp_path: Path) -> None:
    folder = tmp_path / "course"
    league = make_league(folder, maps=1)
    enter(league, "Red", CRASHING.replace("'my own mistake'", f"__file__ + {' ' + PLANTED!r}"))
    play(league)
    number = refuse(folder, "Red")
    app = make_app(league.settings)
    visitors = {"Red": sign_in(app, folder, "Red"), "stranger": Visitor(app)}
    own = [f"/me/versions/{number}", f"/api/versions/{number}", "/api/team"]
    todo = ["/", "/games", "/me", "/rules", "/log", "/data/matches-0.js", "/replays/1.js", *own]
    for who, visitor in visitors.items():
        visited: set[str] = set()
        waiting = list(todo)
        while waiting and len(visited) < 60:
            path = waiting.pop(0)
            if path in visited or path.endswith("/file"):  # what the team itself handed in
                continue
            visited.add(path)
            answer = visitor.get(path)
            text = _unpacked(answer.body) if answer.header("content-type") == "application/zip" else answer.text
            if path.startswith("/replays/"):
                text = b"".join(files_in(text).values()).decode()
            assert not [folder for folder in (*FOLDERS, f"{tmp_path}/") if folder in text], (who, path)
            waiting += [link for link in re.findall(r'href="(/(?:games|teams|me)[^"#?]*)"', text) if link not in visited]
        if who == "Red":
            assert any(re.fullmatch(r"/games/\d+", path) for path in visited)
    report = visitors["Red"].get(f"/me/versions/{number}").text
    assert "x.py" in report
    assert "json/__init__.py" in report
