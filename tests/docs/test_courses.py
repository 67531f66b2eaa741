"""What the page for courses tells people to type is what the page beside it shows and runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/start/courses.md"
ROW = re.compile(r"^\| (?!You have|-)(?P<have>.*?) \| `(?P<command>.*?)` \| \[.*?\]\((?P<page>[^)#]+)[^)]*\) \|$", re.MULTILINE)


def outline(command: str) -> tuple[list[str], set[str]]:
    """A command without its operands: its first words, and the names of its options."""
    words = command.split()
    first = next((at for at, word in enumerate(words) if at and not re.fullmatch("[a-z]+", word)), len(words))
    # Operands such as the name of a game are in lower case too, so at most two words are a command's own.
    return words[: min(first, 2)], set(re.findall(r"(?<!\S)(?:--?[a-z][\w-]*|\w+(?==))", command))


ROWS = [(match["command"], (PAGE.parent / match["page"]).resolve()) for match in ROW.finditer(PAGE.read_text(encoding="utf-8"))]


def test_every_row_is_read() -> None:
    assert len(ROWS) == sum(line.startswith("| ") for line in PAGE.read_text(encoding="utf-8").splitlines()) - 5


@pytest.mark.parametrize(("command", "page"), ROWS, ids=[command for command, _ in ROWS])
def test_a_command_is_run_by_the_page_that_explains_it(command: str, page: Path) -> None:
    lines = re.findall(r"^\$ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    words, options = outline(command)
    run = [outline(part.strip()) for line in lines for part in re.split(r"[|;&] ", line)]
    assert any(others[: len(words)] == words and options <= names for others, names in run)


def test_another_command_would_be_found() -> None:
    assert outline("tiltyard tanks referee ./x --map y") == (["tiltyard", "tanks"], {"--map"})
    assert outline("simulator -competition game_maps_folder=maps") == (["simulator"], {"-competition", "game_maps_folder"})
