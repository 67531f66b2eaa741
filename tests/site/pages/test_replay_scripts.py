from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.replay_scripts import encode, replay_problem, script, theme_value

TEXTS = st.lists(st.sampled_from(["Shoot", "Rest", "go <b>"]), max_size=3).map(tuple)
FRAMES = st.builds(
    Frame,
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", "#"])), max_size=4).map(tuple),
    TEXTS,
    st.lists(st.sampled_from([0.0, 1.0, 2.5]), max_size=2).map(tuple),
    TEXTS,
)


def decode(value: dict[str, Any]) -> list[Frame]:
    """What the page makes of the frames."""
    frames: list[Frame] = []
    actions: Any = []
    scores: Any = []
    for parts in value["frames"]:
        whole: list[Any] = [*parts, *[0] * (4 - len(parts))]
        given, did, points, notes = whole[0] or [], *whole[1:]
        square, made = 0, []
        for step, token in zip(given[::2], given[1::2], strict=True):
            square += step
            made.append((square, value["tokens"][token]))
        actions = actions if did == 0 else did
        scores = scores if points == 0 else points
        texts = tuple(value["actions"][action] for action in actions)
        frames.append(Frame(tuple(made), texts, tuple(map(float, scores)), tuple(notes or ())))
    return frames


@given(st.lists(FRAMES, max_size=6))
def test_frames_come_back(frames: list[Frame]) -> None:
    replay = Replay(game="g", width=3, height=2, squares=("a", "a", " ", " ", "#", "#"), frames=frames)
    assert replay_problem(replay) == ""
    value = json.loads(json.dumps(encode(replay)))
    assert decode(value) == frames
    assert value["squares"] == [0, 2, 1, 2, 2, 2]


def test_a_script_is_ascii_and_closes_no_tag() -> None:
    data = script("x", "</script>\u2028é&")
    assert data == b'Tiltyard.register("x","\\u003c/script\\u003e\\u2028\\u00e9\\u0026");\n'


def test_problems_are_named() -> None:
    assert "4 squares, not 3 x 2" in replay_problem(Replay(game="g", width=3, height=2, squares=(" ",) * 4))
    assert replay_problem(Replay(game="g", width=0, height=0, squares=())) == "nothing was recorded"
    assert "0 squares, not 2 x 0" in replay_problem(Replay(game="g", width=2, height=0, squares=(), frames=[Frame()]))
    assert "changes square -1 of 1" in replay_problem(
        Replay(game="g", width=1, height=1, squares=(" ",), frames=[Frame(((-1, "x"),))])
    )
    assert "score of nan" in replay_problem(
        Replay(game="g", width=1, height=1, squares=(" ",), frames=[Frame((), scores=(float("nan"),))])
    )
    many = tuple((0, str(number)) for number in range(70_000))
    assert "different tokens" in replay_problem(Replay(game="g", width=1, height=1, squares=(" ",), frames=[Frame(many)]))


def test_long_texts_are_one_line() -> None:
    assert line("a\n\n b\t\u202ec") == "a b c"


def test_discs_without_a_colour_have_their_players() -> None:
    pieces = {
        str(seat): SquareStyle(glyph="o", plain="o", shape="disc", seat=seat, foreground=color)
        for seat, color in ((1, ""), (2, ""), (3, "#00cc00"))
    }
    styles = theme_value(Theme(styles=pieces, seat_colors=("#cc0000", "#000088", "#123456")))["styles"]
    assert [(style["ground"], style["color"]) for style in styles.values()] == [
        ("#cc0000", "#ffffff"),
        ("#000088", "#ffffff"),
        ("#00cc00", "#000000"),
    ]
