"""Results as HTML below a notebook's cell: nothing is asked for elsewhere, and no script is needed but for replays."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from jinja2 import Environment
from markupsafe import escape

from tiltyard_engine.lifecycle import Table
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Replay, Theme
from tiltyard_site.pages.labels import counted, harmless, line
from tiltyard_site.pages.match_scripts import Listed, match_details
from tiltyard_site.pages.replay_scripts import compressed_replay, json_text, replay_problem, theme_value
from tiltyard_site.pages.site_data import rated_teams
from tiltyard_site.pages.table_parts import ShownCell, results_by, scale, tally_cell
from tiltyard_site.pages.template_environment import template_environment
from tiltyard_tournaments.publishers.pages import ComparedTeams, EloInterval

MOST_ROWS: Final = 20
"""Of a plain table. All rows are there for whoever works with them."""
PLAYER_STYLES: Final = ("assets/site.css", "assets/viewer.css", "cell_assets/player.css")
PLAYER_SCRIPTS: Final = (
    *[
        f"assets/{name}.js"
        for name in ("tiltyard", "replays", "timeline", "shapes", "board", "player", "figures", "sidebar", "growth", "panels")
    ],
    "cell_assets/player.js",
)
AROUND_BOARD: Final = 150
"""Pixels above and below the board: names, seek bar, buttons."""
SCORES_HEIGHT: Final = 80
"""Pixels of the graph of the scores."""
BOARD_WIDTH: Final = 560
"""Pixels of the board in a cell of the usual width."""
MOST_HEIGHT: Final = 640
LEAST_HEIGHT: Final = 360
SQUARE: Final = 56
"""The most pixels of a square."""


def table_html(title: str, headers: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows of plain values, at most MOST_ROWS of them."""
    numeric = [all(_is_number(row[column]) or row[column] is None for row in rows) for column in range(len(headers))]
    cells = [[(_text(value), number) for value, number in zip(row, numeric, strict=True)] for row in rows[:MOST_ROWS]]
    more = max(0, len(rows) - MOST_ROWS)
    return _cell("table.html", title=title, headers=list(zip(headers, numeric, strict=True)), rows=cells, more=more)


def standings_html(table: Table, title: str = "", note: str = "") -> str:
    """The standings, with a bar for the points."""
    points = table.headers.index("points")
    numeric = [all(_is_number(row[column]) or row[column] == "" for row in table.rows) for column in range(len(table.headers))]
    most = max((float(row[points]) for row in table.rows), default=0.0) or 1.0
    rows = [
        (
            [(_text(value), number) for value, number in zip(row, numeric, strict=True)],
            f"{100 * max(0.0, float(row[points])) / most:.1f}",
        )
        for row in table.rows
    ]
    return _cell(
        "standings.html",
        title=title or table.title,
        headers=list(zip(table.headers, numeric, strict=True)),
        rows=rows,
        points=points,
        team=table.headers.index("algorithm"),
        note=note,
    )


def cup_html(about: str, standings: Table | None, missing: int) -> str:
    """A tournament: its standings, if anything has been played."""
    if standings is None:
        empty = Table("", ("place", "algorithm", "points"), ())
        return standings_html(empty, about, "Nothing has been played yet.")
    return standings_html(standings, about, f"{counted(missing, 'game')} still to be played" if missing else "")


def crosstable_html(teams: Sequence[str], matches: Iterable[Outcome]) -> str:
    """Who beat whom, coloured by the share of the points."""
    against = results_by(lambda match, seat, other: (match.teams[seat], match.teams[other]), matches)

    def cell(team: str, other: str) -> ShownCell | None:
        tally = against.get((team, other))
        return None if team == other or tally is None else tally_cell(tally, "", f"{line(team)} against {line(other)}")

    return _cell("crosstable.html", order=teams, rows=[(team, [cell(team, other) for other in teams]) for team in teams])


def ratings_html(matches: Sequence[Outcome]) -> str:
    """Ratings with their intervals."""
    rated = rated_teams(matches)
    ends = [end for rating in rated.ratings for end in (rating.low, rating.high)]
    return _cell("ratings.html", ratings=rated.ratings, scale=scale(ends), note=rated.note, fit=rated.fit)


def progress_html(title: str, text: str, finished: int, total: int, lines: Sequence[str]) -> str:
    """How far a run is."""
    percent = min(100, round(100 * finished / total)) if total else 0
    return _cell("progress.html", title=title, text=text, percent=percent, lines=lines)


def match_html(match: Outcome, replay: Replay | None, theme: Theme | None) -> str:
    """A match: its replay if there is one that can be shown, else how it ended."""
    problem = "its replay was not kept" if replay is None else replay_problem(replay)
    if replay is None or problem:
        note = f"On {match.map}; {problem}."
        return _cell("match.html", teams=match.teams, message=match.message or "No result", note=note)
    return _frame(match_details(Listed(match.place + 1, match), {}, frozenset()), replay, theme)


def replay_html(replay: Replay, theme: Theme | None) -> str:
    """A replay whose match is not known."""
    problem = replay_problem(replay)
    if problem:
        return _cell("match.html", teams=replay.seats, message=replay.message, note=f"The replay can't be shown: {problem}.")
    game = {
        "teams": [[line(name), ""] for name in replay.seats],
        "map": line(replay.title),
        "winner": 0,
        "faults": [],
        "message": line(replay.message),
    }
    return _frame(game, replay, theme)


def _frame(game: Mapping[str, Any], replay: Replay, theme: Theme | None) -> str:
    """The player of a replay. It is a page in a frame that may run scripts and nothing else: it can reach no notebook."""
    title = _title(replay)
    document = player_page(game, replay, theme)
    # Only what would end the attribute or stand for another character: a page has many other signs that need no escape there.
    inside = document.replace("&", "&amp;").replace('"', "&quot;")
    return _cell("replay.html", title=title, document=inside, height=_height(replay), script=_asset("cell_assets/frame.js"))


def player_page(game: Mapping[str, Any], replay: Replay, theme: Theme | None, *, plays: bool = False) -> str:
    """A page with the player of a game and all that it needs, so that it opens anywhere.

    ``game`` has the match's details, as ``match_details`` gives them. With ``plays`` it begins by itself once it is seen.

    Raises:
        UserError: the replay can't be shown.
    """
    packed = base64.b64encode(compressed_replay(replay)).decode()
    data = {"game": game, "replay": packed, "theme": theme_value(theme), "plays": plays}
    return (
        _environment()
        .get_template("cells/player.html")
        .render(
            title=_title(replay),
            css="".join(map(_asset, PLAYER_STYLES)),
            js="".join(map(_asset, PLAYER_SCRIPTS)),
            data=json_text(data),
        )
    )


def embedding(address: str, replay: Replay) -> str:
    """The HTML that shows such a page, which lies at ``address``, within another. There it may run its own scripts, no more."""
    title = escape(_title(replay))
    return (
        f'<iframe src="{escape(address)}" title="{title}" width="100%" height="{_height(replay)}"'
        ' sandbox="allow-scripts" loading="lazy" style="border: 0"></iframe>'
    )


def _title(replay: Replay) -> str:
    return f"{' against '.join(line(name) for name in replay.seats)} on {line(replay.title)}"


def _height(replay: Replay) -> int:
    """Pixels, so that the board of a cell of the usual width is neither cut nor surrounded by nothing."""
    if not replay.width:
        return (LEAST_HEIGHT + MOST_HEIGHT) // 2
    board = min(BOARD_WIDTH * replay.height / replay.width, SQUARE * replay.height)
    scores = {frame.scores for frame in replay.frames}
    below = SCORES_HEIGHT if len(scores) > 1 else 0
    return round(max(LEAST_HEIGHT, min(MOST_HEIGHT, board + AROUND_BOARD + below)))


FARTHEST: Final = 800.0
"""Elo points at which an infinite end of an interval is drawn."""


def comparison_html(compared: ComparedTeams) -> str:
    """A comparison: what was shown, the difference with its interval, and the walk of the test between its bounds."""
    drawn = EloInterval(
        *[max(-FARTHEST, min(FARTHEST, each)) for each in (compared.elo.value, compared.elo.low, compared.elo.high)]
    )
    return _cell(
        "comparison.html",
        verdict=compared.verdict,
        summary=compared.summary,
        elo=drawn,
        elo_wanted=f"{compared.expected_elo:g}",
        scale=scale([0.0, drawn.low, drawn.high]) if compared.course else None,
        walk=_walk(compared) if compared.course else None,
        note=compared.note,
    )


LEFT, RIGHT, TOP, BOTTOM = 40.0, 540.0, 12.0, 180.0
"""Of the drawing of a walk, in its own units; names stand to the right of it."""


def _walk(compared: ComparedTeams) -> dict[str, Any]:
    lower, upper = compared.bounds
    course = [(0, 0.0, 0.0), *compared.course]
    games = course[-1][0]
    every = [value for _, one, other in course for value in (one, other)]
    low, high = min(lower, *every) * 1.05, max(upper, *every) * 1.05

    def at(number: int, value: float) -> tuple[float, float]:
        x = LEFT + (RIGHT - LEFT) * number / max(1, games)
        return round(x, 1), round(BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low), 1)

    lines: list[dict[str, Any]] = []
    for which, (kind, name) in enumerate(zip(("one", "other"), compared.names, strict=True)):
        points = [at(look[0], look[1 + which]) for look in course]
        x, y = points[-1]
        lines.append(
            {"kind": kind, "name": name, "points": " ".join(f"{x},{y}" for x, y in points), "x": x, "y": y, "label_y": y + 4}
        )
    apart = 14.0
    upper_line, lower_line = sorted(lines, key=lambda each: float(each["y"]))
    if lower_line["label_y"] - upper_line["label_y"] < apart:
        # The names must not stand on each other.
        lower_line["label_y"] = upper_line["label_y"] + apart
    words = ", ".join(f"{name} {course[-1][1 + which]:.2f}" for which, name in enumerate(compared.names))
    return {
        "left": LEFT,
        "right": RIGHT,
        "zero": at(0, 0.0)[1],
        "bounds": [(at(0, bound)[1], f"{bound:.2f}".replace("-", "\u2212")) for bound in compared.bounds],
        "lines": lines,
        "games": games,
        "words": f"Log-likelihood ratios after {games} games: {words}; bounds {lower:.2f} and {upper:.2f}",
    }


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}".rstrip("0").rstrip(".").replace("-", "\u2212")
    return harmless(str(value))


def _cell(template: str, **values: Any) -> str:
    css = _asset("cell_assets/cell.css")
    return _environment().get_template(f"cells/{template}").render(css=css, **values)


@cache
def _environment() -> Environment:
    environment = template_environment()
    environment.globals.update(counted=counted)
    return environment


@cache
def _asset(path: str) -> str:
    package = "tiltyard_site.pages" if path.startswith("assets/") else __package__
    return files(package).joinpath(path).read_text(encoding="utf-8")
