"""The files that a match goes through: whoever reads how one is played has to read them, so their number may only fall."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

ROOT: Final = Path(__file__).resolve().parents[3]
MOST_THAT_TAKE_IT: Final = 12
"""Files with a function that takes the match, or what came of it, as an argument."""
MOST_THAT_ARE_CALLED: Final = 49
"""Files of the project with any function that is called meanwhile."""


def test_a_match_goes_through_few_files(tmp_path: Path) -> None:
    if IsolationPolicy(Isolation.SANDBOX).refusal():
        pytest.skip("this machine cannot confine code")
    words = [sys.executable, "-m", "tests.tournaments.running.way_of_a_match", str(tmp_path)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    walk = json.loads(done.stdout)
    assert walk["matches"] == 2
    assert len(walk["take it"]) <= MOST_THAT_TAKE_IT, walk["take it"]
    assert len(walk["called"]) <= MOST_THAT_ARE_CALLED, walk["called"]
