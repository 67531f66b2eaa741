"""Recorded board files, and the command that reads them."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_kit.conformance import read_json
from tiltyard_penguins.conformance import main, problems

RECORDED = Path(os.environ.get("TILTYARD_CONFORMANCE") or Path(__file__).parents[4] / "shared" / "conformance")
"""The folder of recorded files, not part of the project."""
FILES = RECORDED / "penguins" / "files.json.gz"

GOOD = {"boards": {"board01.txt": "1 3\n10 20 00"}, "states": {"1.txt": "1 3 \r\n00 21 10 \r\nTeam 1 2 \r\n\r\n"}}


def a_file(folder: Path, tables: object, *, packed: bool = False) -> str:
    data = json.dumps(tables).encode()
    path = folder / "files.json"
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


@pytest.mark.skipif(not FILES.exists(), reason=f"no recorded files at {FILES}")
def test_every_recorded_file_is_read_and_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(FILES)]) == 0
    assert capsys.readouterr().out == f"{sum(1 for _ in problems(read_json(FILES), FILES))} passed, 0 failed\n"


@pytest.mark.parametrize("packed", [False, True])
def test_good_files_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    assert main([a_file(tmp_path, GOOD, packed=packed)]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


def test_bad_files_fail_and_say_where(tmp_path: Path) -> None:
    bad = {"boards": {"wide": "1 1\n10 20\n"}, "states": {"stranger": "1 2\n10 02\nTeam 1 2\n", "number": 7}}
    command = [sys.executable, "-m", "tiltyard_penguins.conformance", a_file(tmp_path, bad)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [
        "boards: wide: line 2, column 4: invalid number of board columns: expected 1 cells, got 2",
        "states: stranger: line 2, column 4: player number not defined: player 2 has no row",
        "states: number: expected a string, got an integer",
        "0 passed, 3 failed",
    ]
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    "data",
    [b"", b"not JSON", b"[]", b"{}", b'{"boards": []}', b'{"games": {}}', b"\x1f\x8bnot gzip", gzip.compress(b"{}")[:-9]],
    ids=["empty", "text", "list", "nothing", "no table", "unknown key", "false gzip", "cut gzip"],
)
def test_malformed_file(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    path = tmp_path / "files.json"
    path.write_bytes(data)
    assert main([str(path)]) == 2
    assert capsys.readouterr().err.startswith(f"{path}: cannot be read as a conformance file: ")


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert main(["--help"]) == 0
    assert "python -m tiltyard_penguins.conformance FILE" in capsys.readouterr().out


def test_who_reads_its_output_may_leave(tmp_path: Path) -> None:
    path = tmp_path / "files.json"
    path.write_text(json.dumps({"states": {str(number): "1 x\n" for number in range(5000)}}))
    command = f"{shlex.quote(sys.executable)} -m tiltyard_penguins.conformance {shlex.quote(str(path))} | head -n 1"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "states: 0: line 1, column 3: invalid m n line: expected a number, got 'x'\n"
    assert done.stderr == ""
