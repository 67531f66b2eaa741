from __future__ import annotations

import os
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tiltyard_checks.machine.compiled_rules import GAMES, PURE, is_compiled, rules_rows

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
    assert rules_rows() == [[f"rules: {game}", "yes", "compiled" if compiled else PURE] for game in GAMES]
