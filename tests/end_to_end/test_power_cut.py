"""What was told as stored survives a power cut: to observers, in event logs, on screens."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path

import pytest
from tests.conftest import WriteMap
from tests.power_cut import Disk, noting

from tiltyard_engine.errors import UserError
from tiltyard_tournaments.store import Store

Run = Callable[..., Iterator[tuple[str, Disk]]]
OBSERVER = """
import os
from tiltyard_engine import Observer, TournamentObserver, hookimpl

class Prints(TournamentObserver):
    def __init__(self, options):
        pass
    def match_finished(self, event):
        os.write(2, f"heard {event.key}\\n".encode())

@hookimpl
def observers():
    yield Observer("prints", Prints)
"""
CUP = """
title: Cup
game: tanks
teams: [acorn, bramble, coyote]
maps: [maps/*.txt]
games: GAMES
isolation: inline
observers: [observer.py]
"""


@pytest.fixture
def run(tmp_path: Path, write_map: WriteMap) -> Run:
    """``run("run", "cup.yaml")`` runs ``tiltyard`` in ``tmp_path``: each text that it prints, and what is on the disk then."""
    for number in range(2):
        write_map(f"maps/m{number}.txt", steps=4 + number)
    (tmp_path / "observer.py").write_text(OBSERVER)
    (tmp_path / "cup.yaml").write_text(CUP.replace("GAMES", "4"))
    disk, numbers = Disk(tmp_path.resolve()), count()

    def start(*words: str) -> Iterator[tuple[str, Disk]]:
        notes = tmp_path.with_name(f"{tmp_path.name}-notes-{next(numbers)}")
        command = [str(Path(sys.executable).with_name("tiltyard")), *words]
        environment = {**os.environ, **noting(tmp_path, notes)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        for text in disk.follow(notes):
            yield text, disk

    return start


@pytest.fixture
def stored(tmp_path: Path) -> Callable[[Disk], set[str]]:
    """The keys of the matches in the store that a power cut would leave."""
    numbers = count()

    def keys(disk: Disk) -> set[str]:
        left = disk.restore(tmp_path.with_name(f"{tmp_path.name}-left-{next(numbers)}"))
        with suppress(UserError), Store(left / "cup", writable=False) as store:
            return store.keys()
        return set()

    return keys


def keys_in(text: str) -> set[str]:
    """Those of matches that a text says have ended, whoever says it."""
    heard = set(re.findall(r"^heard (\w+)$", text, re.MULTILINE))
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    return heard | {line["key"] for line in lines if line["event"] == "match finished"}


def test_what_a_run_tells_is_on_the_disk(run: Run, stored: Callable[[Disk], set[str]], tmp_path: Path) -> None:
    told: set[str] = set()
    for text, disk in run("run", "cup.yaml", "--json", "--log", "cup.jsonl"):
        now = keys_in(text)
        log = disk.names.get(tmp_path.resolve() / "cup.jsonl")
        logged = keys_in(log.now.decode()) if log is not None else set()
        if not now | logged <= told:
            told |= now | logged
            assert told <= stored(disk)
        assert log is None or now <= keys_in(log.synced.decode())
    assert len(told) == 3 * 2 * 2 * 4


def test_the_last_line_on_the_screen_counts_what_is_on_the_disk(run: Run, stored: Callable[[Disk], set[str]]) -> None:
    ends = [(text, stored(disk)) for text, disk in run("run", "cup.yaml") if "finished: " in text]
    assert [(re.findall(r"(\d+) games \(", text), len(keys)) for text, keys in ends] == [(["48"], 48)]
