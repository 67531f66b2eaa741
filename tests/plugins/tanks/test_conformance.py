"""Recorded games, and the command that replays them."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tiltyard_kit.conformance import list_of, read_json
from tiltyard_tanks.conformance import differences, main
from tiltyard_tanks.manager import TanksGameManager

RECORDED = Path(os.environ.get("TILTYARD_CONFORMANCE") or Path(__file__).parents[4] / "shared" / "conformance")
"""The folder of recorded games, not part of the project."""
ANY_FILE = RECORDED / "tanks-games.json.gz"


def right_game() -> dict[str, Any]:
    """Two tanks face away from each other and meet in the back: one shoots, the other looks."""
    view = "%  1\n\n"
    return {
        "id": "right",
        "max_steps": 3,
        "num_shells": 1,
        "rows": 1,
        "cols": 4,
        "grid": ["2  1"],
        "scripts": {"1": ["S"], "2": ["GR"]},
        "expect": {
            "winner": 1,
            "reason": "ALL_TANKS_DEAD",
            "rounds": 2,
            "remaining_tanks": [1, 0],
            "final_board": ["   1"],
            "log": "GetBattleInfo, Shoot\nRotateRight90 (killed), DoNothing\nPlayer 1 won with 1 tanks still alive\n",
            "views_sha256": hashlib.sha256(view.encode()).hexdigest(),
            "n_views": 1,
        },
    }


def wrong_game() -> dict[str, Any]:
    game = right_game()
    game["id"] = "wrong"
    game["expect"]["rounds"] = 1
    game["expect"]["log"] = game["expect"]["log"].replace("DoNothing", "Shoot (ignored)")
    return game


def a_file(folder: Path, games: object, *, packed: bool = False) -> str:
    data = json.dumps(games).encode()
    path = folder / "games.json"
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


@pytest.mark.skipif(not ANY_FILE.exists(), reason=f"no recorded games at {ANY_FILE}")
def test_reference_manager_reproduces_every_recorded_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(ANY_FILE)]) == 0
    games = list_of(read_json(ANY_FILE), "games")
    assert capsys.readouterr().out == f"{len(games)} passed, 0 failed\n"


@pytest.mark.parametrize("packed", [False, True])
def test_right_game_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    assert main([a_file(tmp_path, [right_game()], packed=packed)]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"


@pytest.mark.parametrize("packed", [False, True])
def test_wrong_game_fails_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    assert main([a_file(tmp_path, [wrong_game(), right_game()], packed=packed)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "game wrong: rounds: expected 1, got 2",
        "game wrong: log, line 2: expected 'RotateRight90 (killed), Shoot (ignored)', got 'RotateRight90 (killed), DoNothing'",
        "1 passed, 1 failed",
    ]


def test_several_files_are_counted_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = a_file(tmp_path, [right_game()])
    assert main([path, path]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_as_a_command(tmp_path: Path) -> None:
    path = a_file(tmp_path, [wrong_game()])
    done = subprocess.run([sys.executable, "-m", "tiltyard_tanks.conformance", path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1], done.stderr) == (1, "0 passed, 1 failed", "")


@pytest.mark.parametrize(
    "data",
    [b"", b"not JSON", b"\xff\xfe", b'{"id": 1}', b"\x1f\x8bnot gzip", gzip.compress(b"[]")[:-9], gzip.compress(b"[") + b"x"],
    ids=["empty", "text", "bytes", "object", "false gzip", "cut gzip", "gzip and more"],
)
def test_malformed_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    path = tmp_path / "games.json"
    path.write_bytes(data)
    assert main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: cannot be read as a conformance file: ")


def test_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path / "absent.json")]) == 2
    assert "absent.json: cannot be read as a conformance file: " in capsys.readouterr().err


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert "python -m tiltyard_tanks.conformance FILE" in capsys.readouterr().out


def with_(**changes: object) -> dict[str, Any]:
    return {**right_game(), **changes}


def without(key: str) -> dict[str, Any]:
    return {name: value for name, value in right_game().items() if name != key}


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (17, "expected a game, got an integer"),
        (without("grid"), "missing: grid"),
        (without("expect"), "missing: expect"),
        (with_(max_steps="3"), "max_steps: expected a whole number of at least 0, got '3'"),
        (with_(max_steps=10**12), "max_steps: expected at most 100000, got 1000000000000"),
        (with_(num_shells=-1), "num_shells: expected a whole number of at least 0, got -1"),
        (with_(cols=10**10), "cols: a board of 1 x 10000000000 squares; the limit is 4,000,000 squares"),
        (with_(cols=0), "cols: expected a whole number of at least 1, got 0"),
        (with_(rows=True), "rows: expected a whole number of at least 1, got True"),
        (with_(grid=["2  1", ""]), "grid: expected 1 strings"),
        (with_(grid=["2  1x"]), "grid, row 1: expected at most 4 of the characters ' #@12', got '2  1x'"),
        (with_(scripts=["S"]), "scripts: expected the scripts of two to nine players"),
        (with_(scripts={"1": ["S"], "3": ["G"]}), "scripts: expected a list of strings for player 2"),
        (with_(scripts={"1": ["S"], "2": [7]}), "scripts: expected a list of strings for player 2"),
        (with_(scripts={"1": ["S"], "2": ["GX"]}), "scripts: 'X' of player 2, tank 0, is not one of FBLRlrSGD"),
        (with_(scripts={"1": ["S", "S"], "2": ["G"]}), "scripts: player 1 has 1 tank in the grid and 2 scripts"),
        (with_(expect=[]), "expect: expected an object"),
    ],
)
def test_malformed_game_fails_with_a_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], game: object, message: str
) -> None:
    assert main([a_file(tmp_path, [game, right_game()])]) == 1
    name = game["id"] if isinstance(game, dict) else "number 0"
    assert capsys.readouterr().out.splitlines() == [f"game {name}: not a game: {message}", "1 passed, 1 failed"]


def test_expectations_must_be_the_known_ones() -> None:
    game = right_game()
    del game["expect"]["winner"]
    game["expect"]["wniner"] = 1
    found = differences(game, TanksGameManager())
    assert found == ["wniner: unknown field", "winner: missing from the expected result"]
