"""A league as it is run: its command, a student's command, and kills of each process at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import RunCommand
from tests.league.made_league import FILE, IDLE, make_folder
from tests.league.private_files import open_umask, read_by_others  # noqa: F401 -- a fixture
from tests.ports import free_port

from tiltyard_league.cli.league import SERVED_AT
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games

TILTYARD = str(Path(sys.executable).with_name("tiltyard"))
PATIENCE = 120.0


def until(true: Callable[[], Any]) -> Any:
    """What a condition gives once it is true."""
    end = time.monotonic() + PATIENCE
    while True:
        with suppress(OSError, ValueError):
            if value := true():
                return value
        assert time.monotonic() < end, "never came"
        time.sleep(0.05)


@contextmanager
def served(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    with (folder.parent / "serve.log").open("ab") as log:
        process = subprocess.Popen([TILTYARD, "league", "serve", str(folder), "--port", str(port)], stdout=log, stderr=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()


def children(parent: int) -> dict[str, int]:
    """The processes of a league by their names."""
    processes: dict[str, int] = {}
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((path / "stat").read_text().rpartition(")")[2].split()[1]) == parent:
                words = (path / "cmdline").read_bytes().decode().split("\0")
                processes |= {name: int(path.name) for name in ("web", "service") if f"tiltyard_league.{name}.main" in words}
    return processes


def is_another(parent: int, name: str, before: int) -> bool:
    """Whether a process was started again."""
    return children(parent).get(name, before) != before


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


@pytest.mark.usefixtures("open_umask")
def test_a_league_survives_kills_of_all_its_processes(
    tmp_path: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever happens to it, and whatever the umask is, nobody but its owner can read what it writes."""
    folder, port = make_folder(tmp_path / "course", file=FILE), free_port()
    base = f"http://localhost:{port}"
    (tmp_path / "students.csv").write_text("name,id,group\nAnn,1,Red\nBob,2,Blue\n")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", "")

    def command(*words: str | Path) -> subprocess.CompletedProcess[str]:
        return run_command("tiltyard", *map(str, words))

    def status() -> dict[str, Any]:
        with urllib.request.urlopen(f"{base}/status.json", timeout=5) as answer:
            value: dict[str, Any] = json.load(answer)
            return value

    links = dict(line.split(",") for line in command("league", "roster", folder, "students.csv").stdout.splitlines()[1:])
    (tmp_path / "team.py").write_text(IDLE)
    (tmp_path / "bad.py").write_text("def broken(:\n")
    red = f"{base}/join/{links['Red'].rpartition('/')[2]}"
    with served(folder, port) as process:
        until(status)
        with Database(folder) as database:
            assert database.fact(SERVED_AT) == base
        result = command("hand-in", "team.py", "--to", red, "--note", "first", "--no-check")
        assert result.returncode == 0, result.stderr
        assert "version 1: accepted" in result.stdout
        # The invite link's token is kept from now on, so the address alone will do.
        tokens_file = tmp_path / "home" / ".config" / "tiltyard" / "league-tokens.json"
        assert tokens_file.stat().st_mode & 0o077 == 0
        both = until(lambda: len(processes := children(process.pid)) == 2 and processes)
        for name in ("service", "web"):
            os.kill(both[name], signal.SIGKILL)
            until(partial(is_another, process.pid, name, both[name]))
        until(status)
        result = command("hand-in", "bad.py", "--to", base, "--no-check")
        assert result.returncode == 1, result.stderr
        assert "version 2: refused" in result.stdout
        assert "SyntaxError" in result.stdout
        # Now, and in the moments in which files are made and moved.
        assert read_by_others(folder) == []
        result = command("hand-in", "bad.py", "--to", base)
        assert result.returncode == 1
        assert "nothing was handed in" in result.stderr
        last = until(lambda: len(processes := children(process.pid)) == 2 and processes)
        result = command("hand-in", "team.py", "--to", base.replace("http", "ftp"))
        assert "expected the league's address" in result.stderr
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        # Nobody goes on without the parent, so a second start meets nobody.
        until(lambda: all(map(is_gone, last.values())))
    with served(folder, port) as process:
        until(lambda: status()["complete"])
        # A game that was kept twice would have taken the place of the first one, and a number of its own.
        games = Games(folder / "results")
        assert games.totals()[0] == games.newest() == 3 * 2 * 2
        # The sandbox reads a team's code from folders that are closed to others.
        assert games.number("SELECT count(*) FROM league_games WHERE fault") == 0
        assert read_by_others(folder) == []
        process.terminate()
        assert process.wait(PATIENCE) == 0
    second = command("league", "serve", tmp_path / "no-league")
    assert (second.returncode, "no league here" in second.stderr) == (2, True)


def test_it_says_that_it_serves_once_it_answers_and_when_stopped_that_all_is_saved(tmp_path: Path) -> None:
    folder, port = make_folder(tmp_path / "course", file=FILE), free_port()
    words = [TILTYARD, "league", "serve", str(folder), "--port", str(port)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            line = process.stderr.readline()
            # Only once: the port is open already.
            with urllib.request.urlopen(f"{line.split()[0]}status.json", timeout=PATIENCE) as answer:
                assert answer.status == 200
            assert line == f"http://localhost:{port}/ serves Course; press Ctrl-C to stop\n"
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 0
            assert process.stderr.read() == "stopped; all versions and games are saved; run the same command to continue\n"
        finally:
            process.kill()
