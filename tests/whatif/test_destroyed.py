"""Which tanks were destroyed, when and where, as a replay says it."""

from __future__ import annotations

from tests.whatif.games import match_of

from tiltyard_engine.replay import Frame, Replay
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.files import record_replay
from tiltyard_whatif.destroyed import Destruction, destructions, difference


def made(*frames: Frame) -> Replay:
    """On a board of four columns and two rows, player 1 has two tanks and player 2 has one."""
    squares = ("12", " ", "12", " ", " ", " ", " ", "26")
    return Replay(game="tanks", width=4, height=2, squares=squares, seats=("ann", "bob"), frames=list(frames))


LOST = Frame(((0, " "), (1, "12"), (2, " ")), notes=("tank 2 of player 1 lost",))
"""One tank moves, the other is hit."""


def test_a_tank_that_moved_is_told_from_one_that_is_gone() -> None:
    assert list(destructions(made(Frame(((5, "*0"),)), LOST))) == [Destruction(2, 2, 1, 2)]
    two = Frame(
        ((0, " "), (2, " "), (7, "#")), notes=("tank 1 of player 1 lost", "tank 3 of player 2 lost", "tank 2 of player 1 lost")
    )
    assert list(destructions(made(two))) == [Destruction(1, 1, 1, 0), Destruction(1, 2, 1, 2), Destruction(1, 3, 2, 7)]


def test_where_the_board_does_not_tell_there_is_no_square() -> None:
    assert list(destructions(made(Frame((), notes=("tank 1 of player 1 lost", "mate in two"))))) == [Destruction(1, 1, 1, None)]


def test_the_difference_says_who_was_destroyed_and_who_was_not_any_more() -> None:
    hit = made(Frame(), Frame(((7, " "),), notes=("tank 3 of player 2 lost",)))
    lost = made(LOST)
    names = ("ann", "bob")
    expected = "tank 3 of bob is destroyed in turn 2, and tank 2 of ann is not destroyed in turn 1"
    assert difference(lost, hit, 1, names) == expected
    expected = "tank 2 of ann is destroyed in turn 1, and tank 3 of bob is not destroyed in turn 2"
    assert difference(hit, lost, 2, names) == expected
    assert difference(lost, lost, 1, names) == ""


def test_a_match_of_tanks_says_where_each_of_them_was() -> None:
    replay = record_replay(play_match(match_of("tanks", ["bramble", "coyote"], "narrow-pass")))
    assert replay is not None
    lost = list(destructions(replay))
    assert [each.turn for each in lost] == [number for number, frame in enumerate(replay.frames, start=1) for _ in frame.notes]
    for each in lost:
        assert each.square is not None
        assert replay.squares_after(each.turn - 1)[each.square][0] == str(each.seat)
        assert replay.squares_after(each.turn)[each.square] != replay.squares_after(each.turn - 1)[each.square]
