from __future__ import annotations

import io

import pytest
from PIL import Image, ImageChops, ImageSequence
from tests.simulator.pictures.samples import BLUE, THEME, march

from tiltyard_engine.replay import Replay
from tiltyard_simulator.pictures import DARK, Picture, film_rounds, gif_film, png_picture
from tiltyard_simulator.pictures.look import rgb


def film(replay: Replay, speed: float = 8, first: int = 0, last: int | None = None) -> tuple[Picture, Image.Image]:
    picture = Picture(replay, THEME)
    return picture, Image.open(io.BytesIO(gif_film(picture, film_rounds(replay, speed, first, last))))


def test_a_frame_a_round_and_the_result_which_stays_longer() -> None:
    picture, image = film(march(10))
    assert (image.format, image.size) == ("GIF", (picture.sheet.width, picture.sheet.height))
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
        board = (0, picture.sheet.board_y, picture.sheet.width, picture.sheet.board_y + picture.sheet.board_height)
        still = Image.open(io.BytesIO(png_picture(picture, number)))
        far = ImageChops.difference(frame.convert("RGB").crop(board), still.convert("RGB").crop(board)).getextrema()
        assert max(int(high) for _, high in far) <= 40  # type: ignore[misc]


def test_the_tank_moves_in_its_seats_color() -> None:
    picture, image = film(march(6))
    page = picture.sheet
    for number, frame in enumerate(ImageSequence.Iterator(image)):
        if number > 6:
            continue
        row = frame.convert("RGB").crop((page.board_x, page.board_y, page.board_x + page.board_width, page.board_y + page.square))
        blue = [x for x in range(row.width) for y in range(row.height) if row.getpixel((x, y)) == rgb(BLUE)]
        assert {x // page.square for x in blue} == {number}
        assert frame.convert("RGB").getpixel((0, 0)) == rgb(DARK.paper)


def test_frames_hold_only_what_changed() -> None:
    """A large board on which one piece moves adds little for each round."""
    replay = march(40, 40, 30)
    small, large = (len(gif_film(Picture(replay, THEME), film_rounds(replay, 8, 0, last))) for last in (10, 30))
    assert (large - small) / 20 < 3000


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
