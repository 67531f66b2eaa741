"""A person who is asked for one move: what may be typed, and what comes of it."""

from __future__ import annotations

import io

import pytest

from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_penguins.board_files import read_board_file
from tiltyard_penguins.positions import MOVEMENT, PASS, PLACEMENT, Move, PenguinsPosition, position_of
from tiltyard_penguins.terminal.table import person_seat

FILE = b"3 4\n10 20 02 30\n01 20 10 00\n00 10 01 20\nanna 1 7\nben 2 12\n"
NEW = b"2 3\n10 20 10\n00 10 30\n"


def position(data: bytes = FILE, phase: str = MOVEMENT) -> PenguinsPosition:
    return position_of(read_board_file(data), phase, 2, 1)


def answer(typed: str, asked: PenguinsPosition | None = None) -> tuple[Move, str]:
    """The move, and all that was shown."""
    screen = io.StringIO()
    move = person_seat(Console(io.StringIO(typed), screen), "Anna").choose(asked or position())
    return move, screen.getvalue()


@pytest.mark.parametrize(
    "typed",
    ["a2\nb2\n\n", "a2 b2\n\n", "a2b2\nyes\n", "A2-B2\ny\n", "a2 to b2\nok\n", "a2,b2\n\n", "c3\na2\nb2\n\n", "b3\na2 b2\n\n"],
)
def test_ways_to_say_a_move(typed: str) -> None:
    move, shown = answer(typed)
    assert move == Move(5, 4)
    assert "a2 to b2, 2 fish" in shown


def test_a_placement() -> None:
    move, shown = answer("b1\nc1 a1\nb2\n\n", position(NEW, PLACEMENT))
    assert move == Move(4)
    assert "Anna, where to place penguin 1 of 2?" in shown
    assert "b1: a penguin can only be placed on a floe with exactly one fish" in shown
    assert "give one square" in shown
    assert "1 [1] 2 [1] 1" in shown


def test_what_is_chosen_is_marked() -> None:
    _, shown = answer("a2\nb2\n\n")
    assert "2 [A] 2  1  .  2\n3  .  1 [A] 2  3" in shown
    assert "1 [1] 2 <B>" not in shown  # nobody came: it is the first look
    assert "1 [1] 2  B  3  1\n2  A [2][1] .  2" in shown
    assert "a2 can go to (fish in brackets): up a1(1), right b2(2) c2(1)" in shown
    assert "1  1  2  B  3  1\n2  . <A> 1  .  2" in shown, "what it will look like"
    assert ">A Anna 9" in shown


def test_undo_is_for_what_was_chosen() -> None:
    move, shown = answer("a2 b2\nundo\na2\nundo\nundo\nc3 d3\n\n")
    assert move == Move(11, 10)
    assert shown.count("nothing is chosen yet; finished moves cannot be undone") == 1


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("a2 d2", "a2 to d2: there is no floe"),
        ("a2 b3", "a2 to b3: start and target are not in the same row or column"),
        ("c1 d1", "c1 to d1: the penguin belongs to another player"),
        ("c3 c1", "c3 to c1: there is a penguin already"),
        ("b2 b3", "b2 to b3: there is no penguin at the start square"),
        ("b2", "b2: none of your penguins is there; they are at a2 c3"),
        ("e9", "'e9' is not a square (a1 to d3) and not a command"),
        ("hlep", "'hlep' is not a square"),
        ("a2 b2 c2", "give two squares"),
    ],
)
def test_what_cannot_be(typed: str, message: str) -> None:
    move, shown = answer(f"{typed}\na2 b2\n\n")
    assert move == Move(5, 4)
    assert message in shown


def test_a_blocked_penguin_is_not_offered() -> None:
    blocked = position(b"2 3\n01 00 10\n00 00 01\nanna 1 2\n")
    move, shown = answer("a1\nc2 c1\n\n", blocked)
    assert move == Move(2, 5)
    assert "which penguin moves: c2?" in shown
    assert "a1: this penguin is blocked" in shown


def test_help_hint_and_lists() -> None:
    _, shown = answer("help\nhint\nmoves\nboard\na2 b2\nhint\n\n")
    assert "c4 c7     choose a penguin and its target at once" in shown
    assert shown.count("the champion: ") == 2
    assert (
        "a2 can go to (fish in brackets): up a1(1), right b2(2) c2(1)\n"
        "c3 can go to (fish in brackets): up c2(1), left b3(1), right d3(2)" in shown
    )
    assert max(map(len, shown.splitlines())) <= 80


def test_nothing_to_do_is_not_asked() -> None:
    assert answer("", position(b"1 2\n01 00\nanna 1 1\n"))[0] == PASS


def test_leaving() -> None:
    with pytest.raises(LeftError, match="Anna left"):
        answer("a2 b2\nq\n")


def test_what_others_did_meanwhile_is_marked() -> None:
    screen = io.StringIO()
    person = person_seat(Console(io.StringIO("a2 b2\n\nb2 b3\n\n"), screen), "Anna")
    person.choose(position())
    screen.seek(screen.truncate(0))
    person.choose(position(b"3 4\n10 20 00 02\n00 01 10 00\n00 10 01 20\nanna 1 9\nben 2 15\n"))
    assert "1  1  2  . <B> 1" in screen.getvalue()
    assert "Anna: " not in screen.getvalue(), "nobody hears of what they did themselves"
