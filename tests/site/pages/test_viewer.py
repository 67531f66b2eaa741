"""The page of a match in a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.made_records import made_record
from tests.site.conftest import settle, wait_until

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.replays.encoding import decode
from tiltyard_site.publication import SeatView, SiteData, publish
from tiltyard_tournaments.standings import standings

Visiting = Callable[..., Any]

PIXELS = "() => { const c = document.querySelector('canvas.board'); return c.toDataURL(); }"


def counter(page: Any) -> str:
    text: str = page.inner_text(".counter")
    return text


def two_games(
    folder: Path,
    changed: Sequence[Frame] = (),
    fault: Fault = Fault(2, Termination.TIMEOUT, "took 3 s of 1 s", 2),  # noqa: B008 -- frozen
    notes: tuple[str, ...] = ("the ant arrived",),
) -> SiteData:
    """Ants on a board of 3 x 2: one walks right; in the second game it turns back in round 3 (or as ``changed`` says)."""
    theme = Theme(
        styles={
            " ": SquareStyle(glyph="  ", plain="  ", label="empty"),
            "a": SquareStyle(glyph="a", plain="a", foreground="#0072b2", label="ant", seat=1),
        },
        seat_colors=("#0072b2",),
    )
    walk = [
        Frame(((0, " "), (1, "a")), ("right",), (1.0, 0.0)),
        Frame((), ("stay",), (1.0, 0.0)),
        Frame(((1, " "), (2, "a")), ("right",), (2.0, 0.0), notes),
    ]
    back = changed or [*walk[:2], Frame(((1, " "), (0, "a")), ("left",), (0.0, 0.0))]
    replays: dict[str, Replay | None] = {
        name: Replay(
            game="ants",
            width=3,
            height=2,
            squares=("a", " ", " ", " ", " ", " "),
            seats=("red", "blue"),
            title="meadow",
            message="Tie",
            frames=list(frames),
        )
        for name, frames in (("one", walk), ("two", back))
    }
    matches = [
        made_record(
            teams=("red", "blue"),
            map="meadow",
            winner=0,
            ranks=(1, 1),
            key="one",
            faults=(fault,),
            claim=GameResult(winner=0, reason="", rounds=3, final_state=(), message="Tie"),
            place=0,
        ).outcome,
        made_record(
            teams=("red", "blue"),
            map="meadow",
            winner=0,
            ranks=(1, 1),
            key="two",
            claim=GameResult(winner=0, reason="", rounds=3, final_state=(), message="Tie"),
            place=1,
        ).outcome,
    ]
    teams = ["red", "blue"]
    views = {"one": (SeatView(1, 1, ("a. ", "   ")), SeatView(3, 1, ("..a", "   ")))}
    data = SiteData(
        title="Ants", teams=teams, matches=matches, standings=standings(["red", "blue"], matches), replay=replays.get, theme=theme,
        views=lambda key: views.get(key, ()),
    )  # fmt: skip
    publish(data, folder)
    return data


def test_a_replay_plays_to_its_end(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).match("match=2")
    replay = cup.replay(cup.matches[1].key)
    assert replay is not None
    last = len(replay.frames)
    assert counter(page) == f"0 / {last}"
    before = page.evaluate(PIXELS)
    page.select_option(".controls select", "120")
    page.click(".play")
    wait_until(page, f"document.querySelector('.counter').textContent === '{last} / {last}'")
    assert page.evaluate(PIXELS) != before
    assert page.get_attribute(".play", "aria-label") == "Play"
    assert replay.message in page.inner_text("#announce")


def test_every_round_of_the_timeline_is_the_replays(visit: Visiting, site: Path, cup: SiteData) -> None:
    page = visit(site).match("match=2")
    replay = cup.replay(cup.matches[1].key)
    assert replay is not None
    last = len(replay.frames)
    # Forwards step by step, back over kept boards, and jumps.
    rounds = [*range(last + 1), last // 2, 0, last, 1, last - 1, 3]
    boards = page.evaluate(
        """async ([name, rounds]) => {
          const game = (await Tiltyard.load("data/matches-0"))[name];
          const timeline = new Tiltyard.Timeline(await Tiltyard.Replays.of(game));
          return rounds.map((round) => {
            const before = Array.from(timeline.squares);
            const changed = new Set(timeline.goTo(round));
            const missed = before.filter((token, square) => token !== timeline.squares[square] && !changed.has(square)).length;
            return [missed, Array.from(timeline.squares, (token) => timeline.tokens[token])];
          });
        }""",
        ["2", rounds],
    )
    for round_number, (missed, squares) in zip(rounds, boards, strict=True):
        assert missed == 0
        assert squares == replay.squares_after(round_number)


def noted_rounds(replay: Replay | None) -> list[int]:
    """The rounds of which something is told."""
    return [number for number, frame in enumerate(replay.frames if replay else (), start=1) if frame.notes]


def test_keys(visit: Visiting, site: Path, cup: SiteData) -> None:
    match = next(match for match in cup.matches if len(noted_rounds(cup.replay(match.key))) > 1)
    page = visit(site).match(f"match={match.place + 1}")
    replay = cup.replay(match.key)
    assert replay is not None
    last = len(replay.frames)
    noted = noted_rounds(replay)
    for key, expected in [
        ("ArrowRight", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("Shift+ArrowRight", 11), ("PageUp", 1), ("End", last), ("Home", 0),
        *(("]", number) for number in noted), *(("[", number) for number in reversed(noted[:-1])),
    ]:  # fmt: skip
        page.keyboard.press(key)
        assert counter(page) == f"{expected} / {last}", key
    page.keyboard.press("+")
    assert page.input_value(".controls select") == "15"
    page.keyboard.press("-")
    assert page.input_value(".controls select") == "8"
    page.keyboard.press("Home")
    # Slow enough that it does not come to the end before the second press.
    page.select_option(".controls select", "2")
    page.locator("canvas.board").focus()
    page.keyboard.press("Space")
    assert page.get_attribute(".play", "aria-label") == "Pause"
    wait_until(page, "parseInt(document.querySelector('.counter').textContent) > 0")
    page.keyboard.press("Space")
    assert page.get_attribute(".play", "aria-label") == "Play"
    page.keyboard.press("?")
    page.wait_for_selector("dialog", state="visible")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")


def test_a_quick_pause_leaves_one_clock(visit: Visiting, site: Path) -> None:
    """Two clocks would play at twice the speed."""
    page = visit(site).match("match=1")
    clocks = page.evaluate(
        """() => {
          const waiting = new Set();
          const [request, cancel] = [requestAnimationFrame, cancelAnimationFrame];
          window.requestAnimationFrame = (callback) => {
            const number = request((now) => { waiting.delete(number); callback(now); });
            waiting.add(number);
            return number;
          };
          window.cancelAnimationFrame = (number) => { waiting.delete(number); cancel(number); };
          const play = document.querySelector(".play");
          play.click();
          play.click();
          play.click();
          return waiting.size;
        }"""
    )
    assert clocks == 1


def test_seeking_and_the_link_to_a_round(visit: Visiting, site: Path) -> None:
    here = visit(site)
    page = here.match("match=1&round=7")
    assert counter(page).startswith("7 /")
    page.locator(".seek").fill("4")
    assert counter(page).startswith("4 /")
    wait_until(page, "location.hash === '#match=1&round=4'")
    page.evaluate("location.hash = '#match=1&round=2'")
    wait_until(page, "parseInt(document.querySelector('.counter').textContent) > 1")
    for silly in ("match=1&round=99999999", "match=1&round=-3", "match=1&round=x"):
        assert "/" in counter(here.match(silly))


def test_a_match_that_is_not_there(visit: Visiting, site: Path) -> None:
    here = visit(site)
    assert "no game 150" in here.match("match=150").inner_text("#match")
    assert 'no game "../../x"' in here.match("match=../../x").inner_text("#match")
    assert 'no game "1e3"' in here.match("match=1&with=1e3").inner_text("#match")
    assert "Choose a game" in here.match("round=3").inner_text("#match")


def test_scores_actions_events_and_views_stand_beside_the_board(visit: Visiting, tmp_path: Path) -> None:
    two_games(tmp_path)
    page = visit(tmp_path).match("match=1&round=3")
    assert page.inner_text(".seat >> nth=0 >> .score") == "2"
    assert page.inner_text(".seat >> nth=0 >> .action") == "right"
    events = page.locator(".events li")
    assert events.all_inner_texts() == ["2\nplayer 2: timeout", "3\nthe ant arrived"]
    assert page.locator(".marks .mark.event").count() == 1
    assert page.locator(".marks .mark.fault").count() == 1
    events.first.locator("button").click()
    assert counter(page) == "2 / 3"
    page.click(".views summary")
    # The toggle event comes some time after the click.
    wait_until(page, "document.querySelector('.view').textContent.startsWith('a. ')")
    page.keyboard.press("End")
    wait_until(page, "document.querySelector('.view').textContent.startsWith('..a')")


def test_a_fault_that_the_game_notes_is_told_once_in_the_round_of_the_board(visit: Visiting, tmp_path: Path) -> None:
    # The seat had its first turn; on the board that is round 3.
    note = "blue is out: crash: choose: it broke here"
    two_games(tmp_path, fault=Fault(2, Termination.CRASH, "choose: it broke\n  here", 1), notes=(note,))
    page = visit(tmp_path).match("match=1&round=3")
    events = page.locator(".events li")
    assert events.all_inner_texts() == [f"3\n{note}"]
    assert page.locator(".events li.fault").count() == 1
    assert "blue, turn 3" in page.inner_text(".faults")
    mark = page.locator(".marks .mark.fault")
    assert (mark.count(), mark.get_attribute("x1")) == (1, "3")


def test_only_the_first_difference_is_marked(visit: Visiting, tmp_path: Path) -> None:
    two_games(tmp_path)
    page = visit(tmp_path).match("match=1&with=2")
    assert page.inner_text(".difference-head").startswith(
        "The actions first differ in turn 3; the boards first differ after turn 3."
    )
    assert "same in this turn" in page.inner_text(".now")
    page.click(".to-difference")
    assert counter(page) == "3 / 3"
    assert page.inner_text(".now") == "2 squares differ in this turn."
    assert page.locator(".marks .mark.difference").get_attribute("x1") == "3"
    assert page.locator("canvas.board").count() == 2


def test_two_that_went_alike(visit: Visiting, site: Path, tmp_path: Path) -> None:
    data = two_games(tmp_path / "a")
    one = data.replay("one")
    assert one is not None
    two_games(tmp_path / "b", one.frames)
    assert "identical" in visit(tmp_path / "b").match("match=1&with=2").inner_text(".difference-head")
    # Boards of two sizes are shown too.
    assert "different sizes" in visit(site).match("match=1&with=7").inner_text(".now")


def test_the_downloaded_replay_is_the_replay(visit: Visiting, tmp_path: Path) -> None:
    data = two_games(tmp_path)
    page = visit(tmp_path).match("match=1")
    with page.expect_download() as download:
        page.click(".download")
    assert download.value.suggested_filename == "one.jsonl"
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    header = json.loads(lines[0])
    replay = data.replay("one")
    assert replay is not None
    assert (header["width"], header["height"], tuple(header["squares"])) == (3, 2, replay.squares)
    assert header["seats"] == ["red", "blue"]
    assert decode(Path(download.value.path()).read_bytes()) == replay
    assert lines[1:] == [
        '[[[0," "],[1,"a"]],["right"],[1.0,0.0]]',
        '[[],["stay"],[1.0,0.0]]',
        '[[[1," "],[2,"a"]],["right"],[2.0,0.0],["the ant arrived"]]',
    ]


def test_zoom_and_pan(visit: Visiting, site: Path) -> None:
    page = visit(site).match("match=1")
    assert page.is_disabled(".whole")
    fitting = page.evaluate(PIXELS)
    for _ in range(3):
        page.keyboard.press("i")
    zoomed = page.evaluate(PIXELS)
    assert zoomed != fitting
    assert page.locator("canvas.board.movable").count() == 1
    box = page.locator("canvas.board").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 100, box["y"] + 150)
    page.mouse.up()
    assert page.evaluate(PIXELS) != zoomed
    page.keyboard.press("0")
    assert page.evaluate(PIXELS) == fitting


def test_what_is_drawn_step_by_step_is_what_is_drawn_at_once(visit: Visiting, site: Path) -> None:
    here = visit(site)
    page = here.match("match=3")
    for _ in range(9):
        page.keyboard.press("ArrowRight")
    stepped = page.evaluate(PIXELS)
    assert here.match("match=3&round=9").evaluate(PIXELS) == stepped


def test_without_a_replay_the_result_is_told(visit: Visiting, tmp_path: Path) -> None:
    data = two_games(tmp_path / "unused")
    publish(replace(data, hide={"replays", "output"}), tmp_path / "site")
    assert not (tmp_path / "site/replays").exists()
    text = visit(tmp_path / "site").match("match=1").inner_text("#match")
    assert "no replay" in text
    assert "took 3 s of 1 s" in text


def test_on_a_phone_nothing_is_wider_than_the_screen(visit: Visiting, site: Path) -> None:
    here = visit(site, viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    for path in ("index.html", "matches.html", "team-acorn.html", "match.html#match=1", "match.html#match=1&with=2"):
        page = here.open(path)
        page.wait_for_selector("main :is(.standings, .games td, .tallies, canvas)")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, (path, scheme)


def test_what_a_player_of_a_real_game_saw(visit: Visiting, site: Path, cup: SiteData) -> None:
    number, replay = next(
        (match.place + 1, replay)
        for match in cup.matches
        if (replay := cup.replay(match.key)) is not None and len(replay.views) > 2
    )
    asked, seat, square = replay.views[-1]
    rows = list("".join(replay.rows_after(asked - 1)))
    rows[square] = "%"
    wanted = "\n".join("".join(rows[at : at + replay.width]) for at in range(0, len(rows), replay.width))
    page = visit(site).match(f"match={number}&round={asked}")
    page.click(".views summary")
    page.select_option(".views select", str(seat))
    wait_until(page, lambda: page.evaluate("document.querySelector('.view').textContent") == wanted)
    assert page.inner_text(".views .note") == (
        f"Its last view, from turn {asked}: the board before that turn. % is the tank that asked."
    )
    page.keyboard.press("Home")
    page.locator("canvas.board").focus()
    page.keyboard.press("Home")
    wait_until(page, lambda: page.inner_text(".views .note") == "It hasn't looked yet.")
    assert page.is_hidden(".view")
    with page.expect_download() as download:
        page.click(".download")
    assert decode(Path(download.value.path()).read_bytes()) == replay


def test_the_headline_has_the_score_and_the_winner(visit: Visiting, site: Path, cup: SiteData) -> None:
    here = visit(site)
    games = [match for match in cup.matches if match.winner]
    assert games
    for match in games[:2]:
        page = here.match(f"match={match.place + 1}")
        winner = page.locator("h1.versus .side.won")
        assert winner.inner_text().split("\n") == [str(match.winner), match.teams[match.winner - 1], "won"]
        expected = [f"{score:g}" for score in match.scores] or ["1", "0"][:: 1 if match.winner == 1 else -1]
        assert page.inner_text("h1.versus .result") == " – ".join(expected)  # noqa: RUF001 -- as it is written on the page


def test_the_games_near_a_game_are_a_click_away(visit: Visiting, site: Path, cup: SiteData) -> None:
    here = visit(site)
    page = here.match("match=2")
    links = {link.get_attribute("aria-label"): link.get_attribute("href") for link in page.locator(".near a").all()}
    exchanged = next(
        match.place + 1
        for match in cup.matches
        if match.map == cup.matches[1].map and match.teams == tuple(reversed(cup.matches[1].teams))
    )
    assert links == {
        "Previous game, 1": "match.html#match=1",
        "Next game, 3": "match.html#match=3",
        None: f"match.html#match={exchanged}",
    }
    page.click(f"text=Seats exchanged: game {exchanged}")
    wait_until(page, f"document.querySelector('.facts')?.textContent.startsWith('game {exchanged} ')")
    last = here.match(f"match={len(cup.matches)}")
    assert last.locator(".near a").first.get_attribute("aria-label") == f"Previous game, {len(cup.matches) - 1}"


def test_a_game_plays_by_itself_once_it_is_seen(visit: Visiting, site: Path) -> None:
    here = visit(site, reduced_motion="no-preference", viewport={"width": 1280, "height": 800})
    page = here.match("match=2")
    wait_until(page, "parseInt(document.querySelector('.counter').textContent) > 1")
    # Nobody asked for it, so nothing more is read out.
    assert page.inner_text("#announce") == "Turn 0."
    page.keyboard.press("Space")
    turn = counter(page)
    page.evaluate("window.scrollTo(0, 2000)")
    page.evaluate("window.scrollTo(0, 0)")
    settle(page)
    assert counter(page) == turn
    # Who asks for a turn wants to look at it.
    page = here.match("match=2&round=3")
    settle(page)
    assert counter(page).startswith("3 /")
    # Below the window it waits.
    page = visit(site, reduced_motion="no-preference", viewport={"width": 1280, "height": 200}).match("match=2")
    settle(page)
    assert counter(page).startswith("0 /")
