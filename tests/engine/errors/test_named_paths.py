"""Paths that people name: no output destroys what is none, and no address passes for a path."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import check_output, refuse_address


def is_replay(head: bytes) -> bool:
    return head.startswith(b"{")


@pytest.mark.parametrize("name", ["new.jsonl", "again.jsonl", "empty", "/dev/null"])
def test_what_may_be_written(tmp_path: Path, name: str) -> None:
    (tmp_path / "again.jsonl").write_text("{}\n")
    (tmp_path / "empty").touch()
    check_output(tmp_path / name, "a replay", is_replay)


def test_what_is_something_else_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    with pytest.raises(UserError, match=r"a\.py: exists and isn't a replay, so it is not overwritten; choose another name"):
        check_output(tmp_path / "a.py", "a replay", is_replay)
    (tmp_path / "link").symlink_to("a.py")
    with pytest.raises(UserError, match=r"link: exists and isn't a replay"):
        check_output(tmp_path / "link", "a replay", is_replay)
    with pytest.raises(UserError, match="is a folder, expected the name of a file"):
        check_output(tmp_path, "a replay", is_replay)


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/bot.zip",
        "http:/example.org/bot.zip",  # as a path is written again
        "git@example.org:course/bot.git",
        "git+ssh://example.org/bot",
        "github.com/anne/bot",
        "www.example.org",
        "FILE:///home/anne/bot.py",
    ],
)
def test_addresses(text: str) -> None:
    with pytest.raises(UserError, match="is an address, expected a file or folder; download it first"):
        refuse_address(text)


@pytest.mark.parametrize("text", ["bot.py", "bots.py:acorn", "anne@home/bot.py", "ann=./bot", "a/http:/b", "http", "java -jar a:b"])
def test_what_is_no_address(text: str) -> None:
    refuse_address(text)
