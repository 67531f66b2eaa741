"""axe-core on every kind of page of a league: for everybody, for a team, for staff."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra 'league' is not installed")

from tests.league.conftest import Course
from tests.league.serving import served
from tests.site.axe import OPTIONS, violations
from tests.site.conftest import left_visits, visit  # noqa: F401 -- fixtures

from tiltyard_league.database.database import Database
from tiltyard_league.database.teams import find_team
from tiltyard_league.database.tokens import make_token

Visiting = Callable[..., Any]

PAGES = {
    "": ("/", "/games/", "/teams/acorn", "/live", "/no-such-page"),
    "Red": ("/me/versions/1", "/games/1"),
    "staff": ("/staff/roster", "/staff/teams/1"),
}
"""By who asks for them."""


@pytest.fixture(scope="module")
def base(course: Course) -> Iterator[str]:
    """The address of the league's pages."""
    with served(course.app) as address:
        yield address


def test_axe_finds_nothing_on_any_kind_of_page(
    course: Course,
    base: str,
    visit: Visiting,  # noqa: F811 -- the fixture
) -> None:
    problems: list[str] = []
    for who, paths in PAGES.items():
        visitor = visit(base, **OPTIONS)
        if who:
            with Database(course.folder) as database, database.writing():
                # Not as staff make one: a new link for staff signs all of them out.
                code = make_token(database, "invite", None if who == "staff" else find_team(database, who)["id"])
            page = visitor.open(f"/join/{code}")
            problems += violations(page)
            if page.locator("input[type=radio]").count():
                page.locator("input[type=radio]").first.check()
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url("**/staff" if who == "staff" else "**/me")
            problems += violations(page)
        for path in paths:
            problems += violations(visitor.open(path))
        # A page that isn't there is told of by the browser, too.
        visitor.problems[:] = [text for text in visitor.problems if "404" not in text]
    assert problems == []
