"""Taking uploads: the browser's form and the body that ``tiltyard hand-in`` sends both end as bytes in a folder and a row."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tiltyard_engine.texts.public_text import public_text
from tiltyard_intake.command.deadlines import in_both_zones
from tiltyard_league.database.clock import here
from tiltyard_league.database.versions import Quota, add_version, newest_of, quota
from tiltyard_league.submissions.upload import DiskFullError, TooLargeError, Upload, receive_upload, shown_name
from tiltyard_league.web.http.access import AccessControl, Page, emit
from tiltyard_league.web.http.context import Context, RequestRefusedError, whole_number
from tiltyard_league.web.http.limits import BODY_SECONDS, bounded
from tiltyard_site.pages.labels import counted, line

FORM_EXTRA: Final = 64 * 1024
"""Bytes of a form beside its file."""
LONGEST_NOTE: Final = 200
LEAST_RATE: Final = 20_000
"""Bytes a second; who sends more slowly than this for a whole upload is told to try again."""
CHUNK: Final = 1 << 16
MOST_AT_ONCE: Final = 3
"""Uploads of one team on their way at once: its members, and no crowd that fills the disk with what is then refused."""


def _never(context: Context) -> Response:
    """The pages below are answered by routes of their own, which read bodies themselves; they are listed for their access."""
    raise AssertionError(context)


UPLOAD_FORM: Final = Page("/me/versions", "team", _never, methods=("POST",))
UPLOAD_API: Final = Page("/api/versions", "team", _never, methods=("PUT",), is_api=True)
PAGES: Final = (UPLOAD_FORM, UPLOAD_API)


def routes(access: AccessControl) -> list[Route]:
    """The routes that take uploads."""
    coming: Counter[int] = Counter()

    async def by_form(context: Context) -> Response:
        with _one_more(coming, context.team):
            return await _by_form(access, context)

    async def by_api(context: Context) -> Response:
        with _one_more(coming, context.team):
            return await _by_api(context)

    async def form(request: Request) -> Response:
        return await access.through(request, UPLOAD_FORM.audience, by_form, is_api=False)

    async def api(request: Request) -> Response:
        return await access.through(request, UPLOAD_API.audience, by_api, is_api=True)

    return [
        Route(UPLOAD_FORM.path, form, methods=list(UPLOAD_FORM.methods)),
        Route(UPLOAD_API.path, api, methods=list(UPLOAD_API.methods)),
    ]


@contextlib.contextmanager
def _one_more(coming: Counter[int], team: int) -> Iterator[None]:
    """One more upload of a team is on its way.

    Raises:
        RefusedError: there are too many already.
    """
    if coming[team] >= MOST_AT_ONCE:
        raise RequestRefusedError(
            429, f"Your team is handing in {MOST_AT_ONCE} files right now. Wait until one has arrived.", {"Retry-After": "5"}
        )
    coming[team] += 1
    try:
        yield
    finally:
        coming[team] -= 1
        if not coming[team]:
            del coming[team]


async def _by_form(access: AccessControl, context: Context) -> Response:
    most = context.app.settings.keys.largest_upload
    request = context.request
    length = _length_of(request)
    # Whoever may not hand in is told so before the bytes come.
    if not await run_in_threadpool(_may_be_again, context, range(length - FORM_EXTRA, length)):
        await run_in_threadpool(_check_open, context)
    request._receive = bounded(request._receive, most + FORM_EXTRA, BODY_SECONDS + most / LEAST_RATE)
    async with request.form(max_files=1, max_fields=5) as fields:
        access.check_csrf(context, str(fields.get("csrf", "")))
        file = fields.get("file")
        if not isinstance(file, UploadFile) or not file.filename:
            raise RequestRefusedError(400, "Choose a file to hand in.")
        note = line(str(fields.get("note", "")), LONGEST_NOTE)

        async def chunks() -> AsyncIterator[bytes]:
            while piece := await file.read(CHUNK):
                yield piece

        number, _ = await _keep(context, chunks(), file.filename, note)
    return context.go(f"/me/versions/{number}")


async def _by_api(context: Context) -> Response:
    most = context.app.settings.keys.largest_upload
    request = context.request
    length = _length_of(request)
    sent_digest = request.headers.get("X-Digest", "")
    if not await run_in_threadpool(_may_be_again, context, range(length, length + 1), sent_digest):
        await run_in_threadpool(_check_open, context)
    if length > most:
        raise RequestRefusedError(
            413, f"larger than {most:,} bytes; leave out files that aren't needed to play, such as pictures or builds"
        )
    request._receive = bounded(request._receive, most + 1, BODY_SECONDS + most / LEAST_RATE)
    name = request.headers.get("X-Name", "upload")
    note = line(request.headers.get("X-Note", ""), LONGEST_NOTE)
    number, digest = await _keep(context, request.stream(), name, note, sent_digest)
    return JSONResponse({"number": number, "digest": digest}, 201)


async def _keep(context: Context, chunks: AsyncIterator[bytes], name: str, note: str, sent_digest: str = "") -> tuple[int, str]:
    """Store the bytes, then the row: when this returns, both survive whatever comes."""
    keys = context.app.settings.keys
    try:
        with receive_upload(context.app.folder, keys.largest_upload, keys.least_free) as upload:
            async for chunk in chunks:
                await run_in_threadpool(upload.write, chunk)
            if not upload.size:
                raise RequestRefusedError(400, "The file is empty.")
            if sent_digest and sent_digest != upload.digest:
                raise RequestRefusedError(
                    400, "The upload was changed on the way: its digest isn't the one in X-Digest. Send it again."
                )
            number = await run_in_threadpool(_row, context, upload, shown_name(name), note)
            return number, upload.digest
    except TooLargeError as error:
        raise RequestRefusedError(413, f"The upload is {error}") from error
    except DiskFullError as error:
        raise RequestRefusedError(507, f"{error}".capitalize()) from error


def _row(context: Context, upload: Upload, name: str, note: str) -> int:
    member = None if context.holder is None else context.holder.member
    # Before others have to wait for the database.
    upload.sync()
    with context.writing():
        # Whoever didn't get the answer sends it again, whenever that is.
        newest = newest_of(context.database, context.team)
        if newest is not None and newest["upload"] == upload.digest:
            return int(newest["number"])
        # Two uploads at once may both have been let in.
        late = _check_open(context)
        upload.keep()
        number, _ = add_version(
            context.database, context.team, upload=upload.digest, name=name, size=upload.size, member=member, note=note, late=late
        )
    emit("upload", team=context.team, number=number, size=upload.size, digest=upload.digest)
    return number


def _length_of(request: Request) -> int:
    """How many bytes are said to come; 0 if that isn't said."""
    return whole_number(request.headers.get("Content-Length", ""))


def _may_be_again(context: Context, sizes: range, digest: str = "") -> bool:
    """Whether these may be the bytes of the team's newest version again, as far as that can be told before they come."""
    newest = newest_of(context.database, context.team)
    return newest is not None and (digest == newest["upload"] if digest else newest["size"] in sizes)


def why_closed(context: Context) -> str:
    """Why nothing can be handed in now; empty: it can, as far as the team's quota goes."""
    settings = context.app.settings
    if context.own_team["state"] != "active":
        return f"Your team is {context.own_team['state']}: {context.own_team['reason']}".rstrip(": ") + "."
    if context.stopped:
        return f"The league is {context.stopped}; teams can't hand in now."
    if settings.end is not None and here() > settings.end:
        return f"The deadline has passed. Handing in ended at {in_both_zones(settings.end)}."
    return ""


def is_late(context: Context) -> bool:
    """Whether what comes now is marked as late."""
    deadline = context.app.settings.deadline
    return deadline is not None and here() > deadline


def used_up(context: Context, team_quota: Quota) -> str:
    """That the team has nothing left to hand in with; empty: it has."""
    if team_quota.left:
        return ""
    times = counted(context.app.settings.keys.uploads_a_day, "time")
    again = in_both_zones(datetime.fromisoformat(team_quota.next_at))
    return f"Your team has handed in {times} within 24 hours. It can hand in again at {again}."


def _check_open(context: Context) -> bool:
    """That the team can hand in now; whether that is late.

    Raises:
        RefusedError: it can't, and why.
    """
    if why := why_closed(context):
        raise RequestRefusedError(403, why)
    team_quota = quota(context.database, context.team, context.app.settings.keys.uploads_a_day)
    if text := used_up(context, team_quota):
        raise RequestRefusedError(429, text, {"Retry-After": "3600"})
    return is_late(context)


def version_value(row: Any) -> dict[str, Any]:
    """A version for programs."""
    return {
        "number": row["number"],
        "digest": row["upload"],
        "state": row["state"],
        "reason": public_text(row["reason"]),
        "late": bool(row["late"]),
        "uploaded_at": row["uploaded_at"],
    }
