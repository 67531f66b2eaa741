"""The table of what protects a league names a test for each line; and what has no better place."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.docs.console import ROOT

PAGE = ROOT / "docs" / "reference" / "league.md"
LEAST_LINES = 12


def test_each_line_of_the_table_names_tests_that_there_are() -> None:
    section = PAGE.read_text(encoding="utf-8").partition("## What protects it")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| ")][2:]
    assert len(rows) >= LEAST_LINES
    for row in rows:
        named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", row)
        assert named, row
        for file, name in named:
            assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), (file, name)


def test_the_door_has_nothing_that_could_run_a_team() -> None:
    ask = "import sys, tiltyard_league.door.main; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "tiltyard_league.door.main" in loaded
    for module in ("tiltyard_tanks", "tiltyard_simulator.play.arena", "tiltyard_league.handing_in.checking", "numpy"):
        assert module not in loaded
