from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops, ImageSequence
from PIL.ImageColor import getrgb
from tests.pictures.samples import BLUE, THEME, march

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_pictures.film import MOST_FRAMES, FilmPlan, film_rounds, gif_film
from tiltyard_pictures.marks import DARK
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.raster import png_picture


def film(replay: Replay, speed: float = 8, first: int = 0, last: int | None = None) -> tuple[MatchPicture, Image.Image]:
    picture = MatchPicture(replay, THEME)
    return picture, Image.open(io.BytesIO(gif_film(picture, film_rounds(replay, speed, first, last))))


def test_a_frame_a_round_and_the_result_which_stays_longer() -> None:
    picture, image = film(march(10))
    assert (image.format, image.size) == ("GIF", (picture.layout.width, picture.layout.height))
    durations = [frame.info["duration"] for frame in ImageSequence.Iterator(image)]
    assert len(durations) == 12
    assert sum(durations[:-1]) == pytest.approx(11 * 125, abs=10)
    assert durations[-1] == 3000
    assert image.info["loop"] == 0


def test_every_frame_shows_what_the_picture_of_its_round_shows() -> None:
    replay = march(10)
    picture, image = film(replay)
    for number, frame in enumerate(ImageSequence.Iterator(image)):
        if number > 10:
            continue
        board = (0, picture.layout.board_y, picture.layout.width, picture.layout.board_y + picture.layout.board_height)
        still = Image.open(io.BytesIO(png_picture(picture, number)))
        far = ImageChops.difference(frame.convert("RGB").crop(board), still.convert("RGB").crop(board)).getextrema()
        assert max(int(high) for _, high in far) <= 40  # type: ignore[misc]


def test_the_tank_moves_in_its_seats_color() -> None:
    picture, image = film(march(6))
    page = picture.layout
    for number, frame in enumerate(ImageSequence.Iterator(image)):
        if number > 6:
            continue
        row = frame.convert("RGB").crop((page.board_x, page.board_y, page.board_x + page.board_width, page.board_y + page.square))
        blue = [x for x in range(row.width) for y in range(row.height) if row.getpixel((x, y)) == getrgb(BLUE)]
        assert {x // page.square for x in blue} == {number}
        assert frame.convert("RGB").getpixel((0, 0)) == getrgb(DARK.paper)


def test_frames_hold_only_what_changed() -> None:
    """A large board on which one piece moves adds little for each round."""
    replay = march(9, 30, 20)
    small, large = (len(gif_film(MatchPicture(replay, THEME), film_rounds(replay, 8, 0, last))) for last in (2, 8))
    assert (large - small) / 6 < 3000


def test_the_result_is_told_at_the_games_end_only() -> None:
    replay = march(10)
    _, whole = film(replay)
    whole.seek(10)
    before = whole.convert("RGB")
    whole.seek(11)
    assert ImageChops.difference(before, whole.convert("RGB")).getbbox() is not None
    _, part = film(replay, first=2, last=5)
    assert part.n_frames == 5  # type: ignore[attr-defined]
    part.seek(3)
    before = part.convert("RGB")
    part.seek(4)
    assert ImageChops.difference(before, part.convert("RGB")).getbbox() is None


def test_a_game_without_rounds_is_a_film_too() -> None:
    _, image = film(march(0))
    assert image.n_frames == 2  # type: ignore[attr-defined]


def test_a_short_game_is_shown_whole() -> None:
    assert film_rounds(march(5), 8) == FilmPlan((0, 1, 2, 3, 4, 5), 0.125, 1, True)


def test_a_part_of_a_game_does_not_tell_the_result() -> None:
    assert film_rounds(march(9), 4, 2, 5) == FilmPlan((2, 3, 4, 5), 0.25, 1, False)
    assert film_rounds(march(9), 4, 8).whole


@pytest.mark.parametrize("rounds", [MOST_FRAMES - 1, MOST_FRAMES, 1000, 1999, 5000])
def test_a_long_game_is_thinned_and_keeps_its_end(rounds: int) -> None:
    plan = film_rounds(march(rounds), 8)
    assert len(plan.rounds) <= MOST_FRAMES + 1
    assert (plan.rounds[0], plan.rounds[-1]) == (0, rounds)
    assert (plan.every == 1) == (rounds < MOST_FRAMES)
    assert {after - before for before, after in zip(plan.rounds, plan.rounds[1:-1])} == {plan.every}


def test_what_is_too_quick_to_be_seen_leaves_rounds_out() -> None:
    plan = film_rounds(march(100), 50)
    assert (plan.every, plan.seconds) == (2, 0.04)


@pytest.mark.parametrize(
    ("speed", "first", "last", "message"),
    [
        (0, 0, None, "above 0 rounds per second, got 0"),
        (float("nan"), 0, None, "above 0 rounds per second, got nan"),
        (8, 0, 6, "no rounds 0 to 6: the game has rounds 0, its start, to 5"),
        (8, -1, None, "no rounds -1 to 5"),
        (8, 4, 3, "no rounds 4 to 3"),
    ],
)
def test_mistakes(speed: float, first: int, last: int | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        film_rounds(march(5), speed, first, last)
