"""What the kernel tells of processes: whose folders are left behind, and who shares memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_simulator.guard.confinement.kernel import process_status
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


@pytest.mark.parametrize("kernel", ["this", "an older one"])
@pytest.mark.parametrize(
    ("mapped", "shares"),
    [
        ("mmap.mmap(-1, 4096)", True),
        ("mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)", False),
        ("mmap.mmap(open(sys.executable, 'rb').fileno(), 4096, prot=mmap.PROT_READ)", False),
    ],
)
def test_memory_that_is_shared(mapped: str, shares: bool, kernel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if kernel != "this":
        monkeypatch.setattr(process_status, "_QUERY", 0xC0686600)
    code = f"import mmap, sys; memory = {mapped}; print(flush=True); input()"
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        assert process_status.shares_memory(process.pid) is shares
        process.stdin.close()
