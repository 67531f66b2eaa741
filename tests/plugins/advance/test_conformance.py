"""Recorded positions, and the command that checks them."""

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
from tests.plugins.advance.boards import sparse

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.conformance import main
from tiltyard_advance.positions import START

RECORDED = Path(os.environ.get("TILTYARD_CONFORMANCE") or Path(__file__).parents[4] / "shared" / "conformance")
"""The folder of recorded positions, not part of the project."""
FILES = {"positions.json.gz": 100, "movegen.json.gz": 270}

SMALL = sparse("Ga9", "gi1", "Ze5", "me3")
AFTER = sparse("Ga9", "gi1", "Ze3")


def a_test(level: int, answer: str) -> dict[str, Any]:
    return {"level": level, "side": "white", "board": rows_of(SMALL), "answer": rows_of(answer)}


def a_position() -> dict[str, Any]:
    """Three moves of the General, three of the Zombie and its leap, which level 6 plays."""
    zombie = ["Zd4", "Ze4", "Zf4"]
    boards = [sparse("Ga9", "gi1", "me3", to) for to in zombie] + [AFTER]
    boards += [sparse(general, "gi1", "me3", "Ze5") for general in ("Ga8", "Gb8", "Gb9")]
    return {
        "board": rows_of(SMALL),
        "side": "white",
        "moves": 7,
        "results": 7,
        "results_sha256": hashlib.sha256("\n".join(sorted(boards)).encode()).hexdigest(),
        "winning": 0,
        "level6": 1,
        "level6_sha256": hashlib.sha256(AFTER.encode()).hexdigest(),
    }


def a_file(folder: Path, tables: object, *, packed: bool = False) -> str:
    data = json.dumps(tables).encode()
    path = folder / "positions.json"
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.skipif(not (RECORDED / "advance").exists(), reason=f"no recorded positions in {RECORDED}")
def test_everything_recorded_passes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(RECORDED / "advance" / name)]) == 0
    assert capsys.readouterr().out == f"{FILES[name]} passed, 0 failed\n"


@pytest.mark.parametrize("packed", [False, True])
def test_right_files_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    assert main([a_file(tmp_path, [a_test(6, AFTER), a_test(7, AFTER)], packed=packed)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"
    tables = {"perft_from_start": {"1": 43, "2": 1849}, "positions": [a_position()]}
    assert main([a_file(tmp_path, tables, packed=packed)]) == 0
    assert capsys.readouterr().out == "3 passed, 0 failed\n"


def test_wrong_answers_fail_and_say_what_was_found(tmp_path: Path) -> None:
    tests = [a_test(6, AFTER), a_test(6, sparse("Ga8", "gi1", "Ze5", "me3")), a_test(4, AFTER)]
    command = [sys.executable, "-m", "tiltyard_advance.conformance", a_file(tmp_path, tests)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    wrong, several, total = done.stdout.splitlines()
    assert wrong.startswith("test 2: level 6: expected ........g ......... ")
    assert wrong.endswith(f", got {' '.join(rows_of(AFTER))}")
    assert several == "test 3: level 4: 7 boards are equally good"
    assert total == "1 passed, 2 failed"
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("key", ["moves", "results", "results_sha256", "winning", "level6", "level6_sha256"])
def test_every_count_and_hash_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    position = a_position()
    position[key] = "0" if key.endswith("256") else position[key] + 1
    assert main([a_file(tmp_path, {"perft_from_start": {"1": 44}, "positions": [position]})]) == 1
    first, second, total = capsys.readouterr().out.splitlines()
    assert first.startswith(f"position 1: {key}: expected {position[key]}, got ")
    assert ";" not in first
    assert second == "perft 1: expected 44, got 43"
    assert total == "0 passed, 2 failed"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"not JSON",
        b"{}",
        b"3",
        b'[{"level": 4}]',
        json.dumps([{"level": 4, "side": "red", "board": rows_of(START), "answer": rows_of(START)}]).encode(),
        json.dumps([{"level": float("inf"), "side": "white", "board": rows_of(START), "answer": rows_of(START)}]).encode(),
        json.dumps([{"level": 9, "side": "white", "board": rows_of(START), "answer": rows_of(START)}]).encode(),
        json.dumps([{"level": 4, "side": "white", "board": ["."] * 9, "answer": rows_of(START)}]).encode(),
        b'{"positions": [], "perft_from_start": {"1_0": 20}}',
        b"\x1f\x8bnot gzip",
    ],
    ids=[
        "empty",
        "text",
        "nothing",
        "number",
        "no board",
        "colour",
        "endless level",
        "level",
        "short board",
        "depth",
        "false gzip",
    ],
)
def test_malformed_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    path = tmp_path / "positions.json"
    path.write_bytes(data)
    assert main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: cannot be read as a conformance file: ")


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert "python -m tiltyard_advance.conformance FILE" in capsys.readouterr().out
