"""The question for a move in a game of which nothing matters but its talk: a move is a square, after a piece or alone."""

from __future__ import annotations

import io

import pytest

from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError
from tiltyard_kit.terminal.move_prompt import Command, MovePrompt, NoMoveError


class LinePrompt(MovePrompt[int]):
    """Pieces stand on 1 and 2; a move is a number from 3 to 9."""

    ways = "5         go to 5"
    legend = "That is all."
    confirm_question = "sure?"
    nothing_to_undo = "nothing to undo"

    def question(self) -> str:
        return "move?" if self.chosen < 0 else f"from {self.chosen}?"

    def show(self) -> None:
        self.console.show(f"board {self.chosen}")

    def find(self, text: str) -> int | None:
        if text in ("1", "2"):
            self.chosen = int(text)
            return None
        if not text.isdecimal():
            raise NoMoveError(f"'{text}' is no number")
        return int(text)

    def preview(self, move: int) -> None:
        self.console.show(f"board after {move}")

    def describe(self, move: int) -> str:
        return f"go to {move}"

    def list_moves(self) -> None:
        self.console.say("3 to 9")

    def hint(self) -> None:
        self.console.say("try 4")


def leave(_: str) -> None:
    raise LeftError("left")


def ask(typed: str, confirms: bool = True) -> tuple[int, list[str]]:
    screen = io.StringIO()
    console = Console(io.StringIO(typed), screen)
    commands = {
        "quit": Command("leave", leave),
        "note": Command("write something down", lambda words: console.say(f"noted: {words}"), takes_words=True),
    }
    move = LinePrompt(console, commands, confirms).ask()
    return move, screen.getvalue().splitlines()


def test_a_move_is_shown_and_confirmed() -> None:
    assert ask("5\n\n") == (5, ["", "board -1", "move? 5", "", "board after 5", "go to 5", "sure? "])
    assert ask("5\n", confirms=False) == (5, ["", "board -1", "move? 5"])


@pytest.mark.parametrize("typed", ["4\nundo\n5\n\n", "4\nno\n5\ny\n", "4\n5\nok\n", "x\n5\nyes\n", "\n5\n\n", "4\nu\n5\n\n"])
def test_a_move_can_be_taken_back_or_replaced_before_it_is_confirmed(typed: str) -> None:
    assert ask(typed)[0] == 5


@pytest.mark.parametrize("back", ["", "undo", "n", "u"])
def test_a_chosen_piece_is_put_back(back: str) -> None:
    move, shown = ask(f"2\n{back}\n5\n\n")
    assert move == 5
    assert [line for line in shown if "?" in line] == ["move? 2", f"from 2? {back}", "move? 5", "sure? "]


def test_commands_are_obeyed_also_before_a_confirmation() -> None:
    _, shown = ask("moves\nhint\nundo\nnote this one\n5\nhint\nboard\n\n")
    for line in ("3 to 9", "nothing to undo", "noted: this one"):
        assert shown.count(line) == 1
    assert shown.count("try 4") == 2
    assert shown.count("go to 5") == 3


def test_words_behind_a_command_that_takes_none_make_it_another_text() -> None:
    assert "'hint please' is no number" in ask("hint please\n5\n\n")[1]


def test_the_help_has_all_commands() -> None:
    _, shown = ask("?\n5\n\n")
    start = shown.index("5         go to 5")
    assert shown[start + 1 : start + 9] == [
        "moves     list all your moves",
        "hint      show what the champion would play",
        "board     show the board again",
        "undo      undo your choice",
        "help      show this help",
        "quit      leave",
        "note      write something down",
        "Short forms: ? u q",
    ]


@pytest.mark.parametrize("typed", ["quit\n", "5\nq\n", "2\nexit\n"])
def test_leaving(typed: str) -> None:
    with pytest.raises(LeftError, match="left"):
        ask(typed)


@pytest.mark.parametrize("typed", ["", "5\n", "2\n"])
def test_the_end_of_the_input(typed: str) -> None:
    with pytest.raises(InputEndedError):
        ask(typed)
