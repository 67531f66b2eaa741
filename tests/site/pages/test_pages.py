"""The pages around the viewer in a browser, and what strangers' texts can do to them: nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.made_records import made_record
from tests.site.conftest import settle, wait_until

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_site.publication import RatedTeams, Rating, SeatView, SiteData, publish
from tiltyard_tournaments.standings import standings

Visiting = Callable[..., Any]

EVIL = (
    "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1>\"'`{{7*7}}<svg onload=window.hurt=1>\u2028\u202e&lt;"
)

CONTRAST = """() => {
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map(Number).map((value) => {
      const channel = value / (color.startsWith("color(") ? 1 : 255);
      return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== "rgba(0, 0, 0, 0)" && color !== "transparent") return color;
    }
    return "rgb(255, 255, 255)";
  };
  const poor = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const node = texts.currentNode.parentElement;
    const shown = texts.currentNode.textContent.trim() && node.checkVisibility();
    if (!shown || node.closest("svg, option, :disabled")) continue;
    const [one, other] = [luminance(getComputedStyle(node).color), luminance(ground(node))].sort((a, b) => b - a);
    if ((one + 0.05) / (other + 0.05) < 4.5) poor.push(texts.currentNode.textContent.trim().slice(0, 30));
  }
  return poor;
}"""


def test_the_first_page_leads_everywhere(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).open("index.html")
    assert page.inner_text("h1") == "Test Cup"
    assert page.locator(".standings tbody th").all_inner_texts() == list(cup.teams)
    assert page.locator(".ratings circle").count() == 3
    page.click(".tinted td a[aria-label^='acorn against bramble']")
    page.wait_for_selector("#games tr")
    assert page.locator("#games tr").count() == 4
    for row in page.locator("#games th").all_inner_texts():
        assert set(row.split(" : ")) == {"acorn", "bramble"}
    page.click("#games tr >> nth=0 >> a >> nth=0")
    page.wait_for_selector("canvas.board")
    first = page.inner_text("h1 a >> nth=0")
    page.click("h1 a >> nth=0")
    wait_until(page, lambda: page.inner_text("h1") == first)
    opponent = page.inner_text(".tallies a >> nth=0")
    page.click(".tallies a >> nth=0")
    wait_until(page, lambda: page.inner_text("h1") == opponent)
    assert {first, opponent} <= set(cup.teams)


def test_the_list_of_games_can_be_narrowed(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).open("matches.html")
    page.wait_for_selector("#games tr")
    assert page.inner_text("#count") == "12 games"
    page.select_option("[name=team]", "coyote")
    page.select_option("[name=result]", "won")
    won = sum(1 for match in cup.matches if match.winner and match.teams[match.winner - 1] == "coyote")
    assert won > 0
    assert page.inner_text("#count") == f"{won} of 12 games"
    assert page.evaluate("location.hash") == "#team=coyote&result=won"


def test_a_long_list_comes_in_parts(visit: Visiting, tmp_path: Path) -> None:
    teams = [f"team {number}" for number in range(20)]
    matches = [
        Outcome(
            teams=(teams[number % 20], teams[(number * 7 + 1) % 20]),
            map=f"map {number % 5}",
            winner=number % 3,
            ranks=(1, 1),
            place=number,
        )
        for number in range(10_000)
        if number % 20 != (number * 7 + 1) % 20
    ]
    data = SiteData(title="Long", teams=teams, matches=matches, standings=standings(teams, matches))
    publish(data, tmp_path)
    assert (tmp_path / "data/games.js").stat().st_size < 500_000
    assert (tmp_path / "index.html").stat().st_size < 500_000
    here = visit(tmp_path)
    page = here.open("matches.html")
    page.wait_for_selector("#games tr")
    assert page.locator("#games tr").count() == 100
    page.click("#more")
    assert page.locator("#games tr").count() == 200
    for field, value in {"team": "team 0", "versus": "team 1", "result": "tied"}.items():
        page.select_option(f"[name={field}]", label=value)
    page.focus("#more")
    page.keyboard.press("Enter")
    # The button is gone, and the keyboard goes on where the games begin that it brought.
    assert 100 < page.locator("#games tr").count() < 200
    assert page.evaluate("document.activeElement.closest('tr').rowIndex") == 101
    page = here.match("match=9999")
    assert "game 9999" in page.inner_text(".facts")
    assert sum("data/matches-" in url for url in here.requests) == 1


def test_it_works_from_a_server_too(served: str, visit: Visiting) -> None:
    here = visit(served)
    page = here.open("matches.html")
    page.click("a[href*='match.html#match='] >> nth=0")
    page.wait_for_selector("canvas.board")
    page.keyboard.press("End")
    count = page.inner_text(".counter")
    assert count.split(" / ")[0] == count.split(" / ")[1] != "0"


def test_the_pages_read_without_scripts(visit: Visiting, site: Path) -> None:
    here = visit(site, java_script_enabled=False)
    page = here.open("index.html")
    assert page.locator(".standings tbody tr").count() == 3
    assert page.is_hidden("#appearance")
    assert page.locator(".ratings .chart-row").first.is_visible()


def test_nothing_jumps_while_a_page_loads(visit: Visiting, site: Path) -> None:
    here = visit(site)
    here.before_scripts(
        """window.shifted = 0;
        new PerformanceObserver((list) => list.getEntries().forEach((entry) => (window.shifted += entry.value)))
          .observe({ type: "layout-shift", buffered: true });"""
    )
    # The boards of games 1 and 7 fill the window and leave some of it free.
    for path in ("index.html", "team-acorn.html", "matches.html", "match.html#match=1", "match.html#match=7"):
        page = here.open(path)
        page.wait_for_selector("main :is(.standings, .games td, .tallies, canvas)")
        settle(page)
        # Web Vitals call up to 0.1 good.
        assert page.evaluate("window.shifted") < 0.01, path


def test_every_text_can_be_told_from_its_ground(visit: Visiting, site: Path) -> None:
    here = visit(site)
    for path in ("index.html", "team-acorn.html", "matches.html", "match.html#match=1&round=9"):
        page = here.open(path)
        page.wait_for_selector("main :is(.standings, .games td, .tallies, canvas)")
        grounds = set()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(CONTRAST) == [], (path, scheme)
            grounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        assert len(grounds) == 2


def test_the_appearance_can_be_chosen_and_is_kept(visit: Visiting, site: Path) -> None:
    here = visit(site, color_scheme="light")
    page = here.open("index.html")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    assert page.inner_text("#appearance") == "Theme: auto"
    page.click("#appearance")
    assert page.inner_text("#appearance") == "Theme: light"
    assert page.evaluate(ground) == light
    page.click("#appearance")
    assert page.inner_text("#appearance") == "Theme: dark"
    dark = page.evaluate(ground)
    assert dark != light
    assert here.open("matches.html").evaluate(ground) == dark


def test_tables_and_landmarks_are_marked_up(visit: Visiting, site: Path) -> None:
    here = visit(site)
    for path in ("index.html", "team-acorn.html", "matches.html", "match.html#match=1"):
        page = here.open(path)
        page.wait_for_selector("main :is(.standings, .games td, .tallies, canvas)")
        assert page.locator("main").count() == page.locator("h1").count() == 1
        assert page.locator("th:not([scope])").count() == 0
        unnamed = """[...document.querySelectorAll("button, a, select, input, canvas:not([aria-hidden])")].filter((node) =>
            !(node.getAttribute("aria-label") || node.textContent.trim() || (node.labels && node.labels.length))).length"""
        assert page.evaluate(unnamed) == 0


def hostile() -> SiteData:
    """A tournament in which every text that comes from somebody else tries to run."""
    teams = [EVIL, f"{EVIL}2"]
    fault = Fault(1, Termination.CRASH, EVIL, 1)
    match = made_record(
        teams=(teams[0], teams[1]),
        map=EVIL,
        winner=2,
        ranks=(2, 1),
        faults=(fault,),
        stage=EVIL,
        key="../../" + EVIL,
        claim=GameResult(winner=2, reason=EVIL, rounds=1, final_state=(), scores=(0.0, 1.0), message=EVIL),
    ).outcome
    replay = Replay(
        game=EVIL,
        width=2,
        height=1,
        squares=(EVIL, "__proto__"),
        seats=(EVIL, EVIL),
        title=EVIL,
        message=EVIL,
        frames=[Frame(((0, "constructor"), (1, EVIL)), (EVIL,), (1.0,), (EVIL,))],
    )
    theme = Theme(
        styles={
            EVIL: SquareStyle(
                glyph=EVIL, plain=EVIL, foreground=EVIL, background=EVIL, label=EVIL, shape=EVIL, turn=3, mark=EVIL, seat=1
            )
        },
        seat_colors=(EVIL, "#00000g"),
    )
    second = replace(match, place=1, key="plain", faults=())
    return SiteData(
        title=EVIL,
        teams=teams,
        matches=[match, second],
        standings=replace(standings(teams, [match, second]), headers=("place", "team", *[EVIL] * 7)),
        rated=lambda: RatedTeams([Rating(name, 1.0, 0.0, 2.0) for name in teams], EVIL),
        replay=lambda key: replay,
        outputs=lambda key: (EVIL, EVIL),
        views=lambda key: (SeatView(1, 1, (EVIL,)),),
        theme=theme,
        game=EVIL,
        description=EVIL,
        notes=(EVIL,),
        links=((EVIL, f"https://example.org/{EVIL}"),),
        hide=frozenset(),
    )


def test_strangers_texts_stay_texts(visit: Visiting, tmp_path: Path) -> None:
    published = publish(hostile(), tmp_path)
    assert published.problems == ()
    for file in tmp_path.rglob("*"):
        assert re.fullmatch(r"[0-9A-Za-z_.-]+", file.name), file
        if file.suffix in (".js", ".html") and file.parent.name != "assets":
            assert "<img src=x" not in file.read_text(encoding="utf-8")
            assert "<svg onload" not in file.read_text(encoding="utf-8")
    here = visit(tmp_path)
    team = next(tmp_path.glob("team-*.html")).name
    for path in ("index.html", "matches.html", team, "match.html#match=1&round=1", "match.html#match=1&with=2&round=1"):
        page = here.open(path)
        page.wait_for_selector("main :is(.standings, .games td, .tallies, canvas)")
        for summary in page.locator("summary").all():
            summary.click()
        # What the teams printed comes as a script after the click; two games side by side have no such part.
        for opened in page.locator("details.outputs").all():
            opened.locator("pre").first.wait_for()
        settle(page)
        assert page.evaluate("window.hurt") is None, path
        assert page.locator("img[src=x], svg[onload], [onerror]").count() == 0
        assert "window.hurt=1" in page.inner_text("main")


def test_the_policy_stops_what_escaping_would_miss(visit: Visiting, site: Path) -> None:
    """Were something not escaped, the policy in the page would still keep it from running."""
    here = visit(site)
    page = here.open("index.html")
    page.evaluate("document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\" onerror=\"window.hurt=1\">')")
    page.evaluate(
        "{ const made = document.createElement('script'); made.textContent = 'window.hurt=1'; document.body.append(made); }"
    )
    wait_until(page, lambda: len(here.problems) == 2)
    assert page.evaluate("window.hurt") is None
    assert all("Content Security Policy" in problem for problem in here.problems)
    here.problems.clear()


def test_ratings_say_how_sure_their_order_is(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).open("index.html")
    shown = page.locator(".ratings td.better").all_inner_texts()
    assert shown == [f"{rating.better} %" if rating.better is not None else "" for rating in cup.ratings]
    assert [bool(text) for text in shown] == [True] * (len(cup.ratings) - 1) + [False]
    assert "how likely each team is better than the next" in page.inner_text("section:has(.ratings)")
