from __future__ import annotations

import pytest
from tests.viewer.samples import walk

from tiltyard_engine.replay import Frame
from tiltyard_viewer.drawing.draw import Viewport
from tiltyard_viewer.drawing.timeline import Timeline
from tiltyard_viewer.player.playback import FASTEST, SLOWEST, Playback


def playback(rounds: int = 20, *, step: bool = False, growing: bool = False, speed: float = 4) -> Playback:
    return Playback(Timeline(walk(rounds)), speed=speed, step=step, growing=growing)


def test_time_moves_it_on_at_its_speed() -> None:
    player = playback()
    shown = []
    for quarter in range(5):
        player.advance(100 + quarter / 4)
        shown.append(player.timeline.round)
    assert shown == [0, 1, 2, 3, 4]
    assert player.due_at() == 101.25


def test_rounds_are_skipped_rather_than_shown_late() -> None:
    player = playback(500, speed=100)
    player.advance(0)
    player.advance(0.505)
    assert player.timeline.round == 50


def test_after_a_long_pause_of_the_whole_program_it_goes_on_from_where_it_was() -> None:
    player = playback()
    player.advance(0)
    player.advance(1000)
    assert player.timeline.round == 1


def test_it_stops_at_the_end_and_space_plays_again() -> None:
    player = playback(2)
    for now in (0.0, 0.9, 1.8, 2.7):
        player.advance(now)
    assert player.at_end
    assert not player.playing
    assert player.due_at() is None
    player.press(" ")
    assert (player.timeline.round, player.playing) == (0, True)


def test_a_growing_match_is_waited_for() -> None:
    player = playback(1, growing=True)
    for now in (0.0, 0.9, 50.0):
        player.advance(now)
    assert player.waiting
    assert player.due_at() is None
    player.timeline.append(Frame(()))
    player.advance(50.0)
    assert player.timeline.round == 2
    player.growing = False
    assert player.at_end


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ([".", ".", "right"], 3),
        ([".", "right", ",", "left"], 0),
        ([",", "p"], 0),
        (["end", "left"], 19),
        (["G", "home"], 0),
        (["G", "g"], 0),
        (["n"], 5),
        (["n", "n", "p"], 5),
        (["end", "n"], 20),
        (["page-down", "page-down", "page-down", "page-up"], 10),
        (["?", "."], 0),
        (["?", "escape", "."], 1),
        (["x", "enter", "escape"], 0),
    ],
)
def test_keys_show_other_rounds(keys: list[str], shown: int) -> None:
    player = playback(step=True)
    for key in keys:
        player.press(key)
    assert player.timeline.round == shown
    assert not player.playing


def test_looking_at_a_round_pauses_and_the_end_of_a_growing_match_plays_on() -> None:
    player = playback(growing=True)
    player.press(".")
    assert not player.playing
    player.press("G")
    assert player.playing


def test_speed_has_its_limits() -> None:
    player = playback()
    player.press("+")
    assert player.speed == 8
    for _ in range(20):
        player.press("+")
    assert player.speed == FASTEST
    for _ in range(40):
        player.press("-")
    assert player.speed == SLOWEST


def test_the_view_follows_until_somebody_scrolls() -> None:
    player = playback(19, step=True)
    player.press("end")
    assert player.viewport(4, 2) == Viewport(16, 0, 4, 2)
    player.press("h")
    player.press("down")
    assert player.viewport(4, 2) == Viewport(15, 1, 4, 2)
    player.press("home")
    player.press(".")
    assert player.viewport(4, 2) == Viewport(15, 1, 4, 2)
    player.press("f")
    assert player.viewport(4, 2) == Viewport(0, 0, 4, 2)


def test_q_quits_even_from_help() -> None:
    player = playback()
    player.press("?")
    player.press("q")
    assert player.quitting
