"""Folders that killed processes left behind: told apart from those of processes that live."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tiltyard_simulator.guard.confinement.kernel.process_status import folders_of_ended, has_ended, own_prefix


def test_a_number_that_came_round_again_is_not_the_owner(tmp_path: Path) -> None:
    own = own_prefix()
    number, start = own.split("-")[1:3]
    assert int(number) == os.getpid()
    later = f"tiltyard-{number}-{int(start) + 1}-abc"
    for name in (f"{own}abc", later, "tiltyard-word-1-abc", f"tiltyard-{number}-abc", "other"):
        (tmp_path / name).mkdir()
    assert [folder.name for folder in folders_of_ended(tmp_path)] == [later]


def test_what_a_killed_process_left(tmp_path: Path) -> None:
    code = "from tiltyard_simulator.guard.confinement.kernel.process_status import own_prefix; print(own_prefix())"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        prefix, _ = process.communicate()
    assert has_ended(process.pid)
    folder = tmp_path / f"{prefix.strip()}abc"
    folder.mkdir()
    assert list(folders_of_ended(tmp_path)) == [folder]
