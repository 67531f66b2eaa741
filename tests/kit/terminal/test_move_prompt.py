"""The question for a move in a game of which nothing matters but its talk: a move is a square, after a piece or alone."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pytest

from tiltyard_kit.terminal.console import Console, InputEndedError, LeftError
from tiltyard_kit.terminal.move_prompt import MovePrompt
from tiltyard_kit.terminal.playable_game import QUESTION_COMMANDS, PlayableGame, TableScene, Words


class LineGame(PlayableGame[int, str]):
    """A move is a number from 3 to 9, alone or of the pieces 1 and 2; piece 2 can also jump to 9."""

    ways = "5         go to 5"
    legend = "That is all."
    commands = {**QUESTION_COMMANDS, "quit": "leave", "turn": "turn the board", "save": "write something down"}  # noqa: RUF012
    meanings = {"jump": "over everything"}  # noqa: RUF012
    confirm_question = "sure?"
    nothing_to_undo = "nothing to undo"
    choice_help = "where to?"
    turned = False

    def moves(self, scene: TableScene[int]) -> Mapping[Words, str]:
        targets = "3456789"
        words = [(target,) for target in targets] + [(piece, target) for piece in "12" for target in targets]
        return {move: "".join(move) for move in [*words, ("2", "9", "walk"), ("2", "9", "jump")] if move != ("2", "9")}

    def draw(self, scene: TableScene[int], console: Console) -> Sequence[str]:
        return [" ".join([scene.moment, str(scene.position), *scene.prefix, "turned" * self.turned]).strip()]

    def after(self, scene: TableScene[int], words: Words) -> int:
        return int(words[-1] if words[-1].isdecimal() else words[1])

    def question(self, scene: TableScene[int]) -> str:
        return f"from {scene.prefix[0]}?" if scene.prefix else "move?"

    def describe(self, position: int, words: Words) -> str:
        return f"go to {words[-1]}"

    def hint(self, scene: TableScene[int]) -> str:
        return "try 4"

    def obey(self, command: str) -> None:
        self.turned = not self.turned


def leave(_: str) -> None:
    raise LeftError("left")


def ask(typed: str, confirms: bool = True) -> tuple[str, list[str]]:
    screen = io.StringIO()
    console = Console(io.StringIO(typed), screen)
    commands = {"quit": leave, "save": lambda words: console.say(f"noted: {words}")}
    words = MovePrompt(console, LineGame(), TableScene(0, 1, {1: "Anna"}), commands, confirms=confirms).ask(["something happened"])
    return " ".join(words), screen.getvalue().splitlines()


def test_a_move_is_shown_and_confirmed() -> None:
    begin = ["", "question 0", "something happened", "move? 5"]
    assert ask("5\n\n") == ("5", [*begin, "", "preview 5", "go to 5", "sure? "])
    assert ask("5\n", confirms=False) == ("5", begin)


@pytest.mark.parametrize("typed", ["4\nundo\n5\n\n", "4\nno\n5\ny\n", "4\n5\nok\n", "x\n5\nyes\n", "\n5\n\n", "4\nu\n5\n\n"])
def test_a_move_can_be_taken_back_or_replaced_before_it_is_confirmed(typed: str) -> None:
    assert ask(typed)[0] == "5"


@pytest.mark.parametrize(
    ("typed", "move"), [("1\n5\n\n", "1 5"), ("1\n2\n5\n\n", "2 5"), ("1\n2 5\n\n", "2 5"), ("1 5\n\n", "1 5")]
)
def test_a_piece_can_be_chosen_first(typed: str, move: str) -> None:
    assert ask(typed)[0] == move


def test_what_a_chosen_piece_can_do_is_listed() -> None:
    _, shown = ask("1\n5\n\n")
    assert shown[3:8] == ["move? 1", "", "question 0 1", "1: 3, 4, 5, 6, 7, 8, 9", "where to?"]


@pytest.mark.parametrize("back", ["", "undo", "n", "u"])
def test_a_chosen_piece_is_put_back(back: str) -> None:
    move, shown = ask(f"2\n{back}\n5\n\n")
    assert move == "5"
    assert [line for line in shown if "? " in line] == ["move? 2", f"from 2? {back}", "move? 5", "sure? "]


@pytest.mark.parametrize(("typed", "move"), [("2 9\njump\n\n", "2 9 jump"), ("2\n9\nno\n2 9 walk\n\n", "2 9 walk")])
def test_where_several_moves_begin_alike_the_rest_is_asked(typed: str, move: str) -> None:
    words, shown = ask(typed)
    assert words == move
    assert [line for line in shown if line.startswith("9: walk, jump over everything> ")]
    assert ("no move chosen" in shown) == ("no" in typed)


def test_commands_are_obeyed_also_before_a_confirmation() -> None:
    _, shown = ask("moves\nhint\nundo\nsave this one\n5\nhint\nboard\nturn\n\n")
    for line in ("nothing to undo", "noted: this one", "question 0 turned"):
        assert shown.count(line) == 1
    assert shown.count("try 4") == 2
    assert shown.count("go to 5") == 4
    assert shown[4:8] == ["3, 4, 5, 6, 7, 8, 9", "1: 3, 4, 5, 6, 7, 8, 9", "2: 3, 4, 5, 6, 7, 8", "2 9: walk, jump"]


def test_words_behind_a_command_that_takes_none_make_it_another_text() -> None:
    assert "'hint please' is not a legal move; type moves for a list, or ? for help" in ask("hint please\n5\n\n")[1]


def test_the_help_has_all_commands() -> None:
    _, shown = ask("?\n5\n\n")
    start = shown.index("5         go to 5")
    assert shown[start + 1 : start + 11] == [
        "moves     list all your moves",
        "hint      show what the champion would play",
        "board     show the board again",
        "undo      undo your choice",
        "help      show this help",
        "quit      leave",
        "turn      turn the board",
        "save      write something down",
        "Short forms: ? u q",
        "That is all.",
    ]


@pytest.mark.parametrize("typed", ["quit\n", "5\nq\n", "2\nexit\n"])
def test_leaving(typed: str) -> None:
    with pytest.raises(LeftError, match="left"):
        ask(typed)


@pytest.mark.parametrize("typed", ["", "5\n", "2\n", "2 9\n"])
def test_the_end_of_the_input(typed: str) -> None:
    with pytest.raises(InputEndedError):
        ask(typed)
