"""Pages for everybody are made again when something was written, and only then."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import Response
from tests.league.made_league import Visitor, make_folder, sign_in

from tiltyard_league.database.database import Database, make_database
from tiltyard_league.database.staff import set_frozen
from tiltyard_league.database.teams import add_team
from tiltyard_league.league_file.loading import read_settings
from tiltyard_league.rating.standing import LeagueStanding, write_standing
from tiltyard_league.service.game_writing import open_games
from tiltyard_league.web.app import make_app
from tiltyard_league.web.http import page_cache
from tiltyard_league.web.http.context import Context
from tiltyard_league.web.http.page_cache import ChangeWatch, PageCache
from tiltyard_league.web.pages import public


def test_everybody_gets_the_page_of_this_moment_and_it_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_folder(tmp_path / "course")
    make_database(folder)
    settings = read_settings(folder)
    settings.results.mkdir()
    open_games(settings.results).close()
    with Database(folder) as database, database.writing():
        add_team(database, "Red")
    paths: list[str] = []
    index = public.standing_rows

    def counted(context: Context) -> list[dict[str, Any]]:
        paths.append(context.request.url.path)
        return index(context)

    monkeypatch.setattr(public, "standing_rows", counted)
    app = make_app(settings)
    visitor, red = Visitor(app), sign_in(app, folder, "Red")
    paths.clear()
    first = visitor.get("/")
    assert visitor.get("/").body == first.body
    assert len(paths) == 1
    mark = first.header("etag")
    again = visitor.get("/", If_None_Match=mark)
    assert (again.status, again.body, again.header("etag")) == (304, b"", mark)
    assert "content-security-policy" in dict(again.headers)
    packed = visitor.get("/", Accept_Encoding="gzip")
    assert (packed.header("content-encoding"), gzip.decompress(packed.body)) == ("gzip", first.body)
    # From the length of a page with a secret in it others could guess the secret.
    assert red.get("/", Accept_Encoding="gzip").header("content-encoding") == ""
    # Whoever is signed in has pages of their own, which nobody else gets.
    assert "My team" in red.get("/").text
    assert "My team" not in visitor.get("/").text
    # Each of these is written by somebody else.
    with Database(folder) as database:
        set_frozen(database, True, "test")
    assert "The standings have been frozen since" in visitor.get("/", If_None_Match=mark).text
    with Database(folder) as database:
        set_frozen(database, False, "test")
    write_standing(folder, LeagueStanding(games=7, complete=True))
    # To open a store that was closed changes its file.
    store = open_games(settings.results)
    number = len(paths)
    visitor.get("/")
    visitor.get("/")
    assert len(paths) == number + 1
    store.write(lambda connection: connection.execute("INSERT INTO facts VALUES ('a', 'b')"))
    store.close()
    visitor.get("/")
    assert len(paths) == number + 2


def test_no_more_is_kept_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_cache, "MOST_BYTES", 5000)
    pages = PageCache(ChangeWatch((), ()))
    for number in range(100):
        pages.keep(f"/{number}", pages.stamp(), Response(b"x" * 100, media_type="text/plain"), "")
    numbers = [number for number in range(100) if pages.find(f"/{number}", pages.stamp(), "") is not None]
    assert numbers == [96, 97, 98, 99]
    pages.keep("/wrong", pages.stamp(), Response(b"x", 500), "")
    assert pages.find("/wrong", pages.stamp(), "") is None
    # Where nobody can tell whether something has changed, nothing is kept.
    lost = PageCache(ChangeWatch((tmp_path / "no.sqlite",), ()))
    assert lost.stamp() is None
    assert lost.keep("/", None, Response(b"x"), "").body == b"x"
    assert lost.find("/", None, "") is None
