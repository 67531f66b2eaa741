"""Programs that wait for a check to end: they get its report at once, and hold up nobody meanwhile."""

from __future__ import annotations

import http.client
import json
import select
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.league.made_league import make_league
from tests.league.serving import served

from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.database.versions import CheckReport, add_version, end_check
from tiltyard_league.web.app import make_app
from tiltyard_league.web.http import access

WAITING = 60
"""More than a server has threads for requests."""
PATIENCE = 120.0


def test_a_course_that_waits_for_its_reports_keeps_nobody_else_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "LONGEST_WAIT", PATIENCE)
    league = make_league(tmp_path / "course")
    with Database(league.settings.folder) as database, ExitStack() as stack:
        with database.writing():
            team = find_team(database, "Red")["id"]
            token = make_token(database, "upload", team)
            number, _ = add_version(database, team, upload="x", name="x.py", size=1, member=None, note="", late=False)
        parts = urlsplit(stack.enter_context(served(make_app(league.settings))))

        def connection_for(path: str) -> http.client.HTTPConnection:
            connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE)
            stack.callback(connection.close)
            connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
            return connection

        # None is there yet, and whoever doesn't wait is told so.
        assert json.load(connection_for(f"/api/versions/{number}").getresponse())["state"] == "received"
        waiting = [connection_for(f"/api/versions/{number}?wait=120") for _ in range(WAITING)]
        assert connection_for("/").getresponse().status == 200
        answered, _, _ = select.select([connection.sock for connection in waiting], [], [], 0)
        assert not answered
        with database.writing():
            version = database.number("SELECT id FROM versions")
            end_check(database, version, CheckReport(accepted=False, reason="built: nothing to build"))
        for connection in waiting:
            answer = json.load(connection.getresponse())
            assert (answer["state"], answer["reason"]) == ("refused", "built: nothing to build")
