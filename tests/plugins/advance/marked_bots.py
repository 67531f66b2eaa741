"""Bots to be marked: shell scripts, which start quickly, and a small pack of tests for them."""

from __future__ import annotations

from pathlib import Path

from tiltyard_advance.board_files import write_board_file
from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.packs import shipped_pack, write_pack

KNOWS = """#!/bin/sh
case "$1" in name) echo 'This bot name is: Parrot'; exit;; esac
for board in {answers}/*.board; do
    if cmp -s "$board" "$2"; then cp "${{board%.board}}.answer" "$3"; exit; fi
done
echo 'no idea' >&2
"""
"""Answers what it has been told, and makes no move where it has not."""


def small_pack(folder: Path, count: int = 1, levels: tuple[int, ...] = (4, 5, 6, 7), skip: int = 0) -> list[LevelTest]:
    """A pack of the shipped tests: of each level some of white's; returns them too."""
    shipped = shipped_pack()
    found = [
        test
        for level in levels
        for test in [test for test in shipped if test.level == level and test.side == 0][skip : skip + count]
    ]
    write_pack(folder, found)
    return found


def parrot(folder: Path, tests: list[LevelTest]) -> Path:
    """The folder of a bot with hard-coded answers."""
    (folder / "answers").mkdir(parents=True)
    for number, test in enumerate(tests):
        (folder / "answers" / f"{number}.board").write_bytes(write_board_file(test.board))
        (folder / "answers" / f"{number}.answer").write_bytes(write_board_file(test.expected))
    return script(folder / "bot", KNOWS.format(answers=folder.resolve() / "answers"))


def script(path: Path, text: str) -> Path:
    """An executable file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path
