"""Results can be read by whoever may read their files: on a read-only disk, in another user's folder, after a crash."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.conftest import RunCommand, WriteMap
from tests.fork_server import ForkServer

from tiltyard_tournaments.store import STORE_NAME, Store

CUP = """
title: Cup
game: tanks
teams: [acorn, bramble]
maps: [m.txt]
isolation: inline
"""
READS = (
    ("status", "cup.yaml"),
    ("standings", "cup.yaml"),
    ("export", "cup.yaml"),
    ("replay", "cup.yaml", "--match", "1"),
    ("watch", "cup.yaml", "--match", "1", "--every-round"),
    ("verify", "cup.yaml"),
    ("verify", "cup"),
    ("publish", "cup.yaml", "-o", "OUTPUT"),
    ("publish", "cup.yaml", "-o", "OUTPUT", "-p", "csv"),
)
Prefix = list[str]
"""Words before a command that take something from it."""


def as_it_is(folder: Path) -> None:
    """As a run leaves it."""


def of_an_older_version(folder: Path) -> None:
    """The versions before left it so that SQLite wants to write beside it."""
    with closing(sqlite3.connect(folder / STORE_NAME)) as connection:
        assert connection.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)


def of_the_first_version(folder: Path) -> None:
    """It had fewer tables."""
    of_an_older_version(folder)
    with closing(sqlite3.connect(folder / STORE_NAME)) as connection:
        connection.executescript("DROP TABLE voids; DROP TABLE entries; PRAGMA user_version = 1;")


def killed(folder: Path, endings: Sequence[str] = ("", "-wal")) -> None:
    """What a killed run, or a copy of a running one, leaves: matches are in a file beside it."""
    with Store(folder) as store:
        store._connection.execute("PRAGMA wal_autocheckpoint = 0")
        store._connection.execute("UPDATE matches SET seconds = seconds + 1")
        for ending in endings:
            shutil.copyfile(folder / f"{STORE_NAME}{ending}", folder / f"left{ending}")
    for ending in endings:
        (folder / f"left{ending}").replace(folder / f"{STORE_NAME}{ending}")


def killed_with_all_files(folder: Path) -> None:
    """As it is where it was killed."""
    killed(folder, ("", "-wal", "-shm"))


STATES = (as_it_is, of_an_older_version, of_the_first_version, killed, killed_with_all_files)


@pytest.fixture
def cup(tmp_path: Path, write_map: WriteMap, run_command: RunCommand) -> Path:
    """A finished tournament."""
    write_map("m.txt", steps=4)
    (tmp_path / "cup.yaml").write_text(CUP)
    done = run_command("tiltyard", "run", "cup.yaml")
    assert done.returncode == 0, done.stderr
    return tmp_path


def on_a_read_only_disk(folder: Path) -> Prefix:
    script = 'mount --bind . . && mount -o remount,bind,ro . && cd "$PWD" && exec "$@"'
    prefix = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if subprocess.run([*prefix, "true"], cwd=folder, capture_output=True, check=False).returncode:
        pytest.skip("needs user namespaces, to mount a folder read-only")
    touched = subprocess.run([*prefix, "touch", "x"], cwd=folder, capture_output=True, check=False)
    assert touched.returncode
    return prefix


def without_the_right_to_write(folder: Path) -> Prefix:
    prefix: list[str] = []
    if os.geteuid() == 0:
        powers = "-dac_override,-dac_read_search"
        prefix = ["setpriv", f"--bounding-set={powers}", f"--inh-caps={powers}"]
        if shutil.which("setpriv") is None:
            pytest.skip("needs setpriv, because root may write everywhere")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return prefix


@contextmanager
def made_writable(folder: Path) -> Iterator[None]:
    """At the end of the block it can be removed again."""
    try:
        yield
    finally:
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)


@pytest.mark.parametrize("way", [on_a_read_only_disk, without_the_right_to_write])
def test_what_reads_needs_no_right_to_write(
    cup: Path,
    run_command: RunCommand,
    tmp_path_factory: pytest.TempPathFactory,
    way: Callable[[Path], Prefix],
) -> None:
    folder = tmp_path_factory.mktemp("states")
    for state in STATES:
        state(shutil.copytree(cup, folder / state.__name__) / "cup")
    # What is read where all may be written, of a copy: reading may tidy up.
    copies = shutil.copytree(folder, tmp_path_factory.mktemp("copies") / "all")
    output = tmp_path_factory.mktemp("output")
    # To start a server takes longer than to read all states.
    with made_writable(folder), closing(ForkServer(way(folder), folder)) as server:
        for state in STATES:
            here = folder / state.__name__
            before = sorted((path.name, path.stat().st_mtime_ns) for path in (here / "cup").iterdir())
            for words in READS if state is as_it_is else READS[:1]:
                wanted = run_command(
                    "tiltyard", *(word.replace("OUTPUT", str(output / "wanted")) for word in words), cwd=copies / state.__name__
                )
                found = server.run("tiltyard", [word.replace("OUTPUT", str(output / "found")) for word in words], here, seconds=60)
                assert (wanted.returncode, found.returncode) == (0, 0), f"{state.__name__}: {found.stderr}{wanted.stderr}"
                assert found.stdout.replace("/found", "/wanted") == wanted.stdout, state.__name__
                assert found.stderr == wanted.stderr, state.__name__
            assert sorted((path.name, path.stat().st_mtime_ns) for path in (here / "cup").iterdir()) == before, state.__name__


def test_a_finished_tournament_is_one_file(cup: Path) -> None:
    assert sorted(path.name for path in (cup / "cup").iterdir()) == ["running.lock", STORE_NAME]
    with closing(sqlite3.connect(cup / "cup" / STORE_NAME)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
