"""Advance at a table: what may be typed, what people are told where it is no move, and what is shown."""

from __future__ import annotations

import io

import pytest
from hypothesis import given, settings
from tests.plugins.advance.boards import played, sparse

from tiltyard_advance.positions import START, AdvancePosition, Turn, turn_after
from tiltyard_advance.rules import BLACK, WHITE, Board
from tiltyard_advance.terminal.table import AdvanceTable
from tiltyard_kit.terminal.console import Console, LeftError
from tiltyard_kit.terminal.move_prompt import MovePrompt, whole_moves
from tiltyard_kit.terminal.playable_game import NoMoveError, TableScene

TABLE = AdvanceTable()


def scene_of(text: str = START, side: int = WHITE) -> TableScene[AdvancePosition]:
    return TableScene(AdvancePosition(text, side), side + 1, {1: "me", 2: "me"})


@pytest.mark.parametrize("text", ["c8 c7", "c8c7", "C8-C7", " c8  ->  c7 ", "c8xc7"])
def test_ways_to_type_a_move(text: str) -> None:
    assert TABLE.split(text) == ("c8", "c7")


def test_a_piece_alone_and_a_letter() -> None:
    assert TABLE.split("a1") == ("a1",)
    assert TABLE.split("a8 a7 b") == TABLE.split("a8a7b") == ("a8", "a7", "b")
    for text in ("", "hello", "j1 a1", "a0", "a1 a2 a3", "a1 a2 bb"):
        with pytest.raises(NoMoveError, match=f"cannot understand '{text}'; type a move as c8 c7"):
            TABLE.split(text)


@given(played())
@settings(max_examples=30)
def test_every_legal_move_has_words_of_its_own(position: tuple[Board, int]) -> None:
    board, side = position
    scene = scene_of(board.text(), side)
    moves = TABLE.moves(scene)
    assert sorted(turn.board for turn in moves.values()) == sorted(
        turn_after(board, move).board for move in board.legal_moves(side)
    )
    assert len({TABLE.join(words) for words in moves}) == len(moves)
    for words in list(moves)[::8]:
        fitting = whole_moves(TABLE, scene, TABLE.split(TABLE.join(words)))
        assert words in fitting
        assert len(fitting) <= 2, "only a Builder's step and wall share their squares"


def test_what_others_answer_is_read_as_their_files_are() -> None:
    scene = scene_of()
    board = TABLE.moves(scene)["c8", "c7", "m"].board
    spaced = "\n".join(board[row : row + 9] for row in range(0, 81, 9))
    assert TABLE.words_of(scene, Turn(spaced)) == ("c8", "c7", "m")
    assert TABLE.words_of(scene, Turn(START)) is None
    assert TABLE.words_of(scene, Turn("nonsense")) is None


def refused(words: str, text: str = START, side: int = WHITE) -> str:
    scene = scene_of(text, side)
    assert not TABLE.fitting_moves(scene, TABLE.split(words))
    return TABLE.explain(scene, TABLE.split(words))


def test_refusals_say_why() -> None:
    assert refused("e5 e4") == "e5 is empty; choose one of your own pieces"
    assert refused("b2 b3") == "the Zombie on b2 is your opponent's"
    assert refused("c8 c6") == "the Zombie on c8 cannot act on c6; type c8 to see what it can do"
    assert refused("a8 a7 s") == "the Builder cannot do 's' there; it can: m or b"
    danger = sparse("Ga9", "Mb9", "mi9", "ga1")
    assert refused("b9 b8", danger) == "b9 b8 would leave your General in danger"
    protected = sparse("Ga9", "Me5", "ze2", "se1", "gi1")
    assert refused("e5 e2", protected) == "the Miner on e5 cannot act on e2; a Sentinel protects what is there"
    assert refused("d2", sparse("Ga9", "gi1", "#d2")) == "d2 is a wall; choose one of your own pieces"
    assert refused("c8 b") == "the Zombie on c8 cannot act on b; type c8 to see what it can do"


def test_the_list_of_moves() -> None:
    board = Board(sparse("Ga9", "Be5", "zf4", "Jb9", "gi1", "Ci9", "mi6"))
    lines = TABLE.list_moves(scene_of(board.text()), list(TABLE.moves(scene_of(board.text()))))
    assert lines[0] == "B e5: d4 e4 d5 f5 d6 e6 f6; walls d4 e4 d5 f5 d6 e6 f6; takes f4"
    assert lines[1] == "G a9: a8 b8"
    assert lines[2] == "J b9: a8 b8 c8 c9; changes with a9"
    assert lines[3] == "C i9: i8 h9; shoots i6"
    black = scene_of(board.text(), BLACK)
    assert TABLE.list_moves(black, list(TABLE.moves(black)))[0].startswith("g i1: h1")


def leave(_: str) -> None:
    raise LeftError("quit")


def talk(typed: str, text: str = START, confirms: bool = True) -> tuple[str, str]:
    """The move, empty where the person left; and all that was said."""
    said = io.StringIO()
    console = Console(io.StringIO(typed), said)
    prompt = MovePrompt(console, AdvanceTable(), scene_of(text), {"quit": leave}, confirms=confirms)
    try:
        move = TABLE.join(prompt.ask())
    except LeftError:
        move = ""
    return move, said.getvalue()


def words(typed: str, text: str = START, confirms: bool = True) -> str:
    return talk(typed, text, confirms)[0]


def test_a_move_and_its_confirmation() -> None:
    move, said = talk("c8 c7\n\n")
    assert move == "c8 c7"
    assert "Zombie c8 to c7\nEnter plays it, undo cancels it> \n" in said
    assert "[Z ]" in said
    assert words("c8c7\n", confirms=False) == "c8 c7"
    assert words("c8 c7\nyes\n") == "c8 c7"


def test_a_piece_first_and_then_where_to() -> None:
    move, said = talk("c8\nd7\n\n")
    assert move == "c8 d7"
    assert "Z c8: b7 c7 d7\nwhere to? (Enter goes back)" in said
    assert "<Z >" in said
    assert said.count("(. )") == 3
    assert words("c8\n\nd8 d7\n\n") == "d8 d7"
    assert words("c8\nd8\nd7\n\n") == "d8 d7"


def test_where_a_builder_can_do_two_things_it_is_asked() -> None:
    move, said = talk("a8 a7\nb\n\n")
    assert move == "a8 a7 b"
    assert "a7: m move, b build a wall> b\n" in said
    assert "Builder a8 builds a wall at a7" in said
    assert words("a8 a7\nm\n\n") == "a8 a7"
    assert words("a8 a7 b\n\n") == "a8 a7 b"
    assert "no move chosen" in talk("a8 a7\n\nquit\n")[1]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("b9 a9", "Jester b9 changes places with Miner a9"),
        ("e5 d4", "Jester e5 converts Dragon d4"),
        ("e6 e3", "Catapult e6 shoots Zombie e3"),
        ("i9 i1", "Miner i9 takes wall i1"),
    ],
)
def test_other_actions_need_no_letter(typed: str, said: str) -> None:
    text = sparse("Ma9", "Jb9", "Je5", "dd4", "Ce6", "ze3", "Mi9", "#i1", "Gg9", "gg1")
    assert said in talk(f"{typed}\n\n", text)[1]


def test_help_hint_moves_flip() -> None:
    _, said = talk("?\nhint\nmoves\nflip\nboard\nundo\nquit\n")
    assert "c8 c7     the piece on c8 acts on c7" in said
    assert "quit      quit; the game is saved, and you can resume it" in said
    assert "the champion would play" in said
    assert "B a8: a7 b7; walls a7 b7" in said
    assert said.count("\n   i   h   g   f   e   d   c   b   a\n1") == 0
    assert said.count("\n9  M   J   D^") == 2


def test_danger_is_told() -> None:
    text = sparse("Ga9", "ma1", "Mb5", "gi1")
    move, said = talk("b5 b6\na9 b9\n\n", text)
    assert "Your General is in danger." in said
    assert "b5 b6 would leave your General in danger" in said
    assert move == "a9 b9"
    assert "black's General is in danger" in talk("b5 b1\n\n", text.replace("m", "."))[1]
