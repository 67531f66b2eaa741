"""Answers as gzip for browsers that can read it, each compressed once."""

from __future__ import annotations

import gzip
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tiltyard_site.web.bounded_cache import BoundedCache

LEAST_COMPRESSED: Final = 1000
"""Bytes from which on an answer is compressed."""
MOST_KEPT: Final = 32 << 20
"""Bytes of compressed answers that are kept."""
TEXT: Final = ("text/", "application/json", "image/svg")
"""The beginnings of types that become smaller when they are compressed."""
ENDING: Final = '-gzip"'
"""Of the mark of a compressed answer: it is another form of the content, so it needs a mark of its own."""


def takes_gzip(header: str) -> bool:
    """Whether whoever sent this ``Accept-Encoding`` can read gzip."""
    for part in header.lower().split(","):
        name, _, weight = part.partition(";")
        if name.strip() in ("gzip", "*"):
            return weight.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


class CompressedAnswers:
    """Contents as gzip, each compressed once; those that nobody has asked for the longest are forgotten first."""

    def __init__(self, most: int = MOST_KEPT) -> None:
        self._contents: BoundedCache[bytes] = BoundedCache(most)

    def of(self, content: bytes, mark: str) -> bytes:
        """The content compressed; ``mark`` tells it from all others."""
        compressed = self._contents.find(mark)
        if compressed is None:
            # Without the time in it: the same content, the same bytes.
            compressed = gzip.compress(content, compresslevel=6, mtime=0)
            self._contents.keep(mark, compressed, len(compressed))
        return compressed


class Compression:
    """Compresses texts that have a mark and that everybody may see.

    What is private stays as it is: from the length of a compressed page with a secret in it, a page elsewhere could guess
    the secret (https://breachattack.com).

    Args:
        app: answers the requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers = CompressedAnswers()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the application answer, and compress what it says."""
        headers = Headers(scope=scope)
        takes = takes_gzip(headers.get("Accept-Encoding", ""))
        known_mark = headers.get("If-None-Match", "")
        has_compressed = takes and known_mark.endswith(ENDING)
        if has_compressed:
            # The application knows the content by its own mark.
            plain_mark = f'{known_mark.removesuffix(ENDING)}"'
            others = [pair for pair in scope["headers"] if pair[0].lower() != b"if-none-match"]
            scope = {**scope, "headers": [*others, (b"if-none-match", plain_mark.encode("latin-1"))]}
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                # Its headers depend on what follows.
                start = message
                return
            if start is not None:
                first, start = start, None
                answer = MutableHeaders(scope=first)
                if first["status"] == 304 and has_compressed:
                    answer["ETag"] = known_mark
                    answer.add_vary_header("Accept-Encoding")
                elif first["status"] == 200 and _is_compressible(answer, message):
                    answer.add_vary_header("Accept-Encoding")
                    if takes:
                        message = await self._compressed(answer, message)
                await send(first)
            await send(message)

        await self._app(scope, receive, send_compressed)

    async def _compressed(self, headers: MutableHeaders, message: Message) -> Message:
        """The message with its content compressed, and the headers changed to what is then true."""
        mark = headers["ETag"]
        content = await run_in_threadpool(self._answers.of, message["body"], mark)
        headers["Content-Encoding"] = "gzip"
        headers["Content-Length"] = str(len(content))
        headers["ETag"] = f"{mark[:-1]}{ENDING}"
        return {**message, "body": content}


def _is_compressible(headers: Headers, message: Message) -> bool:
    return (
        headers.get("ETag", "").startswith('"')
        and headers.get("Content-Type", "").startswith(TEXT)
        and "Content-Encoding" not in headers
        and "Set-Cookie" not in headers
        and "private" not in headers.get("Cache-Control", "")
        and len(message.get("body", b"")) >= LEAST_COMPRESSED
        and not message.get("more_body")
    )
