"""What the commands that check recorded files share."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltyard_kit.conformance import MalformedFileError, check_files, list_of, read_json

USAGE = "python -m example FILE"
COMMAND = """
import sys
from tiltyard_kit.conformance import check_files
sys.exit(check_files(sys.argv[1:], None, lambda tables, path: ((f"part {part}", [str(part)] * 2) for part in tables)))
"""


def odd_numbers(tables: object, path: Path) -> Iterator[tuple[str, list[str]]]:
    for number in list_of(tables, "numbers"):
        assert isinstance(number, int)
        yield f"{path.name} {number}", [f"{number} is odd", "that will not do"] if number % 2 else []


def file_of(folder: Path, tables: object, *, packed: bool = False) -> str:
    data = json.dumps(tables).encode()
    path = folder / f"numbers{len(list(folder.iterdir()))}.json"
    path.write_bytes(gzip.compress(data) if packed else data)
    return str(path)


@pytest.mark.parametrize("packed", [False, True])
def test_all_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str], packed: bool) -> None:
    assert check_files([file_of(tmp_path, [2, 4], packed=packed)], USAGE, odd_numbers) == 0
    assert capsys.readouterr() == ("2 passed, 0 failed\n", "")


def test_files_are_counted_together_and_a_part_fails_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files([file_of(tmp_path, [1, 2]), file_of(tmp_path, [4, 3])], USAGE, odd_numbers) == 1
    assert capsys.readouterr().out.splitlines() == [
        "numbers0.json 1: 1 is odd",
        "numbers0.json 1: that will not do",
        "numbers1.json 3: 3 is odd",
        "numbers1.json 3: that will not do",
        "2 passed, 2 failed",
    ]


def test_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files([], USAGE, odd_numbers) == 2
    assert check_files(["--help", "file"], USAGE, odd_numbers) == 0
    assert capsys.readouterr() == (f"{USAGE}\n{USAGE}\n", "")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not JSON: Expecting value"),
        (b"not JSON", "not JSON: Expecting value"),
        (b"\xff\xfe\x00", "not text: "),
        (b"[" * 100_000, "JSON nested too deeply"),
        (b"\x1f\x8bnot gzip", "Unknown compression method"),
        (gzip.compress(b"[]")[:-9], "not a whole gzip file: "),
        (gzip.compress(b"[]") + b"x", "Not a gzipped file"),
        (gzip.compress(b"[]")[:10] + b"\xff" * 20, "not a whole gzip file: "),
        (b'{"numbers": []}', "expected a JSON list of numbers, got an object"),
    ],
    ids=["empty", "text", "bytes", "deep", "false gzip", "cut gzip", "gzip and more", "damaged gzip", "object"],
)
def test_a_malformed_file_ends_the_check(tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes, message: str) -> None:
    path = tmp_path / "wrong.json"
    path.write_bytes(data)
    assert check_files([str(path), file_of(tmp_path, [2])], USAGE, odd_numbers) == 2
    said = capsys.readouterr()
    assert said.err.startswith(f"{path}: cannot be read as a conformance file: {message}")
    assert (said.out, said.err.count("\n")) == ("", 1)


def test_missing_files_and_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_files([str(tmp_path / "absent")], USAGE, odd_numbers) == 2
    assert check_files([str(tmp_path)], USAGE, odd_numbers) == 2
    missing, folder = capsys.readouterr().err.splitlines()
    assert missing == f"{tmp_path / 'absent'}: cannot be read as a conformance file: No such file or directory"
    assert folder == f"{tmp_path}: cannot be read as a conformance file: Is a directory"


def test_a_mistake_in_the_check_itself_is_not_taken_for_a_malformed_file(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        check_files([file_of(tmp_path, ["text"])], USAGE, odd_numbers)


def test_reading_says_what_is_wrong(tmp_path: Path) -> None:
    assert read_json(Path(file_of(tmp_path, {"a": [1]}, packed=True))) == {"a": [1]}
    with pytest.raises(MalformedFileError, match="No such file"):
        read_json(tmp_path / "absent")


def test_names_that_cannot_be_written_are_escaped(tmp_path: Path) -> None:
    path = file_of(tmp_path, ["\ud800\u00e9"])
    environment = {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-c", COMMAND, path], capture_output=True, env=environment, check=False, text=True)
    line = "part \\ud800\\xe9: \\ud800\\xe9\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, f"{line}{line}0 passed, 1 failed\n", "")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    path = file_of(tmp_path, list(range(100_000)))
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "part 0: 0\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 141


def test_a_gzip_of_more_than_is_read_is_not_decompressed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_kit.conformance.MOST_BYTES", 1_000)
    for data in (gzip.compress(bytes(2_000)), b" " * 2_000):
        (tmp_path / "tests.json").write_bytes(data)
        with pytest.raises(MalformedFileError, match="holds more than 1,000 bytes"):
            read_json(tmp_path / "tests.json")
