"""What every request passes: who is it, may they, does the request come from a page of ours, is it not too much."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from tiltyard_engine.errors import UserError
from tiltyard_league.database.database import DATABASE, Database
from tiltyard_league.database.log_lines import print_event
from tiltyard_league.database.state import THEME
from tiltyard_league.database.tokens import Holder, holder_of
from tiltyard_league.rating.history import HISTORY
from tiltyard_league.rating.standing import FROZEN, STANDING
from tiltyard_league.web.http.context import SESSION, App, Audience, Context, NotYet, RequestRefusedError, missing
from tiltyard_league.web.http.limits import LONGEST_FORM, BodyTooLargeError, BodyTooSlowError, Buckets, Receive, bounded
from tiltyard_league.web.http.page_cache import ChangeWatch, PageCache, Stamp
from tiltyard_site.web.addresses import is_local, name_in
from tiltyard_tournaments.store import STORE_NAME

SAFE: Final = ("GET", "HEAD")
MOST_FIELDS: Final = 20
BUSY_MOST, BUSY_SECONDS = 3000, 60.0
"""Requests of one address: enough for a lecture of sixty behind one router, each waiting for a report in a browser."""
UNREAD_BYTES, UNREAD_SECONDS = 64 << 20, 10.0
"""Of a refused upload, read and thrown away."""
LONGEST_WAIT: Final = 25.0
"""Seconds. Web servers in front give up after 60."""
LOOK_SECONDS: Final = 0.25
MOST_WAITING: Final = 300
"""Requests that wait at once; others are answered with what there is."""
Answer = Callable[[Context], Response]
Take = Callable[[App, Request, Holder], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Page:
    """An address of the league, and who may ask for it."""

    path: str
    audience: Audience
    answer: Answer
    methods: tuple[str, ...] = ("GET",)
    is_api: bool = False
    """For programs: signed in by a token in the header alone, and answered in JSON."""
    has_session: bool = True
    """False: a form that is sent before anybody is signed in. It is still refused from other sites."""
    signs_in: bool = False
    """Whether guessing is to be slowed down: an address that isn't there counts against whoever asks for it."""
    most: int = LONGEST_FORM
    """Bytes of its form."""
    is_cached: bool = False
    """Whether it is the same for all who aren't signed in, until something is written."""
    for_all: bool = False
    """Whether those who are signed in get it as well as it is for all others, such as what is shown in a hall."""


class AccessControl:
    """Answers requests for pages.

    Args:
        app: what pages need.
    """

    def __init__(self, app: App) -> None:
        self._app = app
        folder = app.folder
        files = tuple(folder / name for name in (STANDING, FROZEN, HISTORY, THEME))
        self._pages = PageCache(ChangeWatch((folder / DATABASE, app.settings.results / STORE_NAME), files))
        self._all = Buckets(BUSY_MOST, BUSY_SECONDS)
        self._joins = Buckets(app.settings.keys.join_limit, 60.0)
        self._changes = ChangeWatch((folder / DATABASE,), ())
        self._waiting = 0
        parts = urlsplit(app.address)
        self._host = parts.netloc.lower()
        self._origin = f"{parts.scheme}://{parts.netloc}".lower() if app.address else ""

    def route(self, page: Page) -> Route:
        """The route of a page."""

        async def answer(request: Request) -> Response:
            return await self._answer(page, request)

        return Route(page.path, answer, methods=list(page.methods))

    async def no_such_page(self, request: Request, error: Exception) -> Response:
        """The answer where no page is, or none for this method: a page that says so, in the league's own look."""
        headers = error.headers if isinstance(error, HTTPException) and error.status_code == 405 else None
        answer = _no_such_page if headers is None else lambda context: _wrong_method(headers)
        page = Page(request.url.path, "public", answer, is_api=self._is_api(request))
        return await self._answer(page, request, has_form=False)

    def is_ours(self, host: str) -> bool:
        """Whether a ``Host`` header names this league."""
        if self._host:
            return host == self._host or is_local(name_in(host))
        return not self._app.local or is_local(name_in(host))

    def refuse_host(self, request: Request) -> Response:
        """The answer to what was sent to another name."""
        place = f"is at {self._app.address}" if self._host else "can only be opened on this machine"
        return _failed(request, RequestRefusedError(421, f"This league {place}."), self._is_api(request))

    def _is_api(self, request: Request) -> bool:
        return request.url.path.startswith(f"{self._app.root}/api/")

    async def through(
        self, request: Request, audience: Audience, work: Callable[[Context], Awaitable[Response]], is_api: bool
    ) -> Response:
        """Answer where a body is read by ``work`` itself: it is called with the context, whose database it must not keep."""
        receive = request.receive
        try:
            self._check_load(request)
            context = await run_in_threadpool(self._enter, request, is_api)
            try:
                self._check_audience(context, audience, is_api)
                if not is_api and request.method not in SAFE:
                    self._check_origin(request)
                return self._finished(context, await work(context))
            except Exception as error:
                await _read_on(receive)
                refusal = _refusal(request, error)
                if is_api:
                    raise refusal from error
                return self._finished(context, await run_in_threadpool(_page_of, context, refusal))
            finally:
                context.close()
        except Exception as error:
            return _failed(request, error, is_api)

    async def _answer(self, page: Page, request: Request, *, has_form: bool = True) -> Response:
        try:
            self._check_load(request)
            if page.signs_in:
                _take(self._joins, request, 0)
            form = None
            if request.method not in SAFE and has_form:
                if not page.is_api:
                    self._check_origin(request)
                request._receive = bounded(request._receive, page.most)
                form = await request.form(max_files=0, max_fields=MOST_FIELDS)
            answer = await self._awaited(page, request, form)
            if page.signs_in and answer.status_code == 404:
                _take(self._joins, request)
        except Exception as error:
            return _failed(request, error, page.is_api)
        return answer

    async def _awaited(self, page: Page, request: Request, form: object) -> Response:
        """The answer; with ``?wait=SECONDS`` the one that comes instead of a ``NotYet`` meanwhile.

        Between two looks it has neither a thread nor a database: a whole course may wait at once.
        """
        until = time.monotonic() + _wait_of(request)
        while True:
            stamp = self._changes.stamp()
            answer = await run_in_threadpool(self._work, page, request, form)
            if not isinstance(answer, NotYet) or time.monotonic() >= until or self._waiting >= MOST_WAITING:
                return answer
            self._waiting += 1
            try:
                if not await self._change_after(stamp, until, request):
                    return answer
            finally:
                self._waiting -= 1

    async def _change_after(self, stamp: Stamp | None, until: float, request: Request) -> bool:
        """Wait until somebody has written the league's database, or for the end; false: who waited, or the server, goes."""
        while not (request.app.state.is_stopping() or await request.is_disconnected()):
            await asyncio.sleep(LOOK_SECONDS)
            if stamp is None or self._changes.stamp() != stamp or time.monotonic() >= until:
                return True
        return False

    def _work(self, page: Page, request: Request, form: object) -> Response:
        if page.is_cached and (page.for_all or SESSION not in request.cookies):
            return self._from_cache(page, request)
        context = self._enter(request, page.is_api)
        try:
            self._check_audience(context, page.audience, page.is_api)
            if form is not None:
                context.form = form  # type: ignore[assignment]
                if page.has_session and not page.is_api:
                    self.check_csrf(context, str(context.form.get("csrf", "")))
            return self._finished(context, page.answer(context))
        except RequestRefusedError as error:
            if page.is_api:
                raise
            return self._finished(context, _page_of(context, error))
        finally:
            context.close()

    def _from_cache(self, page: Page, request: Request) -> Response:
        """A page for everybody, made only if it is not known already."""
        address, etag = (
            f"{request.headers.get('Host', '')}{request.url.path}?{request.url.query}",
            request.headers.get("If-None-Match", ""),
        )
        stamp = self._pages.stamp()
        response = self._pages.find(address, stamp, etag)
        if response is None:
            context = self._enter(request, is_api=False, is_stranger=True)
            # Whether the visitor has this answer is seen here.
            context.etag = ""
            try:
                response = self._pages.keep(address, stamp, page.answer(context), etag)
            except RequestRefusedError as error:
                response = _page_of(context, error)
            finally:
                context.close()
        return response

    def _enter(self, request: Request, is_api: bool, *, is_stranger: bool = False) -> Context:
        database = Database(self._app.folder)
        try:
            if is_stranger:
                token, holder = "", None
            elif is_api:
                scheme, _, token = request.headers.get("Authorization", "").partition(" ")
                token = token.strip() if scheme.lower() == "bearer" else ""
                # The link of the team lets in as well: whoever has it can make a token.
                holder = holder_of(database, token, "upload", "invite") if token else None
            else:
                token = request.cookies.get(SESSION, "")
                holder = holder_of(database, token, "session") if token else None
            return Context(self._app, request, database, holder, token if holder is not None else "")
        except BaseException:
            database.close()
            raise

    def _finished(self, context: Context, response: Response) -> Response:
        secure = "https" in (self._app.address.partition("://")[0], context.request.url.scheme)
        for name, value, seconds in context.cookies:
            response.set_cookie(
                name, value, max_age=seconds, path=f"{self._app.root}/", secure=secure, httponly=True, samesite="lax"
            )
        if context.holder is not None:
            response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    # What is checked

    def _check_load(self, request: Request) -> None:
        _take(self._all, request)

    def _check_audience(self, context: Context, audience: Audience, is_api: bool) -> None:
        if audience == "public" or (context.is_staff and audience == "staff"):
            return
        if audience == "staff":
            # Whoever is no staff needn't know that there is such a page.
            raise missing()
        if context.team:
            return
        if is_api:
            text = "unknown token; make one on your team's page, and set TILTYARD_TOKEN to it, or enter it when you are asked"
            raise RequestRefusedError(401, text, {"WWW-Authenticate": "Bearer"})
        raise RequestRefusedError(403, "Open your team's invite link first. If you don't have it, ask the staff.")

    def _check_origin(self, request: Request) -> None:
        """That a form was sent by a page of this league, and not by one elsewhere."""
        site = request.headers.get("Sec-Fetch-Site")
        if site is not None and site not in ("same-origin", "none"):
            raise _foreign()
        origin = request.headers.get("Origin")
        if origin is not None:
            own = {self._origin, f"{request.url.scheme}://{request.headers.get('Host', '')}".lower()} - {""}
            if origin.lower() not in own:
                raise _foreign()

    def check_csrf(self, context: Context, word: str) -> None:
        """That a form has what only pages of this session contain.

        Raises:
            RefusedError: it has not.
        """
        if not context.csrf or not hmac.compare_digest(word.encode(), context.csrf.encode()):
            raise _foreign()


def _refusal(request: Request, error: Exception) -> RequestRefusedError:
    """What whoever asked is told of an error."""
    match error:
        case RequestRefusedError():
            return error
        case BodyTooLargeError():
            return RequestRefusedError(413, "The request is too large.")
        case BodyTooSlowError():
            return RequestRefusedError(408, "The request took too long to arrive. Send it again.")
        case HTTPException() | ClientDisconnect():
            return RequestRefusedError(400, "The form could not be read. Open the page again.")
        case UserError():
            emit("request failed", path=request.url.path, reason=str(error))
            return RequestRefusedError(503, "The league's data can't be read now. Try again in a moment.", {"Retry-After": "5"})
        case _:
            emit("request failed", path=request.url.path, reason=f"{type(error).__name__}: {error}")
            return RequestRefusedError(
                500, "Something went wrong on the server. Try again. If it happens again, tell the staff when it happened."
            )


def _failed(request: Request, error: Exception, is_api: bool) -> Response:
    refusal = _refusal(request, error)
    if is_api:
        return JSONResponse({"error": refusal.text}, refusal.status, refusal.headers)
    return PlainTextResponse(f"{refusal.text}\n", refusal.status, refusal.headers)


async def _read_on(receive: Receive) -> None:
    """Take in what still comes of a refused upload: who can't send it to its end doesn't read the answer."""
    with suppress(BodyTooLargeError, BodyTooSlowError):
        rest = bounded(receive, UNREAD_BYTES, UNREAD_SECONDS)
        while (message := await rest()).get("more_body") and message["type"] == "http.request":
            pass


def _no_such_page(context: Context) -> Response:
    raise missing()


def _wrong_method(headers: Mapping[str, str]) -> Response:
    raise RequestRefusedError(405, f"This address accepts only {headers.get('Allow', 'nothing')}.", headers)


def _page_of(context: Context, error: RequestRefusedError) -> Response:
    response = context.page("refused.html", status=error.status, text=error.text)
    response.headers.update(error.headers)
    return response


def _take(buckets: Buckets, request: Request, number: int = 1) -> None:
    if seconds := buckets.take(request.client.host if request.client else "", number):
        raise RequestRefusedError(429, "Too many requests. Try again in a moment.", {"Retry-After": str(int(seconds) + 1)})


def _wait_of(request: Request) -> float:
    """How many seconds somebody waits for an answer."""
    seconds = request.query_params.get("wait", "")
    return min(LONGEST_WAIT, float(seconds)) if seconds.isascii() and seconds.isdigit() else 0.0


def _foreign() -> RequestRefusedError:
    return RequestRefusedError(403, "This form wasn't sent from a page of this league. Open the page again, and send it there.")


def emit(event: str, **fields: object) -> None:
    """A line of the log. It never has a query, a cookie or a header: those hold tokens."""
    # The path of an invite link is one.
    if str(fields.get("path", "")).find("/join/") >= 0:
        fields["path"] = "/join/…"
    print_event("door", event, **fields)


_STARTED_AT: Final = time.monotonic()


def up_seconds() -> float:
    """How long this process has run."""
    return time.monotonic() - _STARTED_AT
