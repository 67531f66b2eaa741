"""What killed workers left is removed by the next one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tiltyard_simulator.guard import scratch_folders
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.folder_removal import remove
from tiltyard_simulator.guard.confinement.kernel.process_status import START_TIME, own_prefix, stat_fields


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
    late = [folder]

    def remove_while_a_cell_writes(path: str) -> None:
        remove(path)
        while late:
            late.pop().mkdir()

    monkeypatch.setattr(scratch_folders, "remove", remove_while_a_cell_writes)
    scratch_folders.sweep_scratch(tmp_path, patience)
    assert folder.exists() is is_left
