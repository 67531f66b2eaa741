"""The process that answers requests runs no code of teams."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from http.client import HTTPConnection
from pathlib import Path

from tests.docs.console import ROOT
from tests.league.conftest import Course
from tests.league.web.test_access import ALL, path_of

from tiltyard_league.database.database import Database
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.pages import uploads

# A web process that keeps a record of what it loads, starts, unpickles and executes, and tells it at its end.
WATCHED = """
import json, signal, socket, sys
from pathlib import Path
folder = sys.argv[1]
seen = []
def watch(event, arguments):
    if event in ("subprocess.Popen", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pickle.find_class"):
        seen.append([event, repr(arguments)])
    elif event == "exec" and str(getattr(arguments[0], "co_filename", "")).startswith(folder):
        seen.append([event, arguments[0].co_filename])
sys.addaudithook(watch)
import tiltyard_league.web.main
from tiltyard_league.web.app import make_app
from tiltyard_site.web.server import make_server
from tiltyard_league.league_file.loading import read_settings
signal.signal(signal.SIGTERM, lambda number, frame: None)
with socket.create_server(("127.0.0.1", 0)) as listening:
    print(listening.getsockname()[1], flush=True)
    make_server(make_app(read_settings(Path(folder))), 5).run([listening])
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
print(json.dumps({"seen": seen, "modules": files}))
"""
HOSTILE = """
from pathlib import Path
Path(__file__).with_name("ran").touch()
"""


def order(page: Page) -> tuple[bool, bool, bool]:
    """First what only looks, then uploads, and at the end what signs out."""
    return page.methods != ("GET",), page not in uploads.PAGES, page.path.endswith("/leave")


def form(csrf: str, file: str) -> bytes:
    """The body of a form with boundary ``b``, with a file for pages that take one."""
    fields = {'name="csrf"': csrf, 'name="what"': "enable", **({'name="file"; filename="team.py"': file} if file else {})}
    parts = [f"--b\r\nContent-Disposition: form-data; {name}\r\n\r\n{value}\r\n" for name, value in fields.items()]
    return "".join([*parts, "--b--\r\n"]).encode()


def test_the_door_runs_nothing_of_a_team_whatever_it_is_asked(course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "course"
    shutil.copytree(course.folder, folder)
    words = [sys.executable, "-P", "-c", WATCHED, str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process, ExitStack() as stack:
        stack.callback(process.kill)
        assert process.stdout is not None
        web = HTTPConnection("127.0.0.1", int(process.stdout.readline()))

        def ask(method: str, path: str, headers: dict[str, str], body: bytes = b"") -> tuple[int, str]:
            web.request(method, path, body, {"Host": "localhost", **headers})
            answer = web.getresponse()
            return answer.status, answer.read().decode("utf-8", "replace")

        statuses: Counter[int] = Counter()
        for page in sorted(ALL, key=order):
            visitor, start = (course.staff, "/staff") if page.audience == "staff" else (course.blue, "/me")
            cookies = {"Cookie": f"tiltyard_session={visitor.cookies['tiltyard_session']}"}
            headers, body = cookies, b""
            if page.is_api:
                headers, body = {"Authorization": f"Bearer {visitor.token}", "X-Name": "team.py"}, HOSTILE.encode()
            elif page.methods != ("GET",):
                csrf = re.findall('name="csrf" value="([0-9a-f]+)"', ask("GET", start, cookies)[1])[0]
                headers = {**cookies, "Content-Type": "multipart/form-data; boundary=b", "Origin": "http://localhost"}
                body = form(csrf, f"# Another one\n{HOSTILE}" if page is uploads.UPLOAD_FORM else "")
            status, text = ask(page.methods[0], path_of(page, course), headers, body)
            assert status < 500, (page.path, text)
            statuses[status] += 1
        assert statuses[200] >= 25
        with Database(folder) as database:
            assert database.number("SELECT count(*) FROM versions WHERE state = 'received'") == 2
        web.close()
        process.terminate()
        report = json.loads(process.stdout.readlines()[-1])
    assert report["seen"] == []
    assert not list(folder.rglob("ran"))
    assert "tiltyard_league.web.main" in report["modules"]
    assert not [file for file in report["modules"].values() if file.startswith((str(folder), str(ROOT / "plugins")))]
    # What plays, what checks and what fits.
    for module in ("tiltyard_tanks", "tiltyard_simulator.play.arena", "tiltyard_league.submissions.checker", "numpy"):
        assert module not in report["modules"]
    assert not [module for module in report["modules"] if module.startswith("tiltyard_league.service")]
