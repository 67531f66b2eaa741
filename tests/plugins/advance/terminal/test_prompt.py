"""The question for one move, and what may be typed."""

from __future__ import annotations

import io

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.positions import START
from tiltyard_advance.rules import WHITE, Board
from tiltyard_advance.terminal.move_words import words_of
from tiltyard_advance.terminal.prompt import AdvancePrompt, Scene
from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError
from tiltyard_kit.terminal.move_prompt import Command


def leave(_: str) -> None:
    raise LeftError("quit")


def talk(typed: str, text: str = START, confirms: bool = True) -> tuple[int, str]:
    """The move, 0 where the person left; and all that was said."""
    said = io.StringIO()
    board = Board(text)
    console = Console(io.StringIO(typed), said)
    try:
        move = AdvancePrompt(console, Scene(board, WHITE), {"quit": Command("leave", leave)}, confirms).ask()
    except InputEndedError:
        raise
    except LeftError:
        move = 0
    finally:
        assert board.text() == text, "a talk leaves the board as it was"
    return move, said.getvalue()


def played(typed: str, text: str = START, confirms: bool = True) -> str:
    return words_of(talk(typed, text, confirms)[0])


def test_a_move_and_its_confirmation() -> None:
    move, said = talk("c8 c7\n\n")
    assert words_of(move) == "c8 c7"
    assert "Zombie c8 to c7\nEnter plays it, undo cancels it> \n" in said
    assert "[Z ]" in said
    assert played("c8c7\n", confirms=False) == "c8 c7"
    assert played("c8 c7\nyes\n") == "c8 c7"


def test_taken_back_before_it_was_played() -> None:
    assert played("c8 c7\nundo\nd8 d7\n\n") == "d8 d7"
    assert played("c8 c7\nn\nd8 d7\n\n") == "d8 d7"
    assert played("c8 c7\nd8 d7\n\n") == "d8 d7"
    move, said = talk("c8 c7\nnonsense\nquit\n")
    assert move == 0
    assert "cannot understand 'nonsense'" in said


def test_a_piece_first_and_then_where_to() -> None:
    move, said = talk("c8\nd7\n\n")
    assert words_of(move) == "c8 d7"
    assert "Z c8: b7 c7 d7\nwhere to? (Enter goes back)" in said
    assert "<Z >" in said
    assert said.count("(. )") == 3
    assert played("c8\n\nd8 d7\n\n") == "d8 d7"
    assert played("c8\nd8\nd7\n\n") == "d8 d7"


def test_where_a_builder_can_do_two_things_it_is_asked() -> None:
    move, said = talk("a8 a7\nb\n\n")
    assert words_of(move) == "a8 a7 b"
    assert "a7: m move, b build a wall> b\n" in said
    assert "Builder a8 builds a wall at a7" in said
    assert played("a8 a7\nm\n\n") == "a8 a7"
    assert played("a8 a7 b\n\n") == "a8 a7 b"
    assert "no move chosen" in talk("a8 a7\n\nquit\n")[1]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("b9 a9", "Jester b9 changes places with Miner a9"),
        ("e5 d4", "Jester e5 converts Dragon d4"),
        ("e6 e3", "Catapult e6 shoots Zombie e3"),
        ("i9 i1", "Miner i9 takes wall i1"),
    ],
)
def test_other_actions_need_no_letter(words: str, said: str) -> None:
    text = sparse("Ma9", "Jb9", "Je5", "dd4", "Ce6", "ze3", "Mi9", "#i1", "Gg9", "gg1")
    assert said in talk(f"{words}\n\n", text)[1]


def test_help_hint_moves_flip() -> None:
    _, said = talk("?\nhint\nmoves\nflip\nboard\nundo\nquit\n")
    assert "c8 c7     the piece on c8 acts on c7" in said
    assert "quit      leave" in said
    assert "the champion would play" in said
    assert "B a8: a7 b7; walls a7 b7" in said
    assert said.count("\n   i   h   g   f   e   d   c   b   a\n1") == 0
    assert said.count("\n9  M   J   D^") == 2


def test_danger_is_told() -> None:
    text = sparse("Ga9", "ma1", "Mb5", "gi1")
    move, said = talk("b5 b6\na9 b9\n\n", text)
    assert "Your General is in danger." in said
    assert "b5 b6 would leave your General in danger" in said
    assert words_of(move) == "a9 b9"
    assert "black's General is in danger" in talk("b5 b1\n\n", text.replace("m", "."))[1]


def test_the_end_of_the_input() -> None:
    for typed in ("", "c8\n", "c8 c7\n", "a8 a7\n"):
        with pytest.raises(InputEndedError):
            talk(typed)
