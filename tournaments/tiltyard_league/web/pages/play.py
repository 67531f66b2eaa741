"""Games by hand, and other answers in replays: what members of teams ask is passed on to the process of the tables.

Nothing is played here, and no game or team is loaded. The other process is told who asks, and nothing else of them.
"""

from __future__ import annotations

import asyncio
from typing import Final
from urllib.parse import quote

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tiltyard_league.database.state import TEAM, VISITOR, socket_path
from tiltyard_league.web.http.access import AccessControl, Answer, Page
from tiltyard_league.web.http.context import Context, RequestRefusedError, missing
from tiltyard_league.web.http.limits import bounded
from tiltyard_league.web.pages.games import game_of

LARGEST_ORDER: Final = 20_000
LARGEST_ANSWER: Final = 16 << 20
PATIENCE_SECONDS: Final = 55.0
"""Longer than an answer waits for something new. Web servers in front give up after 60."""
MOST_AT_ONCE: Final = 60
"""Requests that wait for the tables, of all visitors."""
PASSED_ON: Final = ("Content-Type", "If-None-Match")
PASSED_BACK: Final = ("content-type", "content-disposition", "etag", "cache-control")


def _from_tables(about: str) -> Answer:
    """What stands here instead of an answer that the tables give."""

    def answer(context: Context) -> Response:
        raise AssertionError(context)

    answer.__doc__ = about
    return answer


PAGES: Final = (
    Page("/play/", "team", _from_tables("Where members of a team play against others by hand, if `play` says so.")),
    Page("/play/lobby", "team", _from_tables("Who can be played against, and on which maps.")),
    Page("/play/data/theme.js", "team", _from_tables("The game's looks, for that page.")),
    Page("/play/assets/{name}", "team", _from_tables("A style or a script of that page.")),
    Page("/play/tables", "team", _from_tables("Begin a game; a team has one at once."), methods=("POST",)),
    Page("/play/tables/{table}", "team", _from_tables("A game as it stands; its name can't be guessed.")),
    Page("/play/tables/{table}/replay", "team", _from_tables("The replay of a game that is over.")),
    Page("/play/tables/{table}/{action}", "team", _from_tables("Answer, take a move back, or resign."), methods=("POST",)),
    Page(
        "/play/try/{place}/answers",
        "team",
        _from_tables("What a team could have answered in a turn of a game whose replay the visitor sees."),
        methods=("POST",),
    ),
    Page("/play/try/{place}/course", "team", _from_tables("How such a game goes with another answer."), methods=("POST",)),
)
"""Only where the league's file allows it."""


def routes(access: AccessControl) -> list[Route]:
    """The routes that lead to the tables."""
    waiting = asyncio.Semaphore(MOST_AT_ONCE)

    async def pass_on(context: Context) -> Response:
        if "place" in context.request.path_params:
            await run_in_threadpool(_check_replay, context)
        context.close()
        if waiting.locked():
            raise RequestRefusedError(503, "Too many people are playing now. Try again soon.", {"Retry-After": "10"})
        async with waiting:
            return await _pass_on(context)

    async def work(context: Context) -> Response:
        try:
            return await pass_on(context)
        except RequestRefusedError as error:
            if context.request.method != "POST":
                raise
            # A script of the page asks, and shows the reason where the visitor looks.
            return JSONResponse({"error": error.text}, error.status, error.headers)

    async def answer(request: Request) -> Response:
        return await access.through(request, "team", work, is_api=False)

    return [Route(page.path, answer, methods=list(page.methods)) for page in PAGES]


def _check_replay(context: Context) -> None:
    """That the visitor sees the replay of a game.

    Raises:
        RefusedError: there is no such game, it is still kept back, or its replay isn't kept.
    """
    game = game_of(context)
    if game.place not in context.games.with_replays([game]):
        raise missing("replay")


async def _pass_on(context: Context) -> Response:
    """Ask the tables, and pass their answer back.

    Raises:
        RefusedError: they don't answer.
    """
    request = context.request
    request._receive = bounded(request._receive, LARGEST_ORDER)
    body = await request.body()
    # As it was asked for, below the league's own path. What was decoded of it could hold a line's end.
    path = quote(request.url.path[request.url.path.rindex("/play/") :])
    target = f"{path}?{request.url.query}" if request.url.query else path
    lines = [f"{request.method} {target} HTTP/1.1", "Host: localhost", "Connection: close", f"{VISITOR}: {TEAM}{context.team}"]
    lines += [f"{name}: {request.headers[name]}" for name in PASSED_ON if name in request.headers]
    lines += [f"Content-Length: {len(body)}", "", ""]
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            answer = await _exchange(context, "\r\n".join(lines).encode("latin-1") + body)
    except TimeoutError:
        raise RequestRefusedError(503, "The machine is busy. Try again in a minute.", {"Retry-After": "60"}) from None
    except (OSError, EOFError, ValueError):
        raise RequestRefusedError(503, "Playing isn't available right now. Try again in a moment.", {"Retry-After": "5"}) from None
    return answer


async def _exchange(context: Context, request: bytes) -> Response:
    with socket_path(context.app.folder) as path:
        reader, writer = await asyncio.open_unix_connection(path)
    try:
        writer.write(request)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
        size = int(headers.get("content-length", 0))
        if size > LARGEST_ANSWER:
            raise ValueError(f"an answer of {size} bytes")
        content = await reader.readexactly(size) if context.request.method != "HEAD" else b""
    finally:
        writer.close()
    back: dict[str, str] = {name: headers[name] for name in PASSED_BACK if name in headers}
    return Response(content, int(head[0].split()[1]), back)
