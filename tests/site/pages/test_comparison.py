from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import RunCommand
from tests.site.conftest import wait_until
from tests.tournaments.test_examples import EXAMPLES

from tiltyard_engine.replay import Frame, Replay
from tiltyard_site.pages.comparison import Parting, parting

CHANGES = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(" #a")), max_size=2).map(tuple)
FRAMES = st.lists(st.builds(Frame, CHANGES, st.sampled_from([("go",), ("stay",)])), max_size=5)


def replay_of(frames: list[Frame]) -> Replay:
    return Replay(game="ants", width=3, height=2, squares=(" ",) * 6, frames=frames)


@given(FRAMES, FRAMES)
def test_the_parting_is_the_first_round_with_a_difference(one: list[Frame], other: list[Frame]) -> None:
    left, right = replay_of(one), replay_of(other)
    last = min(len(one), len(other))
    boards = [number for number in range(1, last + 1) if left.squares_after(number) != right.squares_after(number)]
    actions = [number for number in range(1, last + 1) if one[number - 1].actions != other[number - 1].actions]
    longer = -1 if len(one) == len(other) else last + 1
    assert parting(left, right) == Parting(boards[0] if boards else longer, actions[0] if actions else -1)


def test_boards_that_begin_otherwise_differ_from_the_start() -> None:
    assert parting(replay_of([]), Replay(game="ants", width=2, height=3, squares=(" ",) * 6)) == Parting(0, -1)


def test_from_the_command_to_two_games_side_by_side(visit: Callable[..., Any], run_command: RunCommand, tmp_path: Path) -> None:
    # The results file goes into the managers' folder.
    shutil.copytree(EXAMPLES / "managers", tmp_path / "managers", ignore=shutil.ignore_patterns("__pycache__"))
    words = ("back-yard", "acorn", "bramble", "--managers", "managers", "--site", "report")
    done = run_command("tiltyard", "comparative", *words, "--trust", "./managers")
    assert done.returncode == 0, done.stderr
    assert "site: report/index.html\n" in done.stdout
    here = visit(tmp_path / "report")
    page = here.open("index.html")
    assert page.inner_text("h1") == "GameManagers on back-yard"
    assert page.locator(".groups > li").count() == 2
    assert page.locator(".members a").all_inner_texts() == ["at-once", "tanks-move-first"]
    assert page.locator("a[href^=team-]").count() == 0
    assert "The boards first differ after turn 22." in page.inner_text(".groups")
    page.click(".groups .button")
    wait_until(page, "document.querySelectorAll('canvas.board').length === 2")
    wait_until(page, "document.querySelector('.counter').textContent === '22 / 72'")
    assert page.inner_text(".difference-head").startswith("The boards first differ after turn 22.")
    assert page.inner_text(".now") == "1 square differs in this turn."
    assert [text.split(" · ")[1] for text in page.locator(".facts").all_inner_texts()] == ["at-once", "tanks-move-first"]
    assert page.locator("a[href^=team-]").count() == 0
    page = here.open("matches.html")
    page.wait_for_selector("#games tr")
    assert page.locator("#games td:last-child").all_inner_texts() == ["at-once", "tanks-move-first"]
