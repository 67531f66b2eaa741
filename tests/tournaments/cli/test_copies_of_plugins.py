"""A copy of an installed plugin that Python imports instead of it, such as one on PYTHONPATH."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import DUEL, RunCommand, map_text
from tests.engine.making import write

import tiltyard_acorn
from tiltyard_engine.replay import Replay
from tiltyard_tournaments.store import Store

ACORN = Path(str(tiltyard_acorn.__file__)).parent
CUP = """
title: Small cup
game: tanks
teams: [acorn, bramble]
maps: [duel.txt]
isolation: {isolation}
output: {output}
replays: true
workers: 1
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of acorn, equal as yet."""
    write(tmp_path / "duel.txt", map_text(DUEL, 20, 5))
    return shutil.copytree(ACORN, tmp_path / "copies" / "tiltyard_acorn")


def tiltyard(folder: Path, *words: str) -> list[str]:
    """What the command says on standard error. It is not run as in other tests, where a server has imported the plugins already."""
    command = [str(Path(sys.executable).with_name("tiltyard")), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def played(
    folder: Path, isolation: str, output: str, run: Callable[..., list[str]] = tiltyard
) -> tuple[dict[str, Replay | None], list[str]]:
    """The replays of the cup's matches by their keys, and what was said."""
    write(folder / "cup.yaml", CUP.format(isolation=isolation, output=output))
    said = run(folder, "run", "cup.yaml")
    with Store(folder / output, writable=False) as store:
        return {key: store.replay(key) for key in sorted(store.keys())}, said


@pytest.mark.parametrize("isolation", ["inline", "sandbox"])
def test_it_plays_under_its_own_key(
    tmp_path: Path, copy: Path, monkeypatch: pytest.MonkeyPatch, isolation: str, run_command: RunCommand
) -> None:
    def run_installed(folder: Path, *words: str) -> list[str]:
        done = run_command("tiltyard", *words, cwd=folder)
        assert done.returncode == 0, done.stderr
        return done.stderr.splitlines()

    installed, said = played(tmp_path, isolation, "installed", run_installed)
    assert not any("is imported from" in line for line in said)
    monkeypatch.setenv("PYTHONPATH", str(copy.parent))
    equal, first = played(tmp_path, isolation, "equal")
    assert equal == installed
    note = f"note: the package tiltyard_acorn is imported from {copy}, not from {ACORN} of the installed tiltyard-acorn"
    tank = copy / "tank.py"
    tank.write_text(tank.read_text().replace("return ActionRequest.SHOOT", "return ActionRequest.DO_NOTHING"))
    changed, said = played(tmp_path, isolation, "changed")
    assert changed.keys().isdisjoint(installed)
    assert all(replay is not None and replay not in installed.values() for replay in changed.values())
    assert note in first
    assert note in said
    if isolation == "inline":
        for words in (["plugins"], ["round-robin", "acorn", "bramble", "--maps", "duel.txt", "--isolation", isolation, "-w", "1"]):
            assert note in tiltyard(tmp_path, *words)
