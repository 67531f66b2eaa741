"""Answers that aren't sent to who has them already, and what a browser is told of every page."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from starlette.responses import Response

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)
HEADERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Cache-Control": "no-cache",
        "Content-Security-Policy": POLICY,
        "Cross-Origin-Resource-Policy": "same-origin",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }
)
"""Of every answer that doesn't say something else."""
TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
}


def type_of(name: str) -> str:
    """The type of a file, by the ending of its name."""
    return TYPES.get(PurePosixPath(name).suffix, "application/octet-stream")


def mark_of(content: bytes) -> str:
    """What tells two contents apart, in quotation marks as HTTP wants it."""
    return f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'


def marked_answer(known_mark: str, content: bytes, kind: str, mark: str = "", cache: str = "no-cache") -> Response:
    """An answer with the mark of its content, and without the content for who has it.

    Args:
        known_mark: the ``If-None-Match`` of the request; empty: it has none.
        content: of the answer.
        kind: its type.
        mark: of the content, if it was worked out before.
        cache: how long a browser may use it without asking again.
    """
    mark = mark or mark_of(content)
    headers = {"ETag": mark, "Cache-Control": cache}
    if known_mark == mark:
        return Response(status_code=304, headers=headers)
    return Response(content, headers={**headers, "Content-Type": kind})
