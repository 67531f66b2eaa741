"""What killed workers left is removed by the next one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_simulator.guard import scratch_folders
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.process_status import START_TIME, own_prefix, stat_fields


def test_scratch_folders_of_processes_that_are_gone_are_swept(tmp_path: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    uncollected = subprocess.Popen(["true"])
    os.waitid(os.P_PID, uncollected.pid, os.WEXITED | os.WNOWAIT)
    start = stat_fields(uncollected.pid)[START_TIME].decode()
    ended = [f"tiltyard-{gone.pid}-1-abc", f"tiltyard-{gone.pid}-1-probe-abc", f"tiltyard-{uncollected.pid}-{start}-abc"]
    folders = [tmp_path / name for name in (*ended, f"{own_prefix()}abc", "tiltyard-other-abc")]
    for folder in folders:
        (folder / "cell").mkdir(parents=True)
    with CellPool(scratch_root=str(tmp_path)) as cells:
        assert [folder.exists() for folder in folders] == [False, False, False, True, True]
        uncollected.wait()
        assert Path(cells.scratch_root).name.startswith(own_prefix())
    assert not Path(cells.scratch_root).exists()


@pytest.mark.parametrize(("patience", "is_left"), [(0.0, True), (60.0, False)])
def test_what_dying_cells_write_while_they_are_swept_goes_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float, is_left: bool
) -> None:
    folder = tmp_path / f"tiltyard-{10**9}-1-x"
    folder.mkdir()
    remove, late = scratch_folders.remove, [folder]

    def remove_while_a_cell_writes(path: str) -> None:
        remove(path)
        while late:
            late.pop().mkdir()

    monkeypatch.setattr(scratch_folders, "remove", remove_while_a_cell_writes)
    scratch_folders.sweep_scratch(tmp_path, patience)
    assert folder.exists() is is_left


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
    scratch_folders.remove(str(scratch))
    assert not scratch.exists()
    assert (outside / "kept").exists()


AS_ORDINARY_USER = """
import os, sys
from tiltyard_simulator.guard.confinement.libc import PR_SET_DUMPABLE, process_control
from tiltyard_simulator.guard.scratch_folders import remove
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
