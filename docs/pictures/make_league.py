"""Makes the pictures of a league: runs one of 20 mutated sample teams for a while, with kills, and photographs it.

Run as ``.venv/bin/python docs/pictures/make_league.py --minutes 60``; needs Debian's chromium. Teams hand in again and again, and
every half minute one process is killed. It says at the end whether anything was lost. ``--all FOLDER`` keeps a picture of each
page there, at two widths and in both looks.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parents[1] / "benchmarks"), str(FOLDER.parents[1])]

from league_course import Course, finding, hand_in, lost_uploads, share  # noqa: E402 -- a benchmark's
from league_uploads import ATTEMPTS, Killer, close, problems, versions_twice  # noqa: E402
from pictures.photographs import browser, save  # noqa: E402

from tiltyard_league.database.database import Database  # noqa: E402
from tiltyard_league.database.games import Games  # noqa: E402
from tiltyard_league.database.teams import find_team  # noqa: E402
from tiltyard_league.database.tokens import make_token  # noqa: E402

TEAMS = 20
KILL_SECONDS = 30.0
WIDTHS = {"wide": (1180, 900), "phone": (390, 844)}


def main() -> int:
    """Run it, photograph it, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--uploads", type=int, default=0, help="default: three for each team, and one a minute")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="where a picture of every page is kept")
    parser.add_argument("--no-docs", action="store_true", help="leave the pictures of the docs as they are")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as parent:
        course = Course.make(Path(parent), TEAMS)
        folder = course.folder
        with course.served():
            seconds = given.minutes * 60
            killer = Killer(course, int(seconds / KILL_SECONDS), seconds)
            killer.start()
            number = given.uploads or 3 * TEAMS + int(given.minutes)
            uploads = hand_in(course, number, given.minutes, attempts=ATTEMPTS)
            killer.join()
            course.until_checked()
            time.sleep(12)
            _photograph(folder, course.port, given.all, docs=not given.no_docs)
            close(folder)
            lost = lost_uploads(course, uploads)
        time.sleep(2)
        print(f"killed: {dict(killer.killed)}; back after {share(killer.back, 0.95):.1f} s (p95)")
        wrong = [*versions_twice(folder, uploads.digests), *problems(folder, str(folder))]
        number = len(uploads.acknowledged)
        return 0 if finding(f"{len(lost)} of {number} uploads are lost; wrong: {wrong}", not lost and not wrong) else 1


def _photograph(folder: Path, port: int, everything: Path | None, docs: bool) -> None:
    with Database(folder) as database, database.writing():
        team = find_team(database, "Team 7")
        own = make_token(database, "session", team["id"])
        staff = make_token(database, "session", None)
        number = database.number("SELECT max(number) FROM versions WHERE team = ? AND state = 'accepted'", team["id"])
    newest = Games(folder / "results").newest()
    base = f"http://localhost:{port}"
    with browser() as chromium:
        if docs:
            for name, path, session, scheme in (
                ("league-standing.png", "/", "", "light"),
                ("league-team.png", "/me", own, "light"),
                ("league-staff.png", "/staff", staff, "light"),
                ("league-live.png", "/live", "", "dark"),
            ):
                with _page(chromium, base, session, "wide", scheme) as page:
                    page.goto(base + path)
                    if path == "/live":
                        page.wait_for_selector("canvas.board")
                    save(name, page.screenshot())
        if everything is not None:
            everything.mkdir(parents=True, exist_ok=True)
            public = [
                "/",
                f"/teams/{team['slug']}",
                "/games/",
                f"/games/{newest}",
                "/rules",
                "/live",
                f"/match.html#match={newest}",
            ]
            pages = [(path, "") for path in public]
            pages += [(path, own) for path in ("/me", f"/me/versions/{number}", "/me/games", "/me/requests")]
            of_staff = ("/staff", "/staff/roster", f"/staff/teams/{team['id']}", "/staff/log", "/staff/reveal")
            pages += [(path, staff) for path in of_staff]
            for path, session in pages:
                for width in WIDTHS:
                    for scheme in ("light", "dark"):
                        with _page(chromium, base, session, width, scheme) as page:
                            page.goto(base + path)
                            page.wait_for_timeout(300)
                            stem = re.sub(r"\W+", "-", path).strip("-") or "standing"
                            page.screenshot(path=everything / f"{stem}-{width}-{scheme}.png", full_page=True)
                            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
                            if wide > 0:
                                print(f"{path} at {WIDTHS[width][0]} pixels is {wide} wider than the screen")


@contextmanager
def _page(chromium: Any, base: str, session: str, width: str, scheme: str) -> Iterator[Any]:
    size = WIDTHS[width]
    context = chromium.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    if session:
        context.add_cookies([{"name": "tiltyard_session", "value": session, "url": base}])
    try:
        yield context.new_page()
    finally:
        context.close()


if __name__ == "__main__":
    sys.exit(main())
