"""A page about one match: its explanation, a strip of its turns, and the recorded match beside the one with a better answer."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Final

from tiltyard_engine.records import Game
from tiltyard_engine.replay import Theme
from tiltyard_engine.texts.public_text import public_text
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_site.notebook.cells import embedding, player_page
from tiltyard_site.pages.match_scripts import Listed, match_details
from tiltyard_whatif.explaining import Explanation
from tiltyard_whatif.playing import Course, point_in_words
from tiltyard_whatif.words import sentences, strip

_STYLE: Final = """
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { margin: 1rem auto; max-width: 80rem; padding: 0 1rem }
.games { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(20rem, 100%), 1fr)) }
iframe { min-height: 46rem }
.strip { display: flex; flex-wrap: wrap; gap: 2px; list-style: none; margin: 0; padding: 0 }
.strip li { border: 1px solid; border-radius: 2px; font: .75rem/1.4 monospace; min-width: 1.2rem; text-align: center }
.W { background: #009e73; color: #000 }
.T, .more { background: #b79f00; color: #000 }
.decisive { outline: 3px solid #d55e00 }
h2 { font-size: 1.1rem }
"""
_CLASSES: Final = {"W": "W", "T": "T", "+": "more"}
_MEANINGS: Final = {
    "W": "could still be won",
    "T": "could still be tied",
    "+": "could be better",
    "-": "nothing better",
    ".": "not tried",
}


def page(explanation: Explanation, hide: frozenset[str] = frozenset()) -> str:
    """The page, which needs nothing beside it.

    Args:
        explanation: what is known of the match.
        hide: what the tournament doesn't publish.

    Raises:
        UserError: a replay can't be shown.
    """
    theme = explanation.game.spec.input.game.load_as(Game).display.theme
    title = escape(f"Why did {one_line(explanation.team)} lose?")
    text = "".join(f"<p>{escape(line.strip())}</p>\n" for line in sentences(explanation) if line)
    games = [_player("As it was played", explanation.recorded, explanation, theme, hide)]
    for moment, course in zip(explanation.moments[:1], explanation.continuations):
        where = point_in_words(moment.turn.decision.point)
        games.append(_player(f"With '{one_line(moment.best.answer)}' in {where}", course, explanation, theme, hide))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{_STYLE}</style></head>\n'
        f'<body><h1>{title}</h1>\n{text}<h2>Turn by turn</h2><ol class="strip">{"".join(_squares(explanation))}</ol>\n'
        f'<div class="games">{"".join(games)}</div></body></html>\n'
    )


def _squares(explanation: Explanation) -> Iterator[str]:
    decisive = {moment.turn.decision.point for moment in explanation.moments[:1]}
    for turn, mark in zip(explanation.findings.turns, strip(explanation)):
        point = turn.decision.point
        best = turn.best(explanation.findings.value)
        words = f"{point_in_words(point)}, '{one_line(turn.decision.answer)}': {_MEANINGS[mark]}"
        words += f" with '{one_line(best.answer)}'" if best is not None else ""
        classes = " ".join([_CLASSES.get(mark, "none"), *(["decisive"] if point in decisive else [])])
        yield f'<li class="{classes}" title="{escape(words)}" aria-label="{escape(words)}">{point[0]}</li>'


def _player(title: str, course: Course, explanation: Explanation, theme: Theme | None, hide: frozenset[str]) -> str:
    course.replay.message = public_text(course.replay.message)
    details = match_details(Listed(explanation.game.spec.place.number + 1, course.outcome), {}, hide)
    document = escape(player_page(details, course.replay, theme))
    frame = embedding("", course.replay).replace('src=""', f'srcdoc="{document}"', 1)
    return f"<section><h2>{escape(title)}</h2>{frame}</section>"
