"""A page of a game's site in one file, with all that it needs: it opens anywhere, and asks for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from tiltyard_engine.replay import Replay, Theme
from tiltyard_site.pages.match_scripts import CHUNK
from tiltyard_site.pages.replay_scripts import packed_replay, replays_script, script, theme_value
from tiltyard_site.pages.template_environment import template_environment

STYLES: Final = ("site.css", "viewer.css")
SCRIPTS: Final = (
    *("replays", "timeline", "shapes", "board", "player", "figures", "sidebar", "growth", "panels", "ages", "why", "match"),
)
"""After ``tiltyard.js`` and the data."""
FILE: Final = "game"
"""What its replay is called."""


def game_page(
    title: str, number: int, game: Mapping[str, Any], *, replay: Replay, theme: Theme | None, why: Mapping[str, Any]
) -> str:
    """The page of a game with an explanation.

    Args:
        title: of the page.
        number: the game's.
        game: its details, as ``match_details`` gives them.
        replay: how it went.
        theme: how its board looks.
        why: the explanation, as ``explained_value`` gives it.

    Raises:
        UserError: the replay can't be shown.
    """
    details = {**game, "file": FILE, "replay": FILE, "outputs": False, "why": True}
    data = [
        script("theme", theme_value(theme)),
        script(f"matches-{number // CHUNK}", {str(number): details}),
        script(f"why-{number}", {"explained": [why]}),
        replays_script(FILE, {FILE: packed_replay(replay)}),
    ]
    moment = f"&why={why['seat']}&moment=1&round={max(0, why['moments'][0]['turn'] - 1)}" if why["moments"] else ""
    return (
        template_environment()
        .get_template("alone.html")
        .render(
            title=title,
            css="".join(map(_asset, STYLES)),
            first=_asset("appearance.js"),
            js="".join([_asset("tiltyard.js"), *(each.decode("ascii") for each in data)]),
            more="".join(_asset(f"{name}.js") for name in SCRIPTS),
            opens=f"#match={number}{moment}",
        )
    )


def _asset(name: str) -> str:
    return files("tiltyard_site.pages").joinpath("assets", name).read_text(encoding="utf-8")
