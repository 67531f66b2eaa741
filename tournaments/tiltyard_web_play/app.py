"""The routes of games in the browser, all below ``/play/``. Those that change something take JSON from the site's own page."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import Mapping
from functools import partial
from importlib.resources import files
from typing import Any, Final

from anyio import to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from tiltyard_engine.errors import UserError
from tiltyard_engine.results import Fault
from tiltyard_engine.texts.public_text import public_text
from tiltyard_simulator.replays.encoding import encode
from tiltyard_site.pages.labels import harmless, line
from tiltyard_site.pages.replay_scripts import compressed_replay, script, theme_value
from tiltyard_site.web.addresses import is_local, name_in
from tiltyard_site.web.answers import HEADERS, marked_answer, type_of
from tiltyard_site.web.app import guarded_app
from tiltyard_web_play.lobby import Lobby
from tiltyard_web_play.orders import address_of, take_order
from tiltyard_web_play.table import GameTable, TableQuestion

PREFIX: Final = "/play/"
POLL_SECONDS: Final = 20.0
"""How long an answer waits for something new."""
LOOK_SECONDS: Final = 0.03
SITE_ASSETS: Final = frozenset(
    {"site.css", "viewer.css", "icon.svg"}
    | {f"{name}.js" for name in ("appearance", "tiltyard", "replays", "timeline", "shapes", "board", "sidebar", "growth", "panels")}
)
"""What the page takes of the site's."""


def play_routes(lobby: Lobby) -> list[Route]:
    """The routes of a lobby, for an application that has others as well."""
    return [
        Route(PREFIX, partial(_asset, "play.html")),
        Route(f"{PREFIX}data/theme.js", partial(_theme, lobby)),
        Route(f"{PREFIX}lobby", partial(_lobby, lobby)),
        asset_route(),
        Route(f"{PREFIX}tables", partial(_open, lobby), methods=["POST"]),
        Route(f"{PREFIX}tables/{{table}}", partial(_state, lobby)),
        Route(f"{PREFIX}tables/{{table}}/replay", partial(_replay, lobby)),
        Route(f"{PREFIX}tables/{{table}}/{{action}}", partial(_act, lobby), methods=["POST"]),
    ]


def asset_route() -> Route:
    """The route of the files that pages with something for visitors need."""
    return Route(f"{PREFIX}assets/{{name}}", _any_asset)


def play_app(lobby: Lobby, local: bool) -> Starlette:
    """An application with these routes alone; ``/`` leads to the page.

    Args:
        lobby: the tables.
        local: whether only this machine may reach it.
    """
    return guarded_app(
        [Route("/", lambda request: RedirectResponse(PREFIX)), *play_routes(lobby)],
        HEADERS,
        lambda host: not local or not host or is_local(name_in(host)),
        lambda request: PlainTextResponse("This page can only be opened on this machine.\n", 421),
    )


async def _asset(name: str, request: Request) -> Response:
    content = files(__package__).joinpath("assets", name).read_bytes()
    return marked_answer(request.headers.get("If-None-Match", ""), content, type_of(name))


async def _any_asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name in SITE_ASSETS:
        content = files("tiltyard_site.pages").joinpath("assets", name).read_bytes()
        return marked_answer(request.headers.get("If-None-Match", ""), content, type_of(name))
    if name in ("play.js", "play.css", "try.js"):
        return await _asset(name, request)
    return PlainTextResponse("There is no such file.\n", 404)


async def _theme(lobby: Lobby, request: Request) -> Response:
    content = script("theme", theme_value(lobby.venue.game.display.theme))
    return marked_answer(request.headers.get("If-None-Match", ""), content, type_of("theme.js"))


async def _lobby(lobby: Lobby, request: Request) -> Response:
    venue, options = lobby.venue, lobby.options
    return JSONResponse(
        {
            "title": line(venue.title),
            "game": venue.game.name,
            "opponents": list(venue.opponents),
            "maps": list(venue.maps),
            "seats": venue.seats,
            "home": venue.home,
            "clock": options.clock_seconds,
            "idle": options.idle_seconds,
            "undo": options.takes_back,
        }
    )


async def _open(lobby: Lobby, request: Request) -> Response:
    def open_table(order: dict[str, Any]) -> object:
        names, seat, map_name = order.get("names"), order.get("seat"), order.get("map")
        if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
            raise UserError("names: expected a list of names, seat 1 first")
        if not (isinstance(seat, int) and isinstance(map_name, str)):
            raise UserError("seat and map: expected a number and a name")
        return {"table": lobby.open(address_of(request), names, seat, map_name)}

    return await take_order(request, open_table)


async def _act(lobby: Lobby, request: Request) -> Response:
    table_name, action = request.path_params["table"], request.path_params["action"]

    def act(order: dict[str, Any]) -> object:
        table, number = lobby.find(table_name), order.get("question")
        if not isinstance(number, int):
            raise UserError("question: expected the number of the question")
        if action == "answer":
            texts = order.get("answers")
            if not (isinstance(texts, list) and all(isinstance(text, str) for text in texts)):
                raise UserError("answers: expected a list of texts")
            table.give(number, texts)
        elif action == "undo":
            table.take_back(number)
        elif action == "resign":
            table.resign(number)
        else:
            raise UserError(f"{action!r:.40}: expected answer, undo or resign")
        return {}

    return await take_order(request, act)


async def _state(lobby: Lobby, request: Request) -> Response:
    try:
        table = lobby.find(request.path_params["table"])
    except UserError as error:
        return JSONResponse({"error": str(error)}, 404)
    before = request.query_params.get("after", "")
    until = time.monotonic() + POLL_SECONDS
    while str(table.version) == before and time.monotonic() < until and not request.app.state.is_stopping():
        await asyncio.sleep(LOOK_SECONDS)
    return JSONResponse(await to_thread.run_sync(_state_value, table), headers={"Cache-Control": "no-store"})


def _state_value(table: GameTable) -> dict[str, Any]:
    version, board, question, result, problem = table.look()
    seconds = table.seconds_left()
    return {
        "version": version,
        "names": [line(name) for name in table.names],
        "seat": table.seat,
        "board": base64.b64encode(compressed_replay(board)).decode() if board.shows_anything else "",
        "question": None if question is None else _question_value(question, table.tank_squares()),
        "news": [[turn, line(text, 400)] for turn, text in table.news()],
        "clock": None if seconds is None else round(seconds, 1),
        "takes_back": table.options.takes_back and bool(question and question.number > 1),
        "result": None
        if result is None
        else {
            "message": line(result.message),
            "winner": result.winner,
            "faults": [_fault_text(table, fault) for fault in result.faults],
        },
        "problem": harmless(public_text(problem)),
    }


def _fault_text(table: GameTable, fault: Fault) -> str:
    who = line(table.names[fault.seat - 1]) if fault.seat else "GameManager"
    return f"{who}: {fault.termination.value}" + (f": {line(fault.message, 400)}" if fault.message else "")


def _question_value(question: TableQuestion, squares: Mapping[int, int]) -> dict[str, Any]:
    legal = question.choices
    return {
        "number": question.number,
        "units": [[tank, squares.get(tank)] for tank in question.units],
        "all": legal.is_all,
        "choices": [[line(choice.text, 400), list(choice.squares)] for choice in legal.choices],
    }


async def _replay(lobby: Lobby, request: Request) -> Response:
    try:
        replay = lobby.find(request.path_params["table"]).replay()
    except UserError as error:
        return PlainTextResponse(f"{error}\n", 404)
    if replay is None:
        return PlainTextResponse("The game isn't over yet.\n", 404)
    name = f"{lobby.venue.game.name.replace('/', '-')}.replay"
    content = await to_thread.run_sync(encode, replay)
    kind = {"Content-Type": "application/octet-stream", "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=kind)
