"""Why teams lost, on the site: a page for each team, and a box, a strip and both courses on the page of a game."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
from tests.site.axe import violations
from tests.site.conftest import settle
from tests.site.pages.test_viewer import two_games

from tiltyard_simulator.replays.encoding import encode
from tiltyard_site.explained.explained import (
    Explained,
    ExplainedMoment,
    ExplainedTurn,
    explained_path,
    folder_stamp,
    read_explained,
    shows,
    summary_lines,
    team_summary,
)
from tiltyard_site.notebook.alone import game_page
from tiltyard_site.pages.match_scripts import Listed, explained_value, match_details
from tiltyard_site.pages.replay_scripts import compressed_replay
from tiltyard_site.publication import publish

MOMENT = ExplainedMoment(
    turn=3,
    part=1,
    answer="go <b>right</b> 4",
    better="left 2",
    cost=0.8,
    text="turn 3: blue answered 'right'. With 'left', it would have won at once.",
    winner=2,
    rounds=3,
    message="blue won",
)
LOST = Explained(
    key="one",
    number=1,
    seat=2,
    team="blue",
    opponents="red",
    map="meadow",
    kind="mistake",
    tried=4,
    failures=(("crash", 1), ("illegal move", 2)),
    lines=("4 other answers of 4 tried.", "Turn 3 decided it:", "The last turn at which anything helped: turn 3."),
    moments=(MOMENT,),
    turns=(ExplainedTurn(1, 1, "-", "turn 1: nothing better"), ExplainedTurn(3, 1, "W", "turn 3: could still be won with 'left'")),
)
OTHER = msgspec.structs.replace(LOST, key="two", number=2, moments=(), turns=(), kind="nothing helped")


def publish_ants(folder: Path) -> None:
    """Two games; of the first one it is known why blue didn't win, and how it goes with a better answer."""
    data = two_games(folder)
    other = data.replay("two")
    assert other is not None
    publish(replace(data, explained=lambda: (LOST, OTHER), explained_replay=lambda each, number: encode(other)), folder)


def test_the_page_of_a_game_says_why(visit: Callable[..., Any], tmp_path: Path) -> None:
    publish_ants(tmp_path)
    visited = visit(tmp_path)
    page = visited.match("match=1")
    assert page.inner_text(".why h2") == "Why didn't blue win?"
    for text in (*LOST.lines, MOMENT.text):
        assert text in page.inner_text(".why")
    assert page.get_attribute(".bars", "aria-label") == (
        "The best result that blue could still have reached, turn by turn: a win in 1 turn, nothing better in 1 turn"
    )
    assert page.locator(".bar.decisive").count() == 1
    page.locator(".bar.win").click()
    assert page.inner_text(".counter") == "3 / 3"
    page.get_by_role("button", name="Show turn 3").click()
    assert page.inner_text(".counter") == "2 / 3"
    assert violations(page) == []
    page.get_by_role("link", name="Watch both courses from turn 3").click()
    page.wait_for_selector(".courses .pair .board")
    settle(page)
    assert page.inner_text(".counter") == "2 / 3"
    assert "as it was played" in page.inner_text(".boards section:first-child .facts")
    assert "with 'left 2' in turn 3" in page.inner_text(".boards section:last-child .facts")
    wide = page.evaluate("[...document.querySelectorAll('.boards section')].map((each) => each.getBoundingClientRect().top)")
    assert wide[0] < wide[1] + 40
    assert page.locator(".moments .now").count() == 1
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    settle(page)
    places = "[...document.querySelectorAll('.boards section')].map((each) => each.getBoundingClientRect())"
    boxes = page.evaluate(f"{places}.map((box) => [box.top, box.width])")
    assert boxes[1][0] > boxes[0][0] + 50
    assert min(width for _, width in boxes) > 300
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page = visited.open("why-blue.html")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert "2 matches that blue didn't win: 1 because of one mistake" in page.inner_text("main")
    assert "In 6 of the 8 tries blue failed by itself afterwards (illegal move, crash)" in page.inner_text(".warning")
    assert "and all programs played on to the end" in page.inner_text("main")
    assert page.inner_text(".card .kicker").lower() == "game 1, turn 3"
    assert [page.inner_text(f".card bdi >> nth={place}") for place in (1, 2)] == [MOMENT.answer, MOMENT.better]
    assert page.locator(".lost-games tbody tr").count() == 2
    assert violations(page) == []
    assert visited.open("team-blue.html").get_by_role("link", name="Why it lost").get_attribute("href") == "why-blue.html"


def test_a_page_in_one_file_shows_the_same(visit: Callable[..., Any], tmp_path: Path) -> None:
    data = two_games(tmp_path)
    replay, other = data.replay("one"), data.replay("two")
    assert replay is not None
    assert other is not None
    details = match_details(Listed(1, data.matches[0]), {}, frozenset())
    for name, each in (("courses", LOST), ("alone", msgspec.structs.replace(LOST, moments=(), kind="nothing helped"))):
        why = explained_value(each, [b64encode(compressed_replay(other)).decode()])
        text = game_page("Why did blue lose?", 1, details, replay=replay, theme=data.theme, why=why)
        (tmp_path / f"{name}.html").write_text(text)
    visited = visit(tmp_path)
    page = visited.open("courses.html")
    page.wait_for_selector(".courses .pair .board")
    settle(page)
    assert page.inner_text(".counter") == "2 / 3"
    assert "with 'left 2' in turn 3" in page.inner_text(".boards section:last-child .facts")
    assert violations(page) == []
    page = visited.open("alone.html")
    page.wait_for_selector(".why")
    assert LOST.lines[0] in page.inner_text(".why")
    assert page.locator(".boards").count() == 0


def test_a_site_without_explanations_has_no_page_of_them(tmp_path: Path) -> None:
    two_games(tmp_path)
    assert not list(tmp_path.glob("why-*.html"))
    assert not list(tmp_path.glob("data/why-*.js"))
    assert "Why it lost" not in (tmp_path / "team-blue.html").read_text()


def test_what_is_hidden_is_in_no_explanation() -> None:
    failed = msgspec.structs.replace(LOST, has_faults=True)
    assert [shows(LOST, frozenset(hide)) for hide in ((), ("output",), ("faults",), ("replays",))] == [True, True, True, False]
    assert [shows(failed, frozenset(hide)) for hide in ((), ("output",), ("faults",))] == [True, True, False]


def test_files_are_read_in_order_and_damaged_ones_left_out(tmp_path: Path) -> None:
    assert read_explained(tmp_path) == []
    assert folder_stamp(tmp_path) == 0
    for each in (OTHER, LOST):
        path = explained_path(tmp_path, each.key, each.seat)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(msgspec.json.encode(each))
    (path.parent / "three-1.json").write_bytes(b'{"key": "three"')
    (path.parent / "note.txt").write_text("mine")
    assert read_explained(tmp_path) == [LOST, OTHER]
    assert folder_stamp(tmp_path) > 0


def test_failures_in_a_few_tries_are_told_without_a_doubt_about_the_answers() -> None:
    few = msgspec.structs.replace(LOST, tried=1000, failures=(("timeout", 2),))
    sentence = "In 2 of the 1,000 tries blue failed by itself afterwards (timeout)."
    assert sentence in list(summary_lines(team_summary([few], "blue")))


def test_what_games_have_in_common() -> None:
    problem = msgspec.structs.replace(OTHER, key="three", number=3, kind="not explained", problem="it differs", map="lake")
    summary = team_summary([LOST, OTHER, problem], "blue")
    by_way = "1 because of one mistake, 1 in which no answer that was tried helped, 1 not explained"
    assert list(summary_lines(summary)) == [
        f"3 matches that blue didn't win: {by_way}. This holds only for these programs, as they are now.",
        "In 9 of the 12 tries blue failed by itself afterwards (illegal move, crash), so this says little about the answers.",
        "Matches by opponent: red 3.",
        "Matches by map: meadow 2, lake 1.",
        "The answers that cost most:",
        "  'go <b>right</b> …' instead of 'left …': 1 match",
        "Look at match 1 first: the answers there cost most.",
        "not explained: 1 match: it differs",
    ]
