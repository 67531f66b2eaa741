"""Stores that are damaged: one clear error whatever is read, and all that is whole can be saved."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.made_specs import spec_with
from tests.tournaments.store.test_store import OUTCOME, REPLAY, SPEC, SPOILT

from tiltyard_checks.runs.export_lines import export_lines
from tiltyard_checks.runs.recovery import recover
from tiltyard_engine.errors import UserError
from tiltyard_tournaments.store import STORE_NAME, Store

MATCHES = 40
KEYS = [f"k{number}" for number in range(MATCHES)]
Damage = Callable[[random.Random, bytearray], None]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of a store with something in every table."""
    folder = tmp_path_factory.mktemp("whole")
    with Store(folder) as store:
        store.set_fact("title", "Cup")
        for number, key in enumerate(KEYS):
            store.add(key, spec_with(SPEC, seed=number), OUTCOME)
            store.add_incident(key, "a worker died")
        store.add_void("v1", SPOILT)
        store.add_entry("e1", "ann", "moves", True, "fine")
    return (folder / STORE_NAME).read_bytes()


def bytes_anywhere(chance: random.Random, data: bytearray) -> None:
    for _ in range(chance.choice([1, 5, 50])):
        data[chance.randrange(len(data))] = chance.randrange(256)


def a_block_of_noise(chance: random.Random, data: bytearray) -> None:
    start = chance.randrange(0, len(data), 512)
    data[start : start + chance.choice([16, 512, 4096])] = chance.randbytes(chance.choice([16, 512, 4096]))


def zeros(chance: random.Random, data: bytearray) -> None:
    start = chance.randrange(len(data) - 100)
    data[start : start + 100] = bytes(100)


def the_end_is_missing(chance: random.Random, data: bytearray) -> None:
    del data[chance.randrange(len(data)) :]


def the_first_page(chance: random.Random, data: bytearray) -> None:
    data[chance.randrange(4096)] = chance.randrange(256)


DAMAGES: list[Damage] = [bytes_anywhere, a_block_of_noise, zeros, the_end_is_missing, the_first_page]


def damaged(folder: Path, whole: bytes, damage: Damage, seed: int) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    data = bytearray(whole)
    damage(random.Random(seed), data)
    (folder / STORE_NAME).write_bytes(data)
    return folder


def everything(store: Store) -> list[Callable[[], object]]:
    return [
        lambda: list(export_lines(store, with_replays=True)),
        store.facts,
        store.entries,
        store.incidents,
        store.keys,
        store.stamp,
        store.replayed,
        lambda: store.entry("e1"),
        lambda: store.ended("v1"),
        *[lambda key=key: store.record(key) for key in KEYS],
        *[lambda key=key: store.replay(key) for key in KEYS],
    ]


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("writable", [False, True])
def test_whatever_is_read_of_a_damaged_store_is_one_error_or_right(
    tmp_path: Path, whole: bytes, damage: Damage, writable: bool
) -> None:
    told: set[str] = set()
    for seed in range(15):
        folder = damaged(tmp_path / "cup", whole, damage, seed)
        try:
            with Store(folder, writable=writable) as store:
                for read in everything(store):
                    try:
                        read()
                    except UserError as error:
                        told.add(str(error))
        except UserError as error:
            told.add(str(error))
    assert told
    assert all(message.startswith(f"{tmp_path}/cup") and "\n" not in message for message in told)
    assert any(
        " is damaged: " in each and f"; 'tiltyard recover {tmp_path}/cup' saves everything that is intact" in each for each in told
    )


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_whole_is_saved(tmp_path: Path, whole: bytes, damage: Damage) -> None:
    saved = 0
    for seed in range(10):
        folder = damaged(tmp_path / "cup", whole, damage, seed)
        before = (folder / STORE_NAME).read_bytes()
        try:
            found = recover(folder)
        except UserError:
            assert (folder / STORE_NAME).read_bytes() == before
            assert not [path for path in folder.iterdir() if "damaged" in path.name or "recovered" in path.name]
            continue
        saved += found.matches
        if found.damaged is not None:
            assert found.damaged.read_bytes() == before
        with Store(folder) as store:
            assert len(store.keys()) == found.matches <= MATCHES
            for read in everything(store):
                read()
            for key in store.keys() - set(KEYS):
                # A letter of a key that is another one.
                store.remove(key)
            missing = [key for key in KEYS if store.record(key) is None]
            for key in missing:
                store.add(key, SPEC, OUTCOME)
            assert store.keys() == set(KEYS)
    assert saved > 2 * MATCHES


def test_a_match_and_a_replay_that_are_damaged_alone(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for key in KEYS[:4]:
            store.add(key, SPEC, OUTCOME)
        store._connection.execute("UPDATE matches SET outcome = substr(outcome, 1, 30) WHERE key = 'k1'")
        store._connection.execute("UPDATE matches SET replay = substr(replay, 1, 20) WHERE key = 'k2'")
        with pytest.raises(UserError, match=rf"match k1: .*; 'tiltyard recover {tmp_path}' saves everything that is intact"):
            store.record("k1")
    found = recover(tmp_path)
    assert (found.matches, found.lost, found.replays, found.damaged) == (3, 1, 1, tmp_path / "tournament.sqlite.damaged-1")
    with Store(tmp_path) as store:
        assert store.keys() == {"k0", "k2", "k3"}
        assert (store.replay("k2"), store.replay("k3")) == (None, REPLAY)
        assert [match.played_at != "" for match in store.matches()] == [True] * 3
    again = recover(tmp_path)
    assert (again.matches, again.lost, again.damaged) == (3, 0, None)


def test_what_lies_in_the_log_beside_the_file_is_saved_and_kept_too(tmp_path: Path) -> None:
    """As a run leaves it that was killed."""
    run = tmp_path / "run"
    run.mkdir()
    with Store(run) as store:
        store._connection.execute("PRAGMA wal_autocheckpoint = 0")
        for key in KEYS[:3]:
            store.add(key, SPEC, OUTCOME)
        store._connection.execute("UPDATE matches SET outcome = 'text' WHERE key = 'k1'")
        shutil.copytree(run, tmp_path / "killed")
    found = recover(tmp_path / "killed")
    assert (found.matches, found.lost) == (2, 1)
    assert found.damaged is not None
    with sqlite3.connect(found.damaged) as kept:
        assert kept.execute("SELECT count(*) FROM matches").fetchone() == (3,)
    kept.close()


def test_nothing_to_recover(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is nothing to recover \(tournament.sqlite is missing\)"):
        recover(tmp_path)
    (tmp_path / STORE_NAME).write_text("no database" * 100)
    with pytest.raises(UserError, match="isn't an SQLite database, or its beginning is damaged"):
        recover(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["running.lock", STORE_NAME]
