"""What is reported of plugins with mistakes: the files and rows of ``reports.md``, which stands beside this."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.docs.pages import Block, blocks
from tests.engine.making import write

from tiltyard_engine.registry import Registry


def reports() -> list[tuple[str, list[Block], str]]:
    """A heading, the files below it, and the report that they are said to give."""
    found: list[tuple[str, list[Block], str]] = []
    text = Path(__file__).with_name("reports.md").read_text(encoding="utf-8")
    for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        files: list[Block] = []
        for block in blocks(part):
            if block.language == "text":
                found.append((part.partition("\n")[0], files, block.text))
                files = []
            else:
                files.append(block)
    return found


@pytest.mark.parametrize(("heading", "files", "report"), reports(), ids=[heading for heading, _, _ in reports()])
def test_a_report_is_the_registrys_own(heading: str, files: list[Block], report: str, tmp_path: Path) -> None:
    for block in files:
        write(tmp_path / block.title, block.text)
    registry = Registry.from_paths([tmp_path / "teams"])
    lines = [f"{row.name}: {row.status}: {row.reason}".replace(f"{tmp_path}/", "") for row in registry.failures()]
    assert lines == report.splitlines()
    assert all(row.file.startswith(str(tmp_path)) for row in registry.failures())
