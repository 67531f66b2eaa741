from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_simulator.output.result_files import encode, time_stamp, write_over


def test_bytes_of_a_path_come_out_as_they_went_in() -> None:
    assert encode(b"caf\xe9".decode("utf-8", "surrogateescape")) == b"caf\xe9"
    assert encode("é…\n") == "é…\n".encode()


def test_what_is_no_text_is_escaped() -> None:
    assert encode("a\ud800b") == b"a\\ud800b"


def test_time_stamps_sort() -> None:
    stamps = [time_stamp() for _ in range(5)]
    assert stamps == sorted(stamps)
    assert all(len(stamp) == len("20250131_235959_123456") for stamp in stamps)


def test_a_file_is_written_over_and_nothing_else_is_left(tmp_path: Path) -> None:
    for text in ("first, and longer\n", "second\n"):
        write_over(tmp_path / "x.csv", text)
        assert (tmp_path / "x.csv").read_text() == text
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_a_reader_keeps_the_file_that_it_opened(tmp_path: Path) -> None:
    write_over(tmp_path / "x.csv", "old\n")
    with (tmp_path / "x.csv").open() as reader:
        write_over(tmp_path / "x.csv", "new\n")
        assert reader.read() == "old\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_leaves_the_old_file_as_it_was(tmp_path: Path) -> None:
    write_over(tmp_path / "x.csv", "old\n")
    (tmp_path / ".x.csv.new").symlink_to("/dev/full")
    with pytest.raises(UserError, match=r"x\.csv: cannot be written: No space left on device"):
        write_over(tmp_path / "x.csv", "new\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"x.csv": "old\n"}


def test_says_what_cannot_be_written_over(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "missing" / "x.csv", tmp_path / "file" / "x.csv", tmp_path / "folder"):
        with pytest.raises(UserError, match=f"{path}: cannot be written: "):
            write_over(path, "text")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder"]
