from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.site.packed_replays import replays_in

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_simulator.replays.encoding import encode
from tiltyard_simulator.replays.files import pack
from tiltyard_site.pages.labels import line
from tiltyard_site.pages.replay_scripts import (
    letters,
    packed_replay,
    replay_problem,
    replays_script,
    script,
    theme_of_script,
    theme_value,
)

TEXTS = st.lists(st.sampled_from(["Shoot", "Rest", "go <b>"]), max_size=3).map(tuple)
FRAMES = st.builds(
    Frame,
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from(["a", "b", "#"])), max_size=4).map(tuple),
    TEXTS,
    st.lists(st.sampled_from([0.0, 1.0, 2.5]), max_size=2).map(tuple),
    TEXTS,
)


def unpacked(replay: Replay | bytes) -> Replay:
    """What a page gets."""
    return replays_in(replays_script("x", {"x": packed_replay(replay)}).decode())["x"]


@given(st.lists(FRAMES, max_size=6))
def test_replays_come_back(frames: list[Frame]) -> None:
    replay = Replay(game="g", width=3, height=2, squares=("a", "a", " ", " ", "#", "#"), frames=frames)
    assert replay_problem(replay) == ""
    assert unpacked(replay) == unpacked(encode(replay)) == unpacked(pack(replay)) == replay


@given(st.binary(max_size=200))
def test_letters_are_ascii_and_close_neither_the_text_nor_a_page(data: bytes) -> None:
    text = letters(data)
    assert text.isascii()
    assert not re.search(r'[\0\n\r<]|(?<!\\)(?:\\\\)*"', text)


def test_a_file_is_only_decoded_where_something_in_it_has_to_change(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Replay(game="g", width=1, height=1, squares=("/",), frames=[Frame((), ('say "a\\b"',), (1.0,), ("yes/no",))])
    changed = {
        "turns around": "a\u202eb",
        "has a path": "see /tmp/secret/x.py",
        "has a control": "a\x1bb",
        "is of many lines": "a\nb",
    }
    files = {what: encode(replace(plain, message=text)) for what, text in changed.items()}
    assert {what: unpacked(data).message for what, data in files.items()} == {
        "turns around": "ab",
        "has a path": "see x.py",
        "has a control": "ab",
        "is of many lines": "a b",
    }
    monkeypatch.setattr("tiltyard_site.pages.replay_scripts.decode", lambda *_: pytest.fail("decoded"))
    assert unpacked(encode(plain)) == plain


def test_what_cannot_be_shown_is_an_error() -> None:
    with pytest.raises(UserError, match="nothing was recorded"):
        packed_replay(Replay(game="g", width=0, height=0, squares=()))
    with pytest.raises(UserError, match="nothing was recorded"):
        packed_replay(encode(Replay(game="g", width=0, height=0, squares=())))
    with pytest.raises(UserError, match="the replay of match 3: is damaged"):
        packed_replay(pack(Replay(game="g", width=1, height=1, squares=("a",)))[:-4], "the replay of match 3")


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


def test_a_theme_comes_back_from_its_script() -> None:
    theme = Theme(
        styles={
            "a": SquareStyle(glyph="o", plain="o", shape="disc", seat=1, foreground="#00cc00", background="#000000", dot="#ffffff")
        },
        seat_colors=("#cc0000",),
        column_names=("a", "b"),
    )
    assert theme_value(theme_of_script(script("theme", theme_value(theme)))) == theme_value(theme)
