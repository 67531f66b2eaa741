"""The pages on use from Python are played like notebooks: their blocks in order, and what they print is what the page shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import ROOT
from tests.own_loop import in_own_thread

PAGES = [
    "how-to/use-from-python",
    "how-to/use-in-notebooks",
    *(f"api/{page.stem}" for page in sorted((ROOT / "docs/api").glob("*.md")) if page.stem != "index"),
]
BLOCK = re.compile(r"^```(?P<language>\w+)(?: title=(?P<title>\S+))?\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)


def cells(page: str) -> list[tuple[str, str, str, int]]:
    """(language, title, text, line) of each block, in order."""
    return [
        (match["language"], match["title"] or "", match["text"], page.count("\n", 0, match.start()) + 1)
        for match in BLOCK.finditer(page)
    ]


def fits(expected: str, found: str) -> bool:
    """``...`` stands for anything."""
    pattern = ".*".join(re.escape(part) for part in expected.rstrip().split("..."))
    return re.fullmatch(pattern, found.rstrip(), re.DOTALL) is not None


def play(page: str, name: str = "page") -> None:
    """Run the page in the current folder."""
    names: dict[str, Any] = {"__name__": "__page__"}
    printed = ""
    shown = True
    for language, title, text, line in cells(page):
        if title:
            Path(title).write_text(text, encoding="utf-8")
        elif language == "python":
            assert shown or not printed, f"line {line}: the block before prints what the page does not show:\n{printed}"
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                exec(compile(text, f"{name}, block in line {line}", "exec", dont_inherit=True), names)
            printed, shown = output.getvalue(), False
        elif language == "text":
            assert fits(text, printed), f"line {line}\n--- shown\n{text}\n--- printed\n{printed}"
            shown = True


@pytest.mark.parametrize("name", PAGES)
def test_the_page(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    if "import tiltyard_gym" in text:
        pytest.importorskip("pettingzoo", reason="the package pettingzoo is not installed")
        pytest.importorskip("tiltyard_gym", reason="the plugin with environments is not installed")
    in_own_thread(play, text, name)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert bool(printed.err) == ("progress=True" in text.replace("`progress=True`", "")), (
        "nothing is printed unless it is asked for"
    )


def test_that_a_wrong_page_fails() -> None:
    with pytest.raises(AssertionError, match="printed"):
        play("```python\nprint(1)\n```\n\n```text\n2\n```\n")
    with pytest.raises(AssertionError, match="does not show"):
        play("```python\nprint(1)\n```\n\n```python\nprint(2)\n```\n")
    play("```python\nprint('at', 12)\n```\n\n```text\nat ...\n```\n")
