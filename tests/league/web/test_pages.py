"""What the pages show of games, versions and the standing."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import zipfile
from pathlib import Path

import pytest
from tests.league.conftest import Course
from tests.league.made_league import CRASHING, Visitor
from tests.site.packed_replays import replays_in
from typer.testing import CliRunner

from tiltyard_checks.command.debug import app as debug
from tiltyard_checks.faults.fault_reading import read_fault_folder
from tiltyard_engine.errors import UserError
from tiltyard_league.database.games import Games
from tiltyard_site.pages.labels import sentence
from tiltyard_tournaments.store import Store


def value_of(script: str) -> object:
    """What a data script hands over."""
    match = re.fullmatch(r'Tiltyard\.register\("[^"]+",(.*)\);\n', script, re.DOTALL)
    assert match
    return json.loads(match[1])


def test_the_standing_shows_all_that_play_and_how_sure_it_is(course: Course) -> None:
    text = course.stranger.get("/").text
    assert text.count('class="number place"') == 4
    assert "provisional" in text
    assert "All versions have met on all maps" in text
    assert ">One number fits: no results are further" in text
    own = course.red.get("/").text
    assert 'class="own-row"' in own
    assert ">Red<" in own


def test_the_viewer_gets_games_and_replays_under_the_names_that_may_be_seen(course: Course) -> None:
    chunk = value_of(course.stranger.get("/data/matches-0.js").text)
    assert isinstance(chunk, dict)
    assert len(chunk) == course.games
    game = chunk["1"]
    replay = replays_in(course.stranger.get("/replays/1.js").text)["1"]
    assert list(replay.seats) == [name for name, _ in game["teams"]]
    listed = value_of(course.stranger.get("/data/games.js").text)
    assert isinstance(listed, dict)
    assert len(listed["rows"]) == course.games
    assert course.stranger.get("/data/theme.js").text.startswith('Tiltyard.register("theme"')
    first = course.stranger.get("/data/games.js")
    assert course.stranger.get("/data/games.js", If_None_Match=first.header("etag")).status == 304
    for path in (
        "/data/matches-x.js",
        "/data/no.js",
        "/replays/999.js",
        "/games/0",
        "/games/x",
        "/assets/no.css",
        "/teams/no-team",
    ):
        assert course.stranger.get(path).status == 404, path


def test_the_team_sees_where_it_does_worst_first(course: Course) -> None:
    text = course.red.get("/me").text
    shares = [
        int(share)
        for share in re.findall(r"(\d+) %: show these games", text.partition('id="opponents"')[2].partition("<section")[0])
    ]
    assert len(shares) == 3
    assert shares == sorted(shares)
    assert "Maps, hardest first" in text
    assert course.blue.get("/me/games?fault=1").text.count("<tr>") == course.games // 2 + 1
    assert course.red.get("/me/games?fault=1").text.count("None yet.") == 1


@pytest.fixture
def kit(course: Course, tmp_path: Path) -> Path:
    """The kit of a game in which Blue failed, as Blue unpacks it."""
    number = re.findall(r'href="/games/(\d+)"', course.blue.get("/me/games?fault=1").text)[0]
    with zipfile.ZipFile(io.BytesIO(course.blue.get(f"/games/{number}/kit.zip").body)) as archive:
        archive.extractall(tmp_path)
    return tmp_path / f"game-{number}"


def test_a_fault_kit_has_the_own_side_alone_and_nothing_of_the_server(course: Course, kit: Path) -> None:
    files = {path.name: path.read_bytes() for path in kit.iterdir()}
    seat = next(name[4] for name in files if name.endswith(".conversation"))
    assert set(files) == {"README.txt", "fault.txt", "match.json", f"seat{seat}.conversation", f"seat{seat}.txt"}
    assert b"my own mistake" in files["fault.txt"]
    assert f"tiltyard debug {kit.name} --code FOLDER\n" in files["README.txt"].decode()
    match = json.loads(files["match.json"])
    assert match["kit_of"] == [int(seat)]
    other = match["spec"]["algorithms"][2 - int(seat)]
    assert re.fullmatch(r"acorn|bramble|[a-z]+-[a-z]+ v1", other["name"])
    assert other["source"]["value"] == other["source"]["distribution"] == ""
    number = kit.name.removeprefix("game-")
    page = course.blue.get(f"/games/{number}").text
    assert "File &#34;team.py&#34;, line" in page
    everything = b"".join(files.values()) + page.encode()
    for path in (course.folder, sys.prefix, sys.base_prefix):
        assert os.fsencode(path) not in everything or path in ("/usr", "/usr/local")
    assert Visitor(course.app, token=course.blue.token).get(f"/api/games/{number}/kit").status == 200
    assert "kit.zip" in course.staff.get(f"/games/{number}").text
    assert course.staff.get(f"/staff/games/{number}/kit.zip").status == 200


def test_a_fault_kit_is_used_where_nothing_of_the_league_is(course: Course, kit: Path, tmp_path: Path) -> None:
    (tmp_path / "thunder.py").write_text(CRASHING)
    away = course.folder.with_name("away")
    course.folder.rename(away)
    try:
        words = [str(kit), "--code", str(tmp_path / "thunder.py"), "--unconfined"]
        result = CliRunner().invoke(debug, words, env={"TILTYARD_TRUST": str(tmp_path)})
    finally:
        away.rename(course.folder)
    assert "my secret plan" in result.stdout
    assert "all answers are the same as in the match\nthe same failure as in the match" in result.stdout
    assert result.exit_code == 0
    with pytest.raises(UserError, match=r"is a kit, which contains no code: add --code with the path of yours"):
        CliRunner().invoke(debug, [str(kit)], catch_exceptions=False)
    with pytest.raises(UserError, match=r"is a kit without any code, so the match can't be played again"):
        read_fault_folder(kit)


def test_how_a_game_ended_is_said_where_it_is_listed(course: Course) -> None:
    with Store(course.league.settings.results, writable=False) as store:
        for game in Games(course.league.settings.results).last(100):
            record = store.record(game.key)
            assert record is not None
            assert game.message == ("" if record.outcome.faults else record.outcome.message)
    listed = course.stranger.get("/games/").text
    assert len(re.findall(r"<td>(Player [12] won|Tie)[^<]*</td>", listed)) + listed.count("<td>crash of ") == course.games


def test_numbers_and_news_for_programs(course: Course) -> None:
    news = course.stranger.get("/live.json").json
    assert [row["place"] for row in news["rows"]] == [1, 2, 3, 4]
    assert news["games"][0]["id"] == course.games
    # A hall sees what everybody sees, whoever opens the page.
    assert course.staff.get("/live.json").json == course.red.get("/live.json").json == news
    assert course.staff.get("/live").text == course.stranger.get("/live").text
    assert "<entry>" in course.stranger.get("/feed.atom").text
    value = Visitor(course.app, token=course.red.token).get("/api/team").json
    assert (value["team"], value["league"]) == ("Red", "Course")


def test_the_reveal_ends_with_the_first_place_and_its_deciding_game(course: Course) -> None:
    text = course.staff.get("/staff/reveal").text
    places = [int(place) for place in re.findall(r'<li class="place-(\d+)">', text)]
    assert places == [4, 3, 2, 1]
    assert text.count("match.html#match=") == 3


def listed_games(visitor: Visitor, query: str) -> list[tuple[int, str]]:
    """The games of a list, each with the line of its table."""
    text = visitor.get(f"/games/?{query}").text
    rows = re.findall(r"<tr><th scope=\"row\" class=\"number\"><a href=\"/games/(\d+)\">\d+</a></th>(.*?)</tr>", text, re.DOTALL)
    return [(int(place), re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).strip()) for place, row in rows]


def test_the_list_of_games_has_the_filters_of_a_cup(course: Course) -> None:
    # What others call the teams.
    blue, red = (
        re.findall(r'href="/teams/([a-z-]+)" class="own"', visitor.get("/games/").text)[0] for visitor in (course.blue, course.red)
    )
    every = listed_games(course.stranger, "")
    assert len(every) == course.games
    of_blue = listed_games(course.stranger, f"team={blue}")
    assert of_blue == [game for game in every if f"{blue} v" in game[1]]
    assert 0 < len(of_blue) < len(every)
    both = listed_games(course.stranger, f"team={blue}&versus={red}")
    assert both == [game for game in of_blue if f"{red} v" in game[1]] != []
    assert listed_games(course.stranger, f"versus={blue}") == of_blue
    first = listed_games(course.stranger, f"team={blue}&versus={red}&seat=1")
    assert first == [game for game in both if game[1].index(f"{blue} v") < game[1].index(f"{red} v")] != []
    # Blue's code fails in every game.
    assert listed_games(course.stranger, f"team={blue}&result=won") == []
    assert listed_games(course.stranger, f"team={blue}&result=lost") == of_blue
    assert listed_games(course.stranger, f"team={blue}&faults=1") == of_blue
    on_map = re.findall(r'<option value="([^"]+)">', course.stranger.get("/games/").text.split('name="map"')[1])[0]
    assert listed_games(course.stranger, f"map={on_map}") == [game for game in every if on_map in game[1]] != []
    # Without a team: what somebody has won, and ties.
    decided, ties = (listed_games(course.stranger, f"result={result}") for result in ("won", "tied"))
    assert sorted(decided + ties, reverse=True) == every
    assert {game[1].split()[0] for game in ties} == {"tie"}
    assert listed_games(course.stranger, "team=nobody") == []
    assert listed_games(course.stranger, "map=nowhere%27--&result=x&seat=7") == []
    page = course.stranger.get(f"/games/?team={blue}&result=lost").text
    assert f'value="{blue}" selected' in page
    assert 'value="lost" selected' in page


def test_a_games_page_shows_its_player_at_once(course: Course) -> None:
    page = course.stranger.get("/games/2").text
    assert '<div id="match" class="match loading" aria-busy="true" data-match="2">' in page
    assert '<script src="/assets/match.js"></script>' in page
    assert 'aria-label="Previous game, 1">' in page
    assert 'href="/games/3"' in page
    assert 'class="won-mark">won<' in page
    assert re.search(r'<span class="result">(1 – 0|0 – 1)</span>', page)  # noqa: RUF001 -- as it is written on the page


def test_a_note_ends_with_a_whole_word() -> None:
    text = "The game was ended by the rules " * 10
    assert sentence(text, 90) == "The game was ended by the rules The game was ended by the rules The game was ended by …"
    assert sentence("x" * 100, 90) == "x" * 89 + "…"
    assert sentence("short", 90) == "short"


def test_a_link_to_a_game_has_a_picture_for_previews(course: Course) -> None:
    pytest.importorskip("PIL", reason="Pillow is not installed")
    page = course.stranger.get("/games/2").text
    tags = dict(re.findall(r'<meta property="og:(\w+)" content="([^"]*)">', page))
    assert tags["image"].startswith("http")
    assert tags["image"].endswith("/games/2/picture.png")
    assert re.search(r" (1 – 0|0 – 1|½ – ½) ", tags["title"])  # noqa: RUF001 -- as it is written on the page
    answer = course.stranger.get("/games/2/picture.png")
    assert (answer.status, answer.header("content-type")) == (200, "image/png")
    assert answer.body.startswith(b"\x89PNG")
    assert course.stranger.get("/games/999/picture.png").status == 404
