from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.viewer.samples import THEME, plain

from tiltyard_engine.replay import Frame, Replay
from tiltyard_viewer.drawing.colors import ColorDepth
from tiltyard_viewer.drawing.growth import draw_growth, is_worth_drawing
from tiltyard_viewer.drawing.options import DrawOptions, render
from tiltyard_viewer.drawing.text import visible_width
from tiltyard_viewer.drawing.timeline import Timeline

ASCII = DrawOptions(unicode=False)


def timeline(*scores: tuple[float, ...], shown: int = 0) -> Timeline:
    made = Timeline(Replay(game="ants", width=1, height=1, squares=(" ",), frames=[Frame((), (), of_round) for of_round in scores]))
    made.go_to(shown)
    return made


def drawn(made: Timeline, columns: int = 24, lines: int = 5, options: DrawOptions = ASCII) -> list[str]:
    return [render(spans, columns, options) for spans in draw_growth(made, THEME, options, columns, lines)]


def test_a_line_a_seat_with_strokes_where_a_score_jumps() -> None:
    made = timeline((1, 0), (1, 4), (1, 4), (4, 4), shown=2)
    assert drawn(made) == [
        "4         22222222222***",
        "          2 |        1  ",
        "          2 |        1  ",
        "     11111*11111111111  ",
        "0    222222 |           ",
    ]


def test_a_round_that_tells_no_scores_keeps_those_before_it() -> None:
    with_gaps = timeline((1, 0), (), (2, 0), ())
    assert drawn(with_gaps) == drawn(timeline((1, 0), (1, 0), (2, 0), (2, 0)))


def test_what_is_worth_drawing() -> None:
    assert is_worth_drawing(timeline((1, 0), (1, 1)))
    assert not is_worth_drawing(timeline((1, 1), (1, 1)))
    assert not is_worth_drawing(timeline((), ()))
    assert not is_worth_drawing(timeline())


def test_scores_below_nothing() -> None:
    lines = drawn(timeline((-2,), (2,)))
    assert (lines[0][:2], lines[-1][:2]) == (" 2", "-2")


def test_too_little_room_is_left_empty() -> None:
    made = timeline((1, 0), (2, 0))
    assert drawn(made, columns=21) == []
    assert drawn(made, lines=3) == []


def test_with_colours_a_character_holds_two_points() -> None:
    options = DrawOptions(ColorDepth.TRUECOLOR)
    lines = drawn(timeline((8, 7), (8, 0)), lines=4, options=options)
    blue, orange = "38;2;0;114;178", "38;2;230;159;0"
    assert blue in lines[0]
    assert "▀" in plain(lines[0])
    assert any(orange in line for line in lines[1:])
    assert "1" not in "".join(map(plain, lines))


@given(
    st.lists(st.lists(st.floats(-1e9, 1e9), max_size=5).map(tuple), max_size=30),
    st.integers(0, 60),
    st.integers(0, 12),
    st.sampled_from(ColorDepth),
    st.booleans(),
    st.integers(0, 30),
)
def test_any_scores_fit(
    scores: list[tuple[float, ...]], columns: int, lines: int, depth: ColorDepth, unicode: bool, shown: int
) -> None:
    options = DrawOptions(depth, unicode)
    graph = draw_growth(timeline(*scores, shown=shown), THEME, options, columns, lines)
    assert len(graph) in (0, lines)
    for spans in graph:
        assert visible_width("".join(span.text for span in spans)) <= columns
        assert unicode or "".join(span.text for span in spans).isascii()
