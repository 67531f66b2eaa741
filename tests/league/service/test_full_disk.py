"""A disk that is full: nothing is begun until there is room again, and what fails meanwhile is tried again."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from tests.league.made_league import FILE, make_league

from tiltyard_league.database.database import Database
from tiltyard_league.database.log_lines import print_event
from tiltyard_league.database.versions import add_version
from tiltyard_league.service import main
from tiltyard_league.service.main import Service
from tiltyard_league.service.supervisor import HOPELESS, Supervisor
from tiltyard_simulator.play.executor import InlineExecutor


def test_without_room_nothing_is_begun_and_with_room_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    league = make_league(tmp_path / "course", maps=1, file=FILE + "  least-free: 1000\n")
    folder = league.settings.folder
    with Database(folder) as database, database.writing():
        add_version(database, 1, upload="a", name="a.py", size=1, member=None, note="", late=False)
    monkeypatch.setattr(main, "free_bytes", lambda folder: 999)
    with closing(InlineExecutor()) as executor, closing(Service(league, executor, 1)) as service:
        service.begin()
        for _ in range(5):
            service.step(0.0)
        assert (service.games.totals()[0], service.checks.running) == (0, 0)
        with Database(folder) as database:
            assert [row["state"] for row in database.rows("SELECT state FROM versions WHERE upload = 'a'")] == ["received"]
            database.run("UPDATE versions SET state = 'withdrawn' WHERE upload = 'a'")
        monkeypatch.setattr(main, "free_bytes", lambda folder: 1000)
        # Figures that can't be written end nothing.
        (folder / ".steward.json.new").mkdir()
        service.write_state()
        for _ in range(5):
            service.step(0.0)
        assert service.games.totals()[0] == 2
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    events = [(line["event"], line["free_bytes"]) for line in lines if "disk" in line["event"]]
    assert events == [("the disk is full: nothing is checked or played", 999), ("the disk has room again", 1000)]


def test_a_steward_that_cannot_write_is_one_that_is_started_again(tmp_path: Path) -> None:
    folder = make_league(tmp_path / "course", maps=1).settings.folder
    process = subprocess.run(
        [sys.executable, "-P", "-m", "tiltyard_league.service.main", str(folder), str(os.getpid())],
        # As on a full disk: no file can become larger than this.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (process.returncode, process.stderr) == (1, "")
    line = json.loads(process.stdout.splitlines()[-1])
    assert (line["from"], line["event"]) == ("steward", "failed")
    assert "cannot be" in line["reason"]


def test_a_process_that_cannot_run_ends_all_only_at_its_first_start() -> None:
    # It ends with 2, as with a league's file that has an error.
    supervisor_of_one = Supervisor({"steward": ["timeit", "--no-such-option"]})
    (child,) = supervisor_of_one._children
    for has_run, status in ((False, HOPELESS), (True, 0)):
        child.has_run, child.due = has_run, 0.0
        assert supervisor_of_one._look_after(child) == 0
        assert child.process is not None
        child.process.wait()
        before = child.pause
        assert supervisor_of_one._look_after(child) == status
        assert child.process is None
    # Each time after a longer pause, so that a full disk doesn't keep a core busy.
    assert child.pause == 2 * before


def test_a_log_on_the_full_disk_ends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        print_event("steward", "started")
        with pytest.raises(OSError, match="No space left"):
            full.flush()
        monkeypatch.undo()
        os.dup2(os.open(os.devnull, os.O_WRONLY), full.fileno())
