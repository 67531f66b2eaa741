"""``tiltyard play GAME``: any game by its rules, against algorithms of any kind, saved and resumed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltyard_engine.errors import UserError
from tiltyard_kit_commands.play_group import app

TWO_TANKS = "two\nMaxSteps = 2\nNumShells = 5\nRows = 1\nCols = 8\n 1     2\n"
EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples" / "games"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(
        "TILTYARD_TRUST", ",".join(str(EXAMPLES / f"{name}.py") for name in ("connect_four", "high_card", "pig_race"))
    )
    return tmp_path


def play(*words: str, typed: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words), input=typed)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.output


def test_a_game_against_an_algorithm_is_left_resumed_and_ended(folder: Path) -> None:
    status, text = play("connect-four", "--against", "greedy", typed="3\nmoves\nhint\n9\nundo\n3\nquit\n")
    assert status == 0
    assert "column 0, column 1, column 2" in text
    assert "who looks one move ahead: column" in text
    assert "'9' is not a legal answer; legal: column 0" in text
    assert "taken back: 2 moves" in text
    assert text.endswith(
        "you left; the game is saved. To resume it:\n  tiltyard play connect-four --resume connect-four-game.json\n"
    )
    saved = json.loads((folder / "connect-four-game.json").read_text())
    assert saved["players"] == ["me", "greedy"]
    assert len(saved["moves"]) == 2
    status, text = play("connect-four", "--resume", "connect-four-game.json", typed="resign\ny\n")
    assert status == 0
    assert text.endswith("Player 2 won by a fault; you: forfeit: resigned\n")
    assert not (folder / "connect-four-game.json").exists()


def test_a_game_that_the_command_itself_trusts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTYARD_TRUST")
    trust = ("--trust", str(EXAMPLES / "connect_four.py"))
    status, text = play("connect-four", "--against", "four-careful", *trust, typed="3\nquit\n")
    assert status == 0
    assert text.endswith(f"  tiltyard play connect-four --resume connect-four-game.json {shlex.join(trust)}\n")


def test_two_people_and_a_whole_game() -> None:
    status, text = play("connect-four", "--against", "me", typed="0\n1\n0\n1\n0\n1\n0\n")
    assert status == 0
    assert "player 2>" in text
    assert text.endswith("Player 1 won with four in a line\n")
    assert "2 │✕ · · · · · · │\n" in text


def test_a_hidden_hand_is_shown_to_its_player_alone() -> None:
    status, text = play("high-card", "--seat", "2", "--against", "random", typed="quit\n")
    assert status == 0
    assert "cards: " in text
    assert "hand of" not in text


SPOKEN = """
from dataclasses import dataclass
from tiltyard_engine.rules import Ending, Picture, Rules, game_hooks, whole_numbers

@dataclass(frozen=True)
class Heap:
    stones: int
    turn: int = 1
    last: int = 0

class Take(Rules[Heap, ANSWER]):
    def start(self, board, seats, chance):
        return Heap(board)
    def to_move(self, position):
        return [position.turn]
    def legal(self, position, seat):
        return [WRAP(number) for number in range(1, min(2, position.stones) + 1)]
    def refusal(self, position, seat, answer):
        return f"nobody may take {answer!r} of {position.stones}"
    def play(self, position, answers, chance):
        number = UNWRAP(answers[position.turn])
        return Heap(position.stones - number, 3 - position.turn, number)
    def outcome(self, position):
        return None if position.stones else Ending.won_by(3 - position.turn)
    def draw(self, position, names):
        return Picture(["o" * position.stones + "." * (5 - position.stones)], notes=[f"{position.last} were taken"])
    EXTRA

games, algorithms, maps = game_hooks("take", Take(), read=whole_numbers("stones"), maps={"five": b"5"})
"""
READS_ALL = "def from_text(self, text, position, seat):\n        return int(text)"


@pytest.mark.parametrize(
    ("answer", "wrap", "unwrap", "extra", "refusal"),
    [
        ("int", "int", "int", "", "nobody may take 4 of 5"),
        ("int", "int", "int", READS_ALL, "nobody may take 4 of 5"),
        ("tuple", "(lambda n: (0, n))", "(lambda a: a[1])", "", "nobody may take (1, 4) of 5"),
        ("str", "str", "int", "", "nobody may take '4' of 5"),
    ],
)
def test_a_games_own_reason_and_notes_are_shown(
    folder: Path, answer: str, wrap: str, unwrap: str, extra: str, refusal: str
) -> None:
    text = SPOKEN.replace("UNWRAP", unwrap).replace("WRAP", wrap).replace("ANSWER", answer).replace("EXTRA", extra)
    (folder / "take.py").write_text(text)
    typed = "1 4" if answer == "tuple" else "4"
    status, shown = play("take", "--against", "me", "--trust", "take.py", typed=f"{typed}\n1\n2\n2\n")
    assert status == 0
    assert refusal in shown
    assert shown.index("0 were taken") < shown.index(refusal) < shown.index("1 were taken")
    # The last board has its notes, too.
    assert shown.count("2 were taken") == 2
    assert shown.endswith("Player 1 won\n")


def test_a_text_that_is_no_answer_at_all_is_told_what_is_legal(folder: Path) -> None:
    text = SPOKEN.replace("UNWRAP", "int").replace("WRAP", "int").replace("ANSWER", "int").replace("EXTRA", "")
    (folder / "take.py").write_text(text)
    _, shown = play("take", "--against", "me", "--trust", "take.py", typed="four\nquit\n")
    assert "'four' is not a legal answer; legal: 1, 2" in shown


def test_who_takes_all_back_and_leaves_has_played_nothing(folder: Path) -> None:
    _, text = play("connect-four", "--against", "greedy", typed="3\nundo\n?\nquit\n")
    assert text.endswith("you left; nothing was played\n")
    assert not list(folder.iterdir())
    assert "Type a move as 'moves' lists it; its last word is enough if no other move ends with it.\n" in text
    assert "show the move of the player greedy" in text


def test_three_players() -> None:
    status, text = play("pig-race", "--against", "random", "--against", "greedy", "--seat", "3", typed="hold\nquit\n")
    assert status == 0
    assert "random: " in text
    assert "greedy: " in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["advance-name"], "advance-name doesn't state its rules"),
        (["conect-four"], "no game is called 'conect-four'; did you mean connect-four"),
        (["connect-four", "--against", "me", "--against", "me"], "connect-four is for exactly 2 players, got 3"),
        (["connect-four", "--seat", "3"], "--seat 3: there are 2 players"),
        (["connect-four", "--map", "nowhere"], "nowhere"),
        (["connect-four", "--resume", "none.json"], "none.json: cannot be read"),
    ],
)
def test_mistakes(words: list[str], message: str) -> None:
    with pytest.raises(Exception, match=message):
        play(*words, typed="")


def test_no_file_that_is_there_is_replaced(folder: Path) -> None:
    (folder / "mine.json").write_text("{}")
    for words in ((), ("--resume", "old.json")):
        play("connect-four", "--against", "greedy", "--save", "old.json", typed="3\nquit\n") if words else None
        with pytest.raises(UserError, match=r"mine\.json: already exists"):
            play("connect-four", *words, "--save", "mine.json", typed="3\nquit\n")
    assert (folder / "mine.json").read_text() == "{}"


def test_a_game_of_something_else_is_not_resumed(folder: Path) -> None:
    content = {
        "format": "tiltyard game by hand",
        "game": "pig-race",
        "map": "fifty",
        "players": ["me", "me"],
        "seed": 0,
        "moves": [],
    }
    (folder / "g.json").write_text(json.dumps(content))
    with pytest.raises(Exception, match="a game of 'pig-race', not of connect-four"):
        play("connect-four", "--resume", "g.json", typed="")


def test_tanks_are_steered_against_a_sparring_partner(folder: Path) -> None:
    status, text = play("tanks", "--against", "greedy", "--map", "narrow-pass", typed="shoot\nundo\nshoot\nforward\nquit\n")
    assert status == 0
    assert "tank 1 is asked" in text
    assert "heading left" in text
    assert "shells: 7, ready in 4 rounds" in text
    status, text = play("tanks", "--resume", "tanks-game.json", typed="quit\n")
    assert "shells: 7, ready in 4 rounds" in text
    with pytest.raises(UserError, match=r"'acorn' can't play tanks against people: choose random, greedy, mcts or me"):
        play("tanks", "--against", "acorn", "--map", "narrow-pass", typed="")


def test_the_last_board_is_shown_with_whole_tokens(folder: Path) -> None:
    (folder / "two.txt").write_text(TWO_TANKS)
    status, text = play("tanks", "--against", "me", "--map", "two.txt", typed="do nothing\n" * 4)
    assert status == 0
    assert text.endswith(
        "│  1←          2→│\n  └────────────────┘\nTie, reached max steps = 2, player 1 has 1 tanks, player 2 has 1 tanks\n"
    )
