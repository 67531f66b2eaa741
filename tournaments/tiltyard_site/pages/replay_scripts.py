"""A replay as a script that the match page adds when it is wanted: pages opened from a disk can load nothing else.

The script is one call, ``Tiltyard.register(name, value)``, whose value is plain JSON. Tokens, actions and notes are
written once each and then named by number; a frame is ``[changes, actions, scores, notes, panels]`` without its empty end.
``changes`` are pairs of a step from the square before and a token; ``0`` in place of actions or scores means "as before".
Panels are as in a replay file; a game without them has none here.
A view is ``[round, seat, rows]``, or with a square in place of rows the board before the round with ``%`` there; -1 is an
unknown one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from tiltyard_engine.replay import Replay, Theme
from tiltyard_engine.replay.panels import Panel
from tiltyard_simulator.match.panel_values import panel_values
from tiltyard_simulator.replays.viewer.shown_panels import shown_panel
from tiltyard_simulator.replays.viewer.theme_colors import drawn_colors
from tiltyard_site.pages.data import SeatView
from tiltyard_site.pages.labels import harmless, line

VERSION: Final = 2
"""Of the encoding; replays that were published in another are written again."""

MOST_SQUARES: Final = 1_000_000
LONGEST_ACTION: Final = 4_000
"""Characters; the figures of actions make them long."""
MOST_TOKENS: Final = 65_536
"""The page keeps a square's token in two bytes."""


def script(name: str, value: Any) -> bytes:
    """A script that hands ``value`` over under ``name``; ASCII, and harmless even inside a page."""
    return f"Tiltyard.register({json.dumps(name)},{json_text(value)});\n".encode("ascii")


def json_text(value: Any) -> str:
    """JSON that is harmless inside a page."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def replay_problem(replay: Replay) -> str:
    """Why a replay cannot be shown; empty if it can. GameManagers come from strangers."""
    if not replay.shows_anything:
        return "nothing was recorded"
    size = replay.width * replay.height
    is_board = min(replay.width, replay.height) >= 1 or (replay.width, replay.height) == (0, 0)
    if not is_board or size > MOST_SQUARES or len(replay.squares) != size:
        return f"its start board has {len(replay.squares)} squares, not {replay.width} x {replay.height}"
    tokens = set(replay.squares)
    for number, frame in enumerate(replay.frames, start=1):
        tokens.update(token for _, token in frame.changes)
        if len(tokens) > MOST_TOKENS:
            return f"it has more than {MOST_TOKENS} different tokens"
        for square, _ in frame.changes:
            if not 0 <= square < size:
                return f"round {number} changes square {square} of {size}"
        for score in frame.scores:
            if not abs(score) < float("inf"):
                return f"round {number} has a score of {score}"
    return ""


class _Numbers:
    """Texts and the numbers that stand for them, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def encode(replay: Replay, views: Sequence[SeatView] = ()) -> dict[str, Any]:
    """The replay as JSON values."""
    tokens, actions = _Numbers(), _Numbers()
    squares: list[int] = []
    for token in replay.squares:
        number = tokens(token)
        if squares and squares[-2] == number:
            squares[-1] += 1
        else:
            squares += [number, 1]
    frames: list[list[Any]] = []
    last_actions: list[int] = []
    last_scores: list[float] = []
    for frame in replay.frames:
        changes: list[int] = []
        before = 0
        for square, token in frame.changes:
            changes += [square - before, tokens(token)]
            before = square
        did = [actions(line(action, LONGEST_ACTION)) for action in frame.actions]
        scores = [int(score) if score == int(score) else score for score in frame.scores]
        parts: list[Any] = [
            changes,
            0 if did == last_actions else did,
            0 if scores == last_scores else scores,
            [line(note) for note in frame.notes],
            _panels(frame.panels),
        ]
        while parts and parts[-1] in (0, []) and not (parts[-1] == [] and len(parts) in (2, 3)):
            parts.pop()
        frames.append(parts)
        last_actions, last_scores = did, scores
    value: dict[str, Any] = {
        "version": VERSION,
        "game": line(replay.game),
        "title": line(replay.title),
        "seats": [line(seat) for seat in replay.seats],
        "message": line(replay.message),
        "width": replay.width,
        "height": replay.height,
        "tokens": list(tokens.numbers),
        "squares": squares,
        "actions": list(actions.numbers),
        "frames": frames,
    }
    if replay.panels:
        value["panels"] = _panels(replay.panels)
    if views or replay.views:
        seat_views = [[view.round, view.seat, [harmless(row) for row in view.rows]] for view in views]
        value["views"] = seat_views or [list(view) for view in replay.views]
    return value


def _panels(panels: Sequence[Panel]) -> Any:
    return msgspec.to_builtins(panel_values(map(shown_panel, panels)))


def theme_value(theme: Theme | None) -> dict[str, Any]:
    """The theme as JSON values: token to what differs from a plain square."""
    theme = drawn_colors(theme)
    styles = {
        token: {
            name: value
            for name, value in (
                ("glyph", line(style.glyph)),
                ("color", style.foreground),
                ("ground", style.background),
                ("label", line(style.label)),
                ("shape", style.shape),
                ("turn", style.turn),
                ("mark", line(style.mark)),
                ("seat", style.seat),
                ("floor", style.floor),
                ("ring", style.ring),
                ("dot", style.dot),
            )
            if value
        }
        for token, style in theme.styles.items()
    }
    value: dict[str, Any] = {"seats": list(theme.seat_colors), "styles": styles}
    if theme.figures is not None:
        value["figures"] = {"empty": theme.figures.empty, "taken": theme.figures.taken, "after": theme.figures.after}
    names = {"columns": [line(name) for name in theme.column_names], "rows": [line(name) for name in theme.row_names]}
    return value | {name: values for name, values in names.items() if values}
