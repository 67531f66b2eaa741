"""What a team has left in its scratch folder is removed, however deep it is and whatever rights were taken away."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_simulator.guard.confinement.folder_removal import remove


def nested(folder: Path, depth: int) -> None:
    """So many folders, one in the other, which together have a longer path than the kernel takes."""
    place = os.open(folder, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("folder", dir_fd=place)
        inner = os.open("folder", os.O_RDONLY, dir_fd=place)
        os.close(place)
        place = inner
    os.close(os.open("file", os.O_WRONLY | os.O_CREAT, dir_fd=place))
    os.close(place)


def test_a_folder_is_removed_however_deep_it_is(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    scratch = tmp_path / "scratch"
    for name in ("one", "two"):
        (scratch / name).mkdir(parents=True)
        nested(scratch / name, 1500)
    (scratch / "file").write_text("x")
    (scratch / "link").symlink_to(outside)
    (scratch / "one" / "link").symlink_to(outside)
    remove(str(scratch))
    assert not scratch.exists()
    assert (outside / "kept").exists()


AS_ORDINARY_USER = """
import os, sys
from tiltyard_simulator.guard.confinement.kernel.libc import PR_SET_DUMPABLE, process_control
from tiltyard_simulator.guard.confinement.folder_removal import remove
if os.getuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
    # So that it sees its own descriptors, as a process that began as this user does.
    process_control("prctl", PR_SET_DUMPABLE, 1)
for place in ("one/two/three", "one/two", "one"):
    os.chmod("scratch/" + place, int(sys.argv[1]))
remove("scratch")
"""


@pytest.mark.parametrize("mode", [0o000, 0o300, 0o500])
def test_a_folder_whose_rights_were_taken_away_is_removed(tmp_path: Path, mode: int) -> None:
    scratch = tmp_path / "scratch"
    (scratch / "one" / "two" / "three").mkdir(parents=True)
    (scratch / "one" / "two" / "file").write_text("x")
    if os.getuid() == 0:
        for place in (tmp_path, scratch, *scratch.rglob("*")):
            os.chown(place, 65534, 65534)
    subprocess.run([sys.executable, "-c", AS_ORDINARY_USER, str(mode)], check=True, cwd=tmp_path)
    assert not scratch.exists()
