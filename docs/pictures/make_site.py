"""Makes the pictures of a site: really plays a small cup of the sample teams, publishes it and photographs two pages in both looks.

Those of other formats are of cups whose results nobody played.

Run as ``.venv/bin/python docs/pictures/make_site.py``; needs Debian's chromium. With ``--keep FOLDER`` the site stays there.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page

sys.path[:0] = [str(Path(__file__).resolve().parents[number]) for number in (1, 2)]

from pictures.photographs import browser, save  # noqa: E402 -- it lies beside this program
from tests.site.cup import play_cup  # noqa: E402 -- the cup is shared with the tests
from tests.site.made_cups import made_cup  # noqa: E402

from tiltyard_contest.contest_page import StageSite, contest_files  # noqa: E402
from tiltyard_engine.lifecycle import Table  # noqa: E402
from tiltyard_site.pages.contents import listed_games  # noqa: E402
from tiltyard_site.publication import SiteData, publish  # noqa: E402
from tiltyard_site.publication.page_writer import SiteFolder  # noqa: E402

TEAMS = ("acorn", "bramble", "coyote", "dragoon")
MAPS = ("narrow-pass", "two-fortresses", "back-yard", "minefield", "four-corners", "pinwheel")
LOOKS: tuple[tuple[Literal["light", "dark"], str], ...] = (("light", ""), ("dark", "-dark"))
"""Those of the browser, and what the pictures' names end with."""


def main() -> int:
    """Play, publish, photograph."""
    data = play_cup(TEAMS, MAPS, "Spring Cup")
    kept = Path(sys.argv[2]) if sys.argv[1:2] == ["--keep"] else None
    with tempfile.TemporaryDirectory() as temporary, browser() as chromium:
        folder = (kept or Path(temporary)).resolve()
        publish(data, folder)
        number, middle = liveliest(data)
        for look, suffix in LOOKS:
            page = chromium.new_page(viewport={"width": 1180, "height": 980}, color_scheme=look)
            page.goto(f"{folder.as_uri()}/index.html")
            save(f"site{suffix}.png", page.screenshot())
            page.set_viewport_size({"width": 1180, "height": 800})
            page.goto(f"{folder.as_uri()}/match.html#match={number}&round={middle}")
            page.wait_for_selector("canvas.board")
            save(f"replay{suffix}.png", page.screenshot())
            page.close()
        publish(made_cup("knockout", 13).data("Knockout Cup"), folder / "knockout")
        page = chromium.new_page(viewport={"width": 1180, "height": 980})
        page.goto(f"{folder.as_uri()}/knockout/index.html")
        save("site-knockout.png", page.locator("section:has(.bracket)").screenshot())
        publish(made_cup("double-elimination", 11).data("Double elimination"), folder / "double-elimination")
        page.goto(f"{folder.as_uri()}/double-elimination/index.html")
        save("site-double-elimination.png", page.locator("section:has(.bracket)").screenshot())
        publish(made_cup("swiss", 11, rounds=5).data("Swiss Cup"), folder / "swiss")
        page.goto(f"{folder.as_uri()}/swiss/index.html")
        save("site-swiss.png", page.locator("section:has(.rounds)").screenshot())
        photograph_stages(page, folder / "stages")
        publish(made_cup("groups", 12, maps=1).data("Spring Cup: groups"), folder / "groups")
        page.set_viewport_size({"width": 1180, "height": 800})
        page.goto(f"{folder.as_uri()}/groups/index.html")
        save("site-groups.png", page.screenshot())
    return 0


def photograph_stages(page: Page, folder: Path) -> None:
    """The page above two stages."""
    groups, finals = made_cup("swiss", 10, rounds=4).data(), made_cup("knockout", 4).data()
    others = [team for team in groups.teams if team not in finals.teams]
    rows = [(place, team, "finals", place) for place, team in enumerate(finals.teams, start=1)]
    rows += [(place, team, "groups", groups.teams.index(team) + 1) for place, team in enumerate(others, start=5)]
    ranking = Table("Final ranking", ("place", "algorithm", "last stage", "place there"), tuple(rows))
    whole = replace(groups, title="Spring Cup", standings=ranking, teams=[*finals.teams, *others], notes=())
    stages = [
        StageSite(name=name, data=data, games=listed_games(data, set())) for name, data in (("groups", groups), ("finals", finals))
    ]
    site = SiteFolder.open(folder)
    for file in contest_files(whole, stages, is_over=True):
        site.add(file.path, file.make())
    page.set_viewport_size({"width": 1180, "height": 840})
    page.goto(f"{folder.as_uri()}/index.html")
    save("site-stages.png", page.screenshot())


def liveliest(data: SiteData) -> tuple[int, int]:
    """The game in whose some round most squares change at once, and that round."""
    best = (0, 0, 0)
    for match_number, match in enumerate(data.matches, start=1):
        replay = data.replay(match.key)
        if replay is not None and match.map == "two-fortresses":
            for number, frame in enumerate(replay.frames, start=1):
                best = max(best, (len(frame.changes), match_number, number))
    return best[1], best[2]


if __name__ == "__main__":
    sys.exit(main())
