from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_matchups import new_file
from tiltyard_matchups.new_file import write_new


def test_never_overwrites(tmp_path: Path) -> None:
    names = [write_new(tmp_path, "output_a", ".txt", f"{number}\n").name for number in range(3)]
    assert names == ["output_a.txt", "output_a_2.txt", "output_a_3.txt"]
    assert (tmp_path / "output_a.txt").read_text() == "0\n"


def test_needs_no_suffix(tmp_path: Path) -> None:
    assert [write_new(tmp_path, "log", "", "").name for _ in range(2)] == ["log", "log_2"]


def test_does_not_write_through_a_dangling_link(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to(tmp_path / "elsewhere")
    assert write_new(tmp_path, "a", ".txt", "x").name == "a_2.txt"
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("folder", ["missing", "file"])
def test_says_what_cannot_be_written(tmp_path: Path, folder: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=rf"{folder}/x\.txt: cannot be written: "):
        write_new(tmp_path / folder, "x", ".txt", "")


def test_a_full_disk_leaves_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(text: str) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(new_file, "encode", full)
    with pytest.raises(UserError, match=r"x\.txt: cannot be written: No space left on device"):
        write_new(tmp_path, "x", ".txt", "text")
    assert list(tmp_path.iterdir()) == []
