"""Why teams didn't win: what is known of their games, for their members and the staff, and the form that asks for more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import msgspec
from starlette.responses import Response

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_league.database.games import LeagueGame
from tiltyard_league.database.questions import ask_why, of_team, question_about
from tiltyard_league.web.http.access import Page
from tiltyard_league.web.http.context import Context, RequestRefusedError, missing, whole_number
from tiltyard_league.web.pages.games import game_of, hidden_paths, labels, own_seats, result_of
from tiltyard_league.web.pages.lost_games import (
    WAITS,
    Renaming,
    answered_places,
    asked_about,
    not_won,
    refusal_to_ask,
    shown_explanation,
)
from tiltyard_league.web.pages.tables import GameView, game_views
from tiltyard_simulator.replays.files import unpack
from tiltyard_site.explained.explained import Explained, replay_path, why_page
from tiltyard_site.pages.match_scripts import explained_value, replay_in_base_64
from tiltyard_site.pages.replay_scripts import script
from tiltyard_site.web.answers import TYPES, marked_answer

MOST_SHOWN: Final = 60
"""Games of a team of which is shown why they were not won."""
MOST_OFFERED: Final = 200
"""Of a team's newest games, those that it didn't win are asked about at once."""


def data(context: Context) -> Response:
    """A script for the viewer: why the own team, or for staff any, didn't win a game; to others it says nothing."""
    game = game_of(context)
    view = game_views(context, [game], context.team)[0]
    values = [_value(context, game, view, each) for each in _explanations(context, game, view)]
    return marked_answer(context.etag, script(f"why-{game.place}", {"explained": values}), TYPES[".js"])


def _explanations(context: Context, game: LeagueGame, view: GameView) -> Iterator[Explained]:
    places = answered_places(context, [game])
    seats = [seat for seat in own_seats(context, game) if (game.place, seat) in places]
    if not seats:
        return
    match, record = result_of(context.app, game)
    # What is told of a game is told beside its replay.
    if match is None or not match.has_replay:
        return
    rename = Renaming(record.outcome.teams, labels(view), hidden_paths(context, match.spec.input))
    for seat in seats:
        explained = shown_explanation(context, game, seat, rename)
        if explained is not None:
            yield explained


def _value(context: Context, game: LeagueGame, view: GameView, explained: Explained) -> dict[str, Any]:
    numbers = range(1, len(explained.moments) + 1)
    replays = [_course(context, game, view, explained, number) for number in numbers]
    return explained_value(explained, replays, str(view.sides[explained.seat - 1]["slug"]))


def _course(context: Context, game: LeagueGame, view: GameView, explained: Explained, number: int) -> str:
    """The game with the better answer of a moment, under the names that this visitor may see; empty: it can't be shown."""
    path = replay_path(context.app.settings.results, game.key, explained.seat, number)
    names = labels(view)
    try:
        course = unpack(path.read_bytes(), str(path))
        message = "" if explained.moments[number - 1].faults else course.message
        title = f"{' : '.join(names)} on {game.map}"
        return replay_in_base_64(replace(course, seats=names, title=title, message=message))
    except (OSError, UserError):
        return ""


def lost_games(context: Context) -> Response:
    """Why the team didn't win: what its explained games have in common, and the form to ask about more."""
    _check_on(context)
    rows = of_team(context.database, context.team, MOST_SHOWN)
    places = {int(row["place"]) for row in rows}
    games = [game for place in sorted(places, reverse=True) if (game := context.games.game(place)) is not None]
    with_replay = context.games.with_replays(games) if games else set()
    explained: dict[int, list[Explained]] = {}
    for view in game_views(context, [game for game in games if game.place in with_replay], context.team):
        own = [each for each in _explanations(context, view.game, view) if each.seat in own_seats(context, view.game)]
        if own:
            explained[view.game.place] = own
    name = one_line(str(context.own_team["name"]))
    # Its versions are one team here.
    explained_games = {place: [_of_team(each, name) for each in several] for place, several in explained.items()}
    return context.page(
        "lost_games.html",
        page="me",
        here=context.path("/"),
        team_page=lambda name: context.path("/me"),
        waiting=sum(row["state"] in WAITS for row in rows),
        failed=[row for row in rows if row["state"] == "failed" and row["place"] in with_replay][:5],
        refusal=refusal_to_ask(context, context.team),
        offered=len(_offered(context)),
        **why_page(name, explained_games),
    )


def _of_team(explained: Explained, name: str) -> Explained:
    return msgspec.structs.replace(explained, team=name)


def _offered(context: Context) -> Sequence[tuple[LeagueGame, int]]:
    """The team's newest games that it didn't win, and about which nobody has asked yet."""
    versions = [row["id"] for row in context.database.rows("SELECT id FROM versions WHERE team = ?", context.team)]
    games = [game for game in context.games.last_of(versions, MOST_OFFERED) if game.kind == "rated"]
    with_replay = context.games.with_replays(games) if games else set()
    return [
        (game, seat)
        for game in games
        if game.place in with_replay
        for seat in own_seats(context, game)
        if not_won(game, seat) and question_about(context.database, game.place, seat) is None
    ]


def ask(context: Context) -> Response:
    """Ask why the own team didn't win a game, or have it looked at further."""
    _check_on(context)
    game, seat = game_of(context), whole_number(str(context.form.get("seat", "")), 3)
    if seat not in own_seats(context, game):
        raise missing("game")
    if game.place not in context.games.with_replays([game]):
        raise RequestRefusedError(409, "The replay of this game is no longer stored, so the league can't explain it.")
    view = game_views(context, [game], context.team)[0]
    with context.writing():
        # Here, as sixty may ask at the same moment.
        about = next((each for each in asked_about(context, game, [seat], view.sides)), None)
        if about is None:
            raise RequestRefusedError(
                409, "There is nothing to explain: that team won, its own code failed, or the game doesn't count."
            )
        if about.refusal:
            raise RequestRefusedError(429, f"{about.refusal}.")
        if about.can_ask:
            ask_why(context.database, game, seat, about.side["team"], by_staff=context.is_staff)
            context.log("asked why", game=game.place, seat=seat)
    return context.go(f"/games/{game.place}")


def ask_for_staff(context: Context) -> Response:
    """Ask why any team didn't win a game; that takes nothing of what the team may ask."""
    return ask(context)


def ask_about_newest(context: Context) -> Response:
    """Ask about the team's newest games that it didn't win, as many as may wait at once."""
    _check_on(context)
    with context.writing():
        for game, seat in _offered(context):
            if refusal_to_ask(context, context.team):
                break
            ask_why(context.database, game, seat, context.team, by_staff=False)
            context.log("asked why", game=game.place, seat=seat)
    return context.go("/me/lost-games")


def _check_on(context: Context) -> None:
    if not context.app.settings.analysis_seconds:
        raise missing()


PAGES: Final = (
    # Before the page of games that answers with all other scripts.
    Page("/data/why-{place}.js", "public", data),
    Page("/games/{place}/why", "team", ask, methods=("POST",)),
    Page("/staff/games/{place}/why", "staff", ask_for_staff, methods=("POST",)),
    Page("/me/lost-games", "team", lost_games),
    Page("/me/lost-games", "team", ask_about_newest, methods=("POST",)),
)
