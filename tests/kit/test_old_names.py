"""Games that import the kit by the names of the engine that it had before: they work, and are told the new ones."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

GAME = Path(__file__).parents[1] / "programs" / "games" / "nim.py"
TERMINAL = ("console", "palette", "saved_game", "squares")
TESTS = """
from tiltyard_engine.testing import PlayMatch, check_game, scripted

pytest_plugins = ["tiltyard_engine.testing"]


def test_a_match(play_match: PlayMatch) -> None:
    assert play_match({game!r}, [scripted(3, 3, 1), scripted(3)]).winner == 1
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("testing", "tiltyard_kit.testing", "check_game"),
        ("conformance", "tiltyard_kit.conformance", "check_files"),
        *((f"terminal.{name}", f"tiltyard_kit.terminal.{name}", "") for name in TERMINAL),
        ("terminal.time_left", "tiltyard_engine.texts.time_left", "TimeLeft"),
    ],
)
def test_a_name_of_before_leads_to_the_same_code(old: str, new: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in [module for module in sys.modules if module.startswith(f"tiltyard_engine.{old.partition('.')[0]}")]:
        monkeypatch.delitem(sys.modules, module)
    with pytest.warns(DeprecationWarning, match=f"is now tiltyard_kit.{old.partition('.')[0]}"):
        before = importlib.import_module(f"tiltyard_engine.{old}")
    now = importlib.import_module(new)
    assert getattr(before, name) is getattr(now, name) if name else before is now


def test_the_tests_of_a_game_pass_and_name_the_new_path(tmp_path: Path) -> None:
    (tmp_path / "test_game.py").write_text(TESTS.format(game=str(GAME)))
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "DeprecationWarning: tiltyard_engine.testing is now tiltyard_kit.testing: import that" in done.stdout
