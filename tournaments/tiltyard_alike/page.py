"""The report for staff as a page that is whole in one file. It has the positions at which two teams agree and the others don't."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tiltyard_alike.asking import Questioner
from tiltyard_alike.comparison import AlikePair
from tiltyard_alike.evidence import SharedAnswer
from tiltyard_alike.tables import HINT
from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Table
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_site.pages.labels import harmless, line

SCALE: Final = 0.6
"""Of a board, by the size of pictures that fill a page."""
MOST_PAIRS: Final = 20
"""Whose positions are shown."""


def report_page(
    title: str,
    tables: Sequence[Table],
    sentences: Sequence[str],
    pairs: Sequence[tuple[AlikePair, Sequence[SharedAnswer]]],
    specs: Mapping[str, MatchSpec],
) -> str:
    """The page as HTML. Matches of which it shows a board are played once more.

    Args:
        title: of the tournament.
        tables: those of the command.
        sentences: what follows from them.
        pairs: those to look at, with what they share.
        specs: the matches, by their keys.

    Raises:
        UserError: a match can't be played.
    """
    environment = Environment(
        loader=PackageLoader(__package__), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(line=line, text=harmless)
    style = files("tiltyard_site.pages").joinpath("assets", "site.css").read_text(encoding="utf-8")
    first_pairs = pairs[:MOST_PAIRS]
    game = next(iter(specs.values())).input.game.load_as(Game)
    with Questioner(game) as questioner:
        keys = dict.fromkeys(answer.match.key for _, answers in first_pairs for answer in answers)
        replays = {key: questioner.course(specs[key]).replay for key in keys}
    return environment.get_template("alike.html").render(
        title=title,
        hint=HINT,
        tables=tables,
        sentences=sentences,
        pairs=[
            (pair, [(each, _picture(replays[each.match.key], each, game)) for each in answers]) for pair, answers in first_pairs
        ],
        # Our own file.
        style=Markup(style),  # noqa: S704
        digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
    )


def _picture(replay: Replay, answer: SharedAnswer, game: Game[Any]) -> str:
    """The board before an answer, as SVG in base64; empty where it can't be drawn."""
    try:
        picture = MatchPicture(replay, game.display.theme, SCALE)
        return base64.b64encode(svg_picture(picture, answer.position.turn - 1).encode()).decode()
    except UserError:
        return ""
