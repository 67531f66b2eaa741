"""Files of the pages that are the same for everybody: styles and scripts, read once at the start."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from pathlib import PurePosixPath
from typing import Final

from starlette.responses import Response

from tiltyard_league.web.http.context import Context, missing
from tiltyard_tournaments.site.http import TYPES

PACKAGES: Final = ("tiltyard_tournaments.site", "tiltyard_league.web")


def _read() -> dict[str, tuple[bytes, str]]:
    contents: dict[str, tuple[bytes, str]] = {}
    for package in PACKAGES:
        for file in files(package).joinpath("assets").iterdir():
            data = file.read_bytes()
            contents[file.name] = data, f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    return contents


ASSETS: Final = _read()


def asset(context: Context) -> Response:
    """A style, a script or a picture."""
    name = str(context.request.path_params["name"])
    if name not in ASSETS:
        raise missing()
    data, mark = ASSETS[name]
    return tagged(context, data, TYPES.get(PurePosixPath(name).suffix, "application/octet-stream"), mark, "public, max-age=300")


def tagged(context: Context, data: bytes, kind: str, mark: str = "", cache: str = "no-cache") -> Response:
    """An answer that isn't sent again to who has it."""
    mark = mark or f'"{hashlib.blake2b(data, digest_size=12).hexdigest()}"'
    headers = {"ETag": mark, "Cache-Control": cache}
    if context.etag == mark:
        return Response(status_code=304, headers=headers)
    return Response(data, media_type=kind, headers=headers)
