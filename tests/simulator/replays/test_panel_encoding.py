"""Replays with panels as bytes: version 2 of the format, and nothing of it where there are none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.simulator.replays.panel_games import dilemma, every_kind, high_card, played, without_panels

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import MOST_PANELS, TextPanel
from tiltyard_simulator.replays.encoding import decode, encode
from tiltyard_simulator.replays.files import pack, unpack


def test_panels_come_back() -> None:
    for replay in (every_kind(), every_kind(width=0), played(dilemma()), played(high_card())):
        data = encode(replay)
        assert data.startswith(b'{"format":"tiltyard replay","version":2,')
        assert decode(data) == replay
        assert encode(decode(data)) == data
        assert unpack(pack(replay), "a test").panels == replay.panels


def test_without_panels_nothing_changed() -> None:
    data = encode(without_panels(every_kind()))
    assert b'"version":1,' in data
    assert b"panels" not in data
    assert data.endswith(b'[[[0," "],[1,"a"]],["Walk","Wait"],[1.0,0.5]]\n[[],["Walk","Wait"],[1.0,0.5]]\n' + data[-46:])


def lines(**changes: Any) -> str:
    header, *rest = encode(every_kind(width=0)).decode().splitlines()
    return "\n".join([json.dumps({**json.loads(header), **changes}), *rest, ""])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            lines(version=1, width=3, height=2, squares=["a"] * 6),
            "line 1: a replay of version 1 has no panels; those that have are",
        ),
        (lines(version=1, panels=[]), "line 1: a board of 0 x 0 squares"),
        (lines(width=2), "line 1: a board of 2 x 0 squares"),
        (lines(panels=[{"kind": "music", "title": "t"}]), "line 1: Invalid value 'music' - at `$.panels[0].kind`"),
        (lines(panels=[{"kind": "text", "title": "t", "lines": [1]}]), "line 1: Expected `str`, got `int`"),
        (lines(panels=[{"kind": "text", "title": "t", "color": "red"}]), "line 1: Object contains unknown field `color`"),
        (lines(panels=[{"kind": "cards", "title": "t", "seat": 12}]), "line 1: the panel 't' belongs to seat 12: expected 1 to 9"),
        (lines() + '[[[0,"a"]]]\n', "line 5: square 0 is not on the board: the game has none"),
    ],
)
def test_what_is_no_replay_is_said_with_its_line(text: str, message: str) -> None:
    with pytest.raises(UserError) as raised:
        decode(text.encode(), "x.jsonl")
    assert str(raised.value).startswith(f"x.jsonl, {message}")


def test_there_is_a_limit_to_titles_when_it_is_written_and_when_it_is_read() -> None:
    replay = Replay(game="g", width=0, height=0, squares=())
    replay.frames += [Frame(panels=(TextPanel(f"panel {number}", []),)) for number in range(MOST_PANELS)]
    data = encode(replay)
    one_more = Frame(panels=(TextPanel("one more", []),))
    with pytest.raises(UserError, match=f"line {MOST_PANELS + 2}: more than {MOST_PANELS} panels with different titles"):
        decode(data + b'[[],[],[],[],[{"kind":"text","title":"one more"}]]\n')
    replay.frames.append(one_more)
    with pytest.raises(UserError, match="cannot be written: round 25: more than 24 panels"):
        encode(replay)
