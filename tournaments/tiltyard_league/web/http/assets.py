"""Files of the pages that are the same for everybody: styles and scripts, read once at the start."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

from starlette.responses import Response

from tiltyard_league.web.http.context import Context, missing
from tiltyard_site.web.answers import mark_of, marked_answer, type_of

PACKAGES: Final = ("tiltyard_site.pages", "tiltyard_league.web")


def _read() -> dict[str, tuple[bytes, str]]:
    contents: dict[str, tuple[bytes, str]] = {}
    for package in PACKAGES:
        for file in files(package).joinpath("assets").iterdir():
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
