"""Files of the pages that are the same for everybody: styles and scripts, read once at the start."""

from __future__ import annotations

from importlib.resources import files
from itertools import chain
from typing import Final

from starlette.responses import Response

from tiltyard_league.web.http.context import Context, missing
from tiltyard_site.web.answers import mark_of, marked_answer, type_of

PACKAGES: Final = ("tiltyard_site.pages", "tiltyard_league.web")
TRY_SCRIPT: Final = files("tiltyard_web_play").joinpath("assets", "try.js")
"""It is no file of the process that tries answers here: pages with replays would wait for that one."""


def _read() -> dict[str, tuple[bytes, str]]:
    contents: dict[str, tuple[bytes, str]] = {}
    for file in chain(*(files(package).joinpath("assets").iterdir() for package in PACKAGES), [TRY_SCRIPT]):
        data = file.read_bytes()
        contents[file.name] = data, mark_of(data)
    return contents


ASSETS: Final = _read()


def asset(context: Context) -> Response:
    """A style, a script or a picture."""
    name = str(context.request.path_params["name"])
    if name not in ASSETS:
        raise missing()
    data, mark = ASSETS[name]
    return marked_answer(context.etag, data, type_of(name), mark, "public, max-age=300")
