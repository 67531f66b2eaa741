"""The league in a real browser: a stranger on a phone with the keyboard alone, and a lecturer from the roster to the freeze."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'league' is not installed")

from tests.league.conftest import Course
from tests.league.made_league import IDLE, make_league
from tests.league.serving import served
from tests.site.conftest import left_visits, visit, wait_until  # noqa: F401 -- fixtures

from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token
from tiltyard_league.league_file.loading import League
from tiltyard_league.service.main import Service
from tiltyard_league.web.app import make_app
from tiltyard_simulator.play.executor import InlineExecutor

PHONE = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> League:
    return make_league(tmp_path_factory.mktemp("league") / "course", maps=1)


@pytest.fixture(scope="module")
def base(league: League) -> Iterator[str]:
    """The address of the league's pages, served as they are to people."""
    with served(make_app(league.settings)) as address:
        yield address


def link(league: League, team: str | None) -> str:
    # Not as staff make one: a new link for staff signs all of them out.
    with Database(league.settings.folder) as database, database.writing():
        return f"/join/{make_token(database, 'invite', None if team is None else find_team(database, team)['id'])}"


def press(page: Any, name: str, key: str = "Enter") -> None:
    """Go on with the tabulator until the control of that name has the focus, then press a key."""
    for _ in range(60):
        page.keyboard.press("Tab")
        button = page.evaluate(
            "(() => { const at = document.activeElement; return (at.labels?.[0] ?? at).textContent + ' ' + (at.value ?? '') })()"
        )
        if name in button:
            page.keyboard.press(key)
            return
    raise AssertionError(f"the keyboard doesn't reach '{name}'")


def no_wider_than_the_screen(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_a_stranger_comes_from_the_link_to_a_checked_version(
    league: League,
    base: str,
    visit: Callable[..., Any],  # noqa: F811 -- the fixture
    tmp_path: Path,
) -> None:
    program = tmp_path / "idle.py"
    program.write_text(IDLE)
    visitor = visit(base, **PHONE)
    page = visitor.open(link(league, "Red"))
    assert page.locator("h1").inner_text() == "Welcome"
    press(page, "Ann Ash", "Space")
    press(page, "Sign in")
    page.wait_for_url("**/me")
    assert "Ann Ash, Bob Birch" in page.locator("main").inner_text()
    assert no_wider_than_the_screen(page)
    page.locator("input[type=file]").set_input_files(str(program))
    press(page, "Note", "x")
    press(page, "Hand in")
    page.wait_for_url("**/me/versions/1")
    assert "waits for its check" in page.locator("#state").inner_text()
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        while not service.database.number("SELECT count(*) FROM versions WHERE upload != '' AND checked_at != ''"):
            service.step(0.1)
    # The page shows what is new by itself.
    page.wait_for_selector("#state[data-state=accepted]")
    assert "it plays for your team" in page.locator("#state").inner_text()
    assert page.locator("table.steps tbody tr").count() >= 5
    assert page.locator(".mark-failed").count() == 0
    assert no_wider_than_the_screen(page)
    press(page, "My team")
    page.wait_for_url("**/me")
    assert "accepted, plays" in page.locator("#versions + div").inner_text()
    assert no_wider_than_the_screen(visitor.open("/"))
    assert page.locator("tr.own-row").count() == 1


def test_a_lecturer_comes_from_the_roster_to_the_freeze(
    league: League,
    base: str,
    visit: Callable[..., Any],  # noqa: F811 -- the fixture
) -> None:
    staff, public = visit(base), visit(base, **PHONE)
    page = staff.open(link(league, None))
    press(page, "Sign in")
    page.wait_for_url("**/staff")
    page.get_by_role("link", name="Roster").click()
    page.get_by_role("textbox").fill("name,id,group\nAnn Ash,0017,Red\nBob Birch,0018,Red\nEve Elder,0021,Green\n")
    page.get_by_role("button", name="Preview changes").click()
    changes = page.locator("main ul").inner_text()
    assert "new team: Green" in changes
    assert "Cid Cedar: is no longer in the roster" in changes
    with Database(league.settings.folder) as database:
        assert database.number("SELECT count(*) FROM members WHERE roster_id = '0021'") == 0
    page.get_by_role("button", name="Apply changes").click()
    page.get_by_role("link", name="Green", exact=True).click()
    page.get_by_role("button", name="New invite link").click()
    invite = page.locator("main .warning code").inner_text()
    assert invite.startswith(f"{base}/join/")
    assert "This link is for the team Green" in public.open(invite.removeprefix(base)).locator("main").inner_text()
    page.get_by_role("link", name="Staff").first.click()
    page.get_by_role("button", name="Freeze the standings").click()
    page.wait_for_selector("text=The standings have been frozen since")
    assert "The standings have been frozen since" in public.open("/").locator("body").inner_text()
    page.get_by_role("button", name="Unfreeze").click()
    page.wait_for_selector("text=The standings have been frozen since", state="detached")
    page.get_by_role("link", name="Log").click()
    log = page.locator("main table").inner_text()
    for what in ("roster", "new invite", "frozen"):
        assert what in log, log


def test_places_are_revealed_from_the_last_one_up_each_with_its_deciding_game(
    course: Course,
    visit: Callable[..., Any],  # noqa: F811 -- the fixture
) -> None:
    with served(course.app) as base:
        page = visit(base).open("/")
        page.context.add_cookies([{"name": "tiltyard_session", "value": course.staff.cookies["tiltyard_session"], "url": base}])
        page.goto(f"{base}/staff/reveal")
        places = page.locator("#reveal > li:visible")
        assert places.count() == 0
        steps: list[list[str]] = []
        for key in ("Space", "Enter", "Space", "Space"):
            # Whoever shows it may be anywhere on the page.
            page.evaluate("document.activeElement.blur()")
            page.keyboard.press(key)
            steps.append([text.partition("\n")[0] for text in places.all_inner_texts()])
        assert [each[0].split()[0] for each in steps] == ["4", "3", "2", "1"]
        assert [len(each) for each in steps] == [1, 2, 3, 4]
        assert page.locator("#next").is_hidden()
        first = places.first
        assert first.locator("strong").inner_text() == page.locator("#told").inner_text()
        # The first place is told with the game against the second.
        second = places.nth(1).locator("strong").inner_text()
        deciding = first.get_by_role("link")
        assert f"against {second} on " in deciding.inner_text()
        deciding.click()
        page.wait_for_selector("canvas.board")
        assert page.locator("main h1").count() == 1
        # Back from the game, it goes on where it was; from the staff's page it begins again.
        page.go_back()
        page.wait_for_selector("#reveal > li:visible")
        assert [text.partition("\n")[0] for text in places.all_inner_texts()] == steps[-1]
        page.goto(f"{base}/staff")
        page.get_by_role("link", name="Reveal").click()
        page.wait_for_selector("#next")
        assert places.count() == 0


def test_the_page_of_a_game_plays_it(course: Course, visit: Callable[..., Any]) -> None:  # noqa: F811 -- the fixture
    with served(make_app(course.league.settings)) as address:
        here = visit(f"{address}/", reduced_motion="no-preference")
        page = here.open("games/1")
        wait_until(page, "parseInt(document.querySelector('.counter')?.textContent) > 0")
        assert page.locator("h1").count() == 1
        page.locator(".seat a").first.click()
        wait_until(page, "location.pathname.startsWith('/teams/')")


def test_the_hall_plays_the_newest_game(course: Course, visit: Callable[..., Any]) -> None:  # noqa: F811 -- the fixture
    with served(make_app(course.league.settings)) as address:
        page = visit(f"{address}/").open("live")
        wait_until(page, "document.querySelector('#replay canvas.board')?.width > 0")
        assert page.locator("#replay .versus").inner_text().count(" : ") == 1
