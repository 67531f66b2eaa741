from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.viewer.samples import THEME, plain, walk

from tiltyard_engine.replay import Frame, Replay
from tiltyard_viewer.drawing.colors import ColorDepth
from tiltyard_viewer.drawing.options import DrawOptions
from tiltyard_viewer.drawing.text import visible_width
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.playback import Playback
from tiltyard_viewer.player.screen import action_pieces, bar, compose, ranges

ASCII = DrawOptions(unicode=False)


def screen(replay: Replay, shown: int, columns: int = 80, rows: int = 24, options: DrawOptions = ASCII) -> list[str]:
    playback = Playback(Timeline(replay), speed=8, step=True)
    playback.timeline.go_to(shown)
    return compose(playback, replay, THEME, options, columns, rows=rows)


def test_a_screen() -> None:
    assert screen(walk(10), 6, columns=60) == [
        "  +0---------5---------10--------15--------+",
        "0 |            a>                          |",
        "1 |                                        |",
        "2 |                                        |",
        "3 |                                        |",
        "  +----------------------------------------+",
        "round 6 of 10  paused  8/s  a walk",
        "========================X===========------------------x-----",
        "1 ann: 6   2 bo: 0.5",
        "",
        "1 Walk   2 Wait",
        "",
        "round 5: lap 1",
        "",
        "",
        "space play  , . step  + - speed  n p events  ? help  q quit",
    ]


def test_the_end_tells_how_it_ended() -> None:
    lines = screen(walk(10), 10)
    assert "round 10: lap 2" in lines
    assert "ann won by walking" in lines
    assert "ann won by walking" not in screen(walk(10), 9)


def test_untrusted_text_cannot_reach_the_terminal() -> None:
    hostile = "\x1b]0;owned\x07\x1b[2J\u202eevil"
    replay = walk(1, title=hostile, seats=(hostile, "bo"))
    replay.message = hostile
    replay.frames = [Frame(((0, hostile),), (hostile, hostile), (), (hostile,))]
    lines = screen(replay, 1, options=DrawOptions())
    assert not [character for line in lines for character in line if not character.isprintable()]
    assert any("evil" in line for line in lines)


@given(st.integers(1, 130), st.integers(1, 50), st.integers(1, 40), st.integers(1, 40), st.sampled_from(ColorDepth), st.booleans())
def test_the_screen_fits_the_terminal(columns: int, rows: int, width: int, height: int, depth: ColorDepth, unicode: bool) -> None:
    replay = walk(6, width, height, seats=("ann", "東京" * 30, "c", "d", "e"))
    for helping in (False, True):
        playback = Playback(Timeline(replay), speed=8, step=True)
        playback.timeline.go_to(6)
        playback.helping = helping
        lines = compose(playback, replay, THEME, DrawOptions(depth, unicode), columns, rows=rows)
        assert 1 <= len(lines) <= rows
        assert max(visible_width(plain(line)) for line in lines) <= columns


def test_what_changed_is_in_the_part_that_is_shown() -> None:
    replay = walk(75, width=40)
    lines = screen(replay, 75, columns=44, rows=12)
    assert any("a>" in line for line in lines)
    assert any("x 20-39 y 0-3" in line for line in lines)
    assert not any("x 20-39" in line for line in screen(replay, 5, columns=44, rows=12))


def test_help_names_the_keys_and_what_is_on_the_board() -> None:
    replay = walk(10)
    playback = Playback(Timeline(replay), speed=8, step=True)
    playback.helping = True
    text = "\n".join(compose(playback, replay, THEME, ASCII, 80, rows=40))
    assert "space              play, pause" in text
    assert "a>  ant facing right" in text


def test_numbers_in_short() -> None:
    assert ranges([1, 2, 3, 5, 8, 9]) == "1-3,5,8-9"


def test_actors_that_did_the_same_stand_together() -> None:
    def text(*actions: str) -> list[str]:
        return ["".join(span.text for span in piece) for piece in action_pieces(Frame((), actions), ASCII)]

    assert text("Shoot", "killed", "Shoot") == ["1,3 Shoot", "2 killed"]
    assert text("b2-b4") == ["b2-b4"]
    assert text() == []
    assert text(*["killed", "Wait"] * 20, "Shoot") == [
        "41 Shoot",
        "1,3,5,7,9,11,13,15,17... (20) killed",
        "2,4,6,8,10,12,14,16,1... (20) Wait",
    ]


def test_the_bar_of_a_match_without_rounds() -> None:
    assert bar(Timeline(walk(0)), 5, ASCII) == "-----"
