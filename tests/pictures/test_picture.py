from __future__ import annotations

from dataclasses import replace

import pytest
from tests.pictures.samples import THEME, march

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Frame, Replay
from tiltyard_pictures.layout import cut_to, text_width
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture


def test_the_caption_tells_a_lone_players_action_and_its_events() -> None:
    replay = march(2)
    replay.frames[0] = Frame((), ("a8 to a7", ""), (), ("bo is in danger",))
    replay.frames[1] = Frame((), ("", "b1 takes a7"))
    replay.message = ""
    picture = MatchPicture(replay, THEME)
    assert [words.text for words in picture.caption(1)] == ["ann: a8 to a7; bo is in danger"]
    assert [words.text for words in picture.caption(2)] == ["bo: b1 takes a7"]
    replay.frames[1] = Frame((), ("", "the Builder on b3 builds a wall at a3"))
    assert picture.caption(2)[0].text == "the Builder on b3 builds a wall at a3", "a name that does not fit goes first"
    replay.frames[1] = Frame((), ("walk", "wait"))
    assert not MatchPicture(replay, THEME).caption(2), "where all act at once there is too much to tell"


def test_columns_and_rows_bear_the_games_own_names() -> None:
    named = replace(THEME, column_names=tuple("abcdefgh"), row_names=("3", "2", "1"))
    picture = MatchPicture(march(1), named)
    assert [words.text for words in picture.info(1)[2:]] == list("abcdefgh")
    assert [words.text for words in picture.row_names()] == ["3", "2", "1"]
    assert all(words.x <= picture.layout.board_x for words in picture.row_names())
    assert all(words.y < picture.layout.board_y for words in picture.info(1))
    svg = svg_picture(picture, 1)
    assert all(f">{name}</text>" in svg for name in "abcdefgh321")
    plain = MatchPicture(march(1), THEME)
    assert (len(plain.info(1)), plain.row_names()) == (2, [])
    assert not MatchPicture(march(1), named, 0.2).row_names(), "too small to be read"


def test_a_long_result_is_told_in_several_lines() -> None:
    replay = march(2)
    replay.message = "White (advance-level-7) won: black has no legal move; material 24 : 0"
    picture = MatchPicture(replay, THEME)
    banner = picture.result()
    assert banner is not None
    assert banner.text.replace("\n", " ") == replay.message
    assert 1 < len(banner.text.splitlines()) <= 3
    assert banner.width <= picture.layout.width
    replay.message = "word " * 100
    banner = picture.result()
    assert banner is not None
    assert banner.text.endswith("\u2026")
    assert len(banner.text.splitlines()) == 3


def test_squares_have_a_size_that_fits_a_page() -> None:
    assert MatchPicture(march(1, 10, 5), THEME).layout.square == 32
    assert MatchPicture(march(1, 40, 20), THEME).layout.square == 20
    assert MatchPicture(march(1, 40, 20), THEME, scale=2).layout.square == 40
    assert MatchPicture(march(1, 400, 400), THEME).layout.square == 4


def test_a_small_board_is_in_the_middle_below_the_names() -> None:
    page = MatchPicture(march(1, 4, 3), THEME).layout
    assert page.board_x * 2 + page.board_width == page.width
    assert page.width > page.board_width
    assert all(y < page.board_y for _, y, _ in page.pills)


def test_many_players_go_on_in_a_next_row_within_the_picture() -> None:
    page = MatchPicture(march(1, 4, 3, tuple(f"team number {seat}" for seat in range(9))), THEME).layout
    assert len({y for _, y, _ in page.pills}) > 1
    assert all(x + width <= page.width for x, _, width in page.pills)


def test_a_name_from_right_to_left_stays_between_its_number_and_its_score() -> None:
    hebrew = "\u05d3\u05e8\u05e7\u05d5\u05df"
    first, second = MatchPicture(march(3, seats=(hebrew, "bo")), THEME).pills(3)
    assert (first.text, second.text) == (f"\u200e1 {hebrew}\u200e: 3", "2 bo: 0.5")


def test_texts_are_cut_where_there_is_no_room() -> None:
    assert cut_to("short", 10, 1000) == "short"
    cut = cut_to("much too long a text", 10, 60)
    assert cut.endswith("\u2026")
    assert text_width(cut, 10) <= 60


@pytest.mark.parametrize(
    ("replay", "scale", "message"),
    [
        (march(1), 0.0, "the scale must be above 0, got 0"),
        (march(1), 1000.0, "is too large; the limit is 40,000,000"),
        (Replay(game="ants", width=0, height=0, squares=()), 1.0, "nothing was recorded"),
    ],
)
def test_what_cannot_be_drawn(replay: Replay, scale: float, message: str) -> None:
    with pytest.raises(UserError, match=message):
        MatchPicture(replay, THEME, scale)


def test_a_long_result_is_told_to_its_end() -> None:
    replay = march(2)
    short = MatchPicture(replay, THEME)
    replay.message = "ann won because " + ", and then ".join(["the tank of bo was destroyed in the end"] * 5)
    long = MatchPicture(replay, THEME)
    lines = long.caption(2)
    assert " ".join(line.text for line in lines) == replay.message
    assert len({line.y for line in lines}) == len(lines) > 3
    assert all(text_width(line.text, line.size) <= long.layout.width - 2 * long.layout.text_x for line in lines)
    assert lines[-1].y + lines[-1].size < long.layout.height
    # All else stays where it was.
    assert (long.layout.board_y, long.layout.width) == (short.layout.board_y, short.layout.width)
    assert len(long.caption(1)) == 1
