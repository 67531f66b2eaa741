"""A replay as the values that sites once had: what ``same_bytes`` compares, so another form of a replay changes nothing.

Tokens, actions and notes are written once each and then named by number; a frame is ``[changes, actions, scores, notes, panels]``
without its empty end. ``changes`` are pairs of a step from the square before and a token; ``0`` in place of actions or scores means
"as before".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from tiltyard_engine.replay import Replay
from tiltyard_engine.replay.panels import Panel
from tiltyard_simulator.match.panel_values import panel_values
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.replay_scripts import LONGEST_ACTION
from tiltyard_viewer.drawing.shown_panels import shown_panel


class _Numbers:
    """Texts and the numbers that stand for them, in the order of their first use."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


def site_values(replay: Replay) -> dict[str, Any]:
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
        "version": 2,
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
    if replay.views:
        value["views"] = [list(view) for view in replay.views]
    return value


def _panels(panels: Sequence[Panel]) -> Any:
    return msgspec.to_builtins(panel_values(map(shown_panel, panels)))
