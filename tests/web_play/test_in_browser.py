"""Games that are won by hand, in a real browser: by squares, by lists, by tanks."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from tests.site.axe import violations
from tests.site.conftest import left_visits, settle, visit, wait_until  # noqa: F401 -- fixtures
from tests.web_play.conftest import MakeVenue, Serve, asked

from tiltyard_engine.rules import Rules
from tiltyard_engine.rules.sparring import GreedyPlayer
from tiltyard_web_play.choices import position_of
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.table import GameTable, TableQuestion

DUEL = b"duel\nMaxSteps = 50\nNumShells = 5\nRows = 1\nCols = 12\n1     2     \n"


@pytest.fixture(autouse=True)
def _same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_web_play.lobby.secrets.randbelow", lambda limit: 7)


def table_of(lobby: Lobby) -> GameTable:
    """The last one that was opened."""
    return list(lobby._tables.values())[-1].table


def begin(page: Any, lobby: Lobby) -> GameTable:
    """Press the button, and wait for the first question."""
    page.get_by_role("button", name="Begin").click()
    wait_until(page, "document.querySelector('.answers button') !== null")
    return table_of(lobby)


def next_question(page: Any, table: GameTable, before: int) -> TableQuestion | None:
    """What is asked after an answer, once the page shows it; None: the game is over."""
    wait_until(page, lambda: table.is_over or ((question := table.look()[2]) is not None and question.number > before))
    question = table.look()[2]
    if table.is_over or question is None:
        wait_until(page, "!document.querySelector('.again').hidden")
        return None
    wait_until(page, "document.querySelector('.answers button') !== null")
    settle(page)
    return question


def best(table: GameTable, question: TableQuestion) -> str:
    """The answer of a player that looks one move ahead."""
    rules = table.game.rules
    assert isinstance(rules, Rules)
    position, _ = position_of(rules, question.view, table.seat)
    return rules.to_text(GreedyPlayer(rules, table.seat).choose(question.view), position, table.seat)


def test_connect_four_is_won_by_clicks_on_the_board(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    page = visit(serve(lobby)).open("")
    assert violations(page) == []
    table = begin(page, lobby)
    question: TableQuestion | None = asked(table, 1)
    # The middle column wins unless the other side drops a disc there: then the next one.
    plan = Random(4)
    while question is not None:
        squares = {choice.text: choice.squares for choice in question.choices.choices}
        text = winning(table, question) or plan.choice(list(squares))
        page.locator(f"button.square[data-square='{squares[text][0]}']").click()
        question = next_question(page, table, question.number)
    result = table.look()[3]
    assert result is not None
    assert page.inner_text(".turn") == result.message
    assert result.winner == 1
    assert violations(page) == []
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the replay").click()
    assert download.value.suggested_filename == "connect-four.replay"


def winning(table: GameTable, question: TableQuestion) -> str:
    """An answer that wins at once, or prevents that the other side does; the middle while there is room; empty: any other."""
    position, texts = question.view, [choice.text for choice in question.choices.choices]
    for mover in (table.seat, 3 - table.seat):
        for text in texts:
            column = int(text.split()[1])
            if type(position)(position.rows, mover).dropped(column).winner:
                return text
    return "column 3" if "column 3" in texts else ""


def test_penguins_is_won_from_the_list_with_the_keyboard(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    floe = b"4 5\n10 20 20 20 10\n20 30 20 20 30\n20 20 30 20 10\n10 20 20 20 20\npenguins=1\n"
    lobby = Lobby(make_venue("penguins", "penguins-random", maps={"floe": floe}))
    page = visit(serve(lobby)).open("")
    table = begin(page, lobby)
    question: TableQuestion | None = asked(table, 1)
    while question is not None:
        button = page.locator(".choices button").filter(has_text=best(table, question)).first
        button.focus()
        page.keyboard.press("Enter")
        question = next_question(page, table, question.number)
    result = table.look()[3]
    assert result is not None
    assert result.winner == 1
    assert page.evaluate("document.activeElement.textContent") == "Play again"


def test_a_question_that_comes_before_the_answers_receipt_stays(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"))
    page = visit(serve(lobby)).open("")
    table = begin(page, lobby)
    held: list[tuple[Any, Any]] = []
    page.route("**/answer", lambda route: held.append((route, route.fetch())))
    page.locator(".answers button").first.click()
    wait_until(page, lambda: bool(held) and (question := table.look()[2]) is not None and question.number == 2)
    # The page shows the other side's move, and asks again.
    wait_until(page, "document.querySelectorAll('.news li').length === 2 && document.querySelector('.answers button') !== null")
    settle(page)
    route, receipt = held[0]
    with page.expect_response("**/answer"):
        route.fulfill(response=receipt)
    page.unroute("**/answer")
    settle(page)
    assert page.locator(".answers button").count() > 0


def test_tanks_are_commanded_by_round_and_win(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    lobby = Lobby(make_venue("tanks", "acorn", maps={"duel": DUEL}))
    page = visit(serve(lobby), viewport={"width": 390, "height": 844}).open("")
    table = begin(page, lobby)
    assert page.inner_text(".square.tank") == "1"
    question: TableQuestion | None = asked(table, 1)
    while question is not None:
        page.get_by_label("Tank 1").select_option("shoot")
        page.get_by_role("button", name="Play the turn").click()
        question = next_question(page, table, question.number)
    result = table.look()[3]
    assert result is not None
    assert result.winner == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_taking_back_resigning_and_coming_again(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    lobby = Lobby(make_venue("connect-four", "four-random"), replaces=True)
    visited = visit(serve(lobby))
    page = visited.open("")
    table = begin(page, lobby)
    assert page.get_by_role("button", name="Take back").is_disabled()
    page.get_by_role("button", name="column 0", exact=True).click()
    next_question(page, table, 1)
    assert page.inner_text(".news li:last-child") == "you: column 0"
    # Whoever loads the page again goes on with the same game.
    page.reload()
    wait_until(page, "document.querySelector('.answers button') !== null")
    assert page.inner_text(".news li:last-child") == "you: column 0"
    page.get_by_role("button", name="Take back").click()
    wait_until(
        page, "document.querySelector('.news').childElementCount === 0 && document.querySelector('.answers button') !== null"
    )
    page.once("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Resign").click()
    wait_until(page, "!document.querySelector('.again').hidden")
    assert page.inner_text(".turn") == "Player 2 won by a fault. you: forfeit: resigned"
    page.get_by_role("button", name="Play again").click()
    wait_until(page, "document.querySelector('.answers button') !== null")
    assert table_of(lobby) is not table


def test_what_is_typed_wrong_is_said_and_can_be_mended(
    make_venue: MakeVenue,
    serve: Serve,
    visit: Callable[..., Any],  # noqa: F811
) -> None:
    lobby = Lobby(make_venue("advance", "advance-level-4"))
    visited = visit(serve(lobby))
    page = visited.open("")
    table = begin(page, lobby)
    page.get_by_label("Or type it").fill("nonsense")
    page.keyboard.press("Enter")
    wait_until(page, "!document.querySelector('[role=alert]').hidden")
    assert "'nonsense'" in page.inner_text("[role=alert]")
    # The browser says in its console what the server refused.
    visited.problems.clear()
    answer = asked(table, 1).choices.choices[0].text
    page.get_by_label("Or type it").fill(answer)
    page.keyboard.press("Enter")
    assert next_question(page, table, 1) is not None
    assert page.inner_text(".news li:last-child") == f"you: {answer}"
