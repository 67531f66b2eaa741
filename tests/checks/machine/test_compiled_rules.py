from __future__ import annotations

import os
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest
from tests.engine.making import install, unique, write

from tiltyard_checks.machine.compiled_rules import PURE, is_compiled, rules_rows
from tiltyard_engine.registry import Trust
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

OTHER = ".cpython-399-x86_64-linux-gnu.so"


def test_a_package_with_a_compiled_module_is_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, files in {
        "pure": ("rules.py",),
        "fast": ("rules.py", f"rules{EXTENSION_SUFFIXES[0]}"),
        "other": (f"rules{OTHER}",),
    }.items():
        (tmp_path / f"game_{name}").mkdir()
        for file in ("__init__.py", *files):
            (tmp_path / f"game_{name}" / file).touch()
    monkeypatch.syspath_prepend(tmp_path)
    assert [is_compiled(f"game_{name}") for name in ("pure", "fast", "other", "missing")] == [False, True, False, None]


def test_the_doctor_tells_which_build_of_the_rules_runs() -> None:
    compiled = bool(os.environ.get("TILTYARD_EXPECT_COMPILED"))
    games = ("advance", "filler", "penguins", "tanks")
    assert rules_rows(IsolationPolicy()) == [[f"rules: {game}", "yes", "compiled" if compiled else PURE] for game in games]


STRANGER = """
from tiltyard_engine import Game, GameMaps, hookimpl

@hookimpl
def games():
    yield Game(name="owls", seats=range(2, 3), maps=GameMaps(lambda name, data, seats: data), compiled_package="OWLS")
"""


def test_the_game_of_a_stranger_says_so_in_its_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    package = unique("owls")
    install(tmp_path, "game-owls", "1.0", {"owls": package})
    write(tmp_path / package / "__init__.py", STRANGER.replace("OWLS", package))
    (tmp_path / package / f"rules{EXTENSION_SUFFIXES[0]}").touch()
    row = ["rules: owls", "yes", "compiled"]
    assert row not in rules_rows(IsolationPolicy())
    assert package not in sys.modules
    assert row in rules_rows(IsolationPolicy(trust=Trust.of(["game-owls"])))
