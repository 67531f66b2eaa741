from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.viewer.samples import walk

from tiltyard_engine.replay import Frame, Replay
from tiltyard_viewer.drawing.timeline import Timeline

changes = st.lists(st.tuples(st.integers(0, 8), st.sampled_from(["a", "b", " "])), max_size=5)


@given(st.lists(changes, max_size=12), st.lists(st.integers(-2, 15), max_size=12))
def test_any_way_to_a_round_shows_the_board_of_that_round(rounds: list[list[tuple[int, str]]], visited: list[int]) -> None:
    replay = Replay(
        game="ants", width=3, height=3, squares=(" ",) * 9, frames=[Frame(tuple(round_changes)) for round_changes in rounds]
    )
    timeline = Timeline(replay)
    for target in visited:
        timeline.go_to(target)
        assert timeline.round == max(0, min(target, len(rounds)))
        assert timeline.squares == replay.squares_after(timeline.round)


def test_the_frame_shown_is_the_round_shown() -> None:
    timeline = Timeline(walk(7))
    assert timeline.frame == Frame(())
    timeline.go_to(3)
    assert timeline.frame.scores == (3.0, 0.5)


def test_notes_are_found_either_way() -> None:
    timeline = Timeline(walk(17))
    assert (timeline.previous_notes(), timeline.next_notes()) == (None, 5)
    timeline.go_to(10)
    assert (timeline.previous_notes(), timeline.next_notes()) == (5, 15)
    assert timeline.recent_notes(5) == [(5, "lap 1"), (10, "lap 2")]
    assert timeline.recent_notes(1) == [(10, "lap 2")]
    timeline.go_to(16)
    assert (timeline.previous_notes(), timeline.next_notes()) == (15, None)


@pytest.mark.parametrize("square", [-1, 80])
def test_a_square_outside_the_board_is_refused(square: int) -> None:
    timeline = Timeline(walk(2))
    with pytest.raises(ValueError, match=f"round 3 changes square {square}, but the board has 80"):
        timeline.append(Frame(((square, "#"),)))


def test_a_start_board_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(ValueError, match="8 squares, not 3 x 3"):
        Timeline(Replay(game="ants", width=3, height=3, squares=(" ",) * 8))
