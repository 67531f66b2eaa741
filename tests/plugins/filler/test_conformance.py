"""Recorded games, and the command that replays them."""

from __future__ import annotations

import gzip
import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.plugins.filler.recorded import recorded_file
from tests.plugins.filler.test_engine import BOARD, EXECS, FIRST, end

from tiltyard_filler.conformance import differences, main
from tiltyard_kit.conformance import list_of, read_json


def game(**changes: Any) -> dict[str, Any]:
    """Player 1 places a piece and is out then; player 2 at once."""
    third = FIRST[1].replace(b"5 5", b"5 5")
    turns = [FIRST[0] + b"-> Answer (@): 0 0\n\n", FIRST[1] + b"-> Answer ($): 9 9\n\n", third + b"-> Answer (@): 5 5\n\n"]
    stdout = (EXECS + b"".join(turns) + end(2, 1, "Player1 won!")).decode()
    record = {"name": "short", "map": BOARD.decode(), "seed": 42, "p1_path": "./one", "p2_path": "bots/two", "stdout": stdout}
    return {**record, "answers": {"p1": "0 0\n5 5\n", "p2": "9 9\n"}, "unknown": [1], **changes}


def test_recorded_games() -> None:
    path = recorded_file("games.json.gz")
    records = list_of(read_json(path), "games or pieces")
    assert len(records) == 9
    for record in records:
        assert differences(record, path.parent) == []


def test_recorded_games_read_strictly() -> None:
    path = recorded_file("games.json.gz")
    for record in list_of(read_json(path), "games or pieces")[2:4]:
        assert differences(record, path.parent, is_strict=True) == []


def test_a_digest_will_do() -> None:
    digest = hashlib.sha256(game()["stdout"].encode()).hexdigest()
    assert differences(game(stdout=None, stdout_sha256=digest), Path()) == []
    (found,) = differences(game(stdout=None, stdout_sha256="0" * 64), Path())
    assert found.startswith("stdout_sha256: expected 000")


@pytest.mark.parametrize("path", ["./one", "../../up/two", "/nowhere/at all", "one", "sp ace/o'ne", "./\u00e9", "./" + "x" * 300])
def test_paths_print_as_they_were_recorded(path: str) -> None:
    stdout = game()["stdout"].replace("[./one]", f"[{path}]").replace("./one".rjust(40), path.rjust(40))
    assert differences(game(p1_path=path, stdout=stdout), Path()) == []


def test_both_players_may_be_the_same_robot() -> None:
    stdout = game()["stdout"].replace("[bots/two]", "[./one]").replace("bots/two".rjust(40), "./one".rjust(40))
    assert differences(game(p2_path="./one", stdout=stdout), Path()) == []


def test_maps_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "small").write_bytes(BOARD)
    assert differences(game(map="small"), tmp_path) == []
    assert differences(game(map="../maps/unknown"), tmp_path) == []
    assert differences(game(map="x" * 5000), tmp_path) == []
    (found,) = differences(game(map="unknown", stdout=None, stdout_sha256=""), tmp_path)
    assert "no map in the same folder called unknown" in found


def test_quiet_games_and_games_that_broke_off() -> None:
    assert differences(game(stdout=(EXECS + end(2, 1, "Player1 won!")).decode()), Path()) == []
    crashed = (EXECS + FIRST[0] + b"-> Answer (@): \nseed: 42\n").decode()
    said = "Error reading the answer: EOF\nError: Unexpected error for player1\n"
    assert differences(game(answers={"p1": "", "p2": ""}, stdout=crashed, stderr=said, exit_code=0), Path()) == []
    halved = (EXECS + FIRST[0] + b"-> Answer (@): 0 0\nseed: 42\n").decode()
    assert differences(game(answers={"p1": "0 0", "p2": ""}, stdout=halved), Path()) == []


def test_what_is_different_is_named() -> None:
    changed = game(stdout=game()["stdout"].replace("001 a....", "001 @....", 1), exit_code=1, stderr="x")
    found = differences(changed, Path())
    assert found == [
        "stdout, line 18: expected b'001 @....', got b'001 a....'",
        "stderr, line 1: expected b'x', got b''",
        "exit_code: expected 1, got 0",
    ]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "expected a game or pieces, got an integer"),
        ({}, "not a game: missing: answers"),
        (game(seed="x"), "not a game: seed: expected an integer, got 'x'"),
        (game(answers={"p1": ""}), "not a game: missing: p2"),
        (game(stdout=None), "not a game: missing: stdout or stdout_sha256"),
        ({"pieces": [], "width": 5, "height": 5}, "not pieces: missing: seed"),
        ({"pieces": [["O"]], "width": 5, "height": 5, "seed": 1}, "piece 0: expected ['O'], got ['O', 'O']"),
    ],
)
def test_wrong_records(record: object, message: str) -> None:
    assert differences(record, Path()) == [message]


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pieces = {"pieces": [["O", "O"]], "width": 5, "height": 5, "seed": 1}
    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json.gz"
    right.write_text(json.dumps([game(), pieces]))
    wrong.write_bytes(gzip.compress(json.dumps([game(exit_code=3), pieces | {"pieces": [["."]]}, 1]).encode()))
    assert main([str(right)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"
    assert main([str(right), str(wrong)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "short: exit_code: expected 3, got 0"
    assert lines[1].startswith("pieces 5x5 seed 1: piece 0: expected")
    assert lines[-1] == "2 passed, 3 failed"
    right.write_text("{}")
    assert main([str(right)]) == 2
    assert main([]) == 2
    assert main(["-h"]) == 0


def test_the_command_as_a_module(tmp_path: Path) -> None:
    (tmp_path / "games.json").write_text(json.dumps([game()]))
    command = [sys.executable, "-m", "tiltyard_filler.conformance", "--strict", str(tmp_path / "games.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("1 passed, 0 failed\n", "", 0)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (game(map="nowhere", stdout="Anfield 5:\n"), "not a game: map: expected a board such as 'Anfield 5 5:'"),
        (game(map="nowhere", stdout=f"Anfield 5 {'9' * 5000}:\n"), "not a game: map: expected a board such as 'Anfield 5 5:'"),
        (game(map="\ud800\n"), "not a game: a text that no game can have printed"),
        (game(answers={"p1": "\ud800", "p2": ""}), "not a game: a text that no game can have printed"),
        (game(stdout="\ud800"), "not a game: a text that no game can have printed"),
        (game(p2_path="\ud800"), "not a game: a text that no game can have printed"),
        (game(p2_path="a\0b"), "not a game: p2_path: no path has a character 0"),
        ({"width": 10**9, "height": 9, "seed": 1, "pieces": [[]]}, "not pieces: expected a board's sides from 1 to 10,000"),
        ({"width": -9, "height": 9, "seed": 1, "pieces": [[]]}, "not pieces: expected a board's sides from 1 to 10,000"),
    ],
)
def test_records_that_nobody_can_have_made(record: dict[str, Any], message: str) -> None:
    (found,) = differences(record, Path())
    assert found.startswith(message)
