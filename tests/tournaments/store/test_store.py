from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import zstandard
from tests.made_records import changed, made_record
from tests.made_specs import made_spec, spec_with

from tiltyard_checks.runs.export_lines import export_lines
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import SeatAccount
from tiltyard_engine.registry import Reference
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.output.folder_lock import is_held
from tiltyard_simulator.replays.encoding import encode
from tiltyard_tournaments.store import STORE_NAME, Store, StoreLock
from tiltyard_tournaments.store.schema import MIGRATIONS, bring_up_to_date

SOURCE = Source(name="plugin", origin=Origin.FILE, value="/plugin.py")


def named(name: str) -> Reference:
    return Reference(kind="algorithm", name=name, game="tanks", source=SOURCE)


SPEC = made_spec(
    game=named("tanks"),
    manager=named("reference"),
    map=MapSource("m\u00fcnchen", b"\x00\xff"),
    teams=(named("ann"), named("bob")),
    seed=2**63 - 1,
    isolations=(Isolation.INLINE, Isolation.SANDBOX),
    limits=(Limits(), Limits(move_seconds=2.0)),
)
REPLAY = Replay(
    game="tanks",
    width=2,
    height=1,
    squares=("#", " "),
    seats=("ann", "bob"),
    title="m",
    message="over",
    frames=[Frame(((1, "@"),), ("Shoot",), (1.0,), ("boom",))],
)
OUTCOME = made_record(
    claim=GameResult(1, "ALL", 3, ("# ",), remaining_tanks=(1, 0), ranks=(1, 2), scores=(2.5, 0.0), message="ann won", log="a\nb"),
    winner=1,
    ranks=(1, 2),
    faults=(Fault(2, Termination.CRASH, "it broke", 3, "Traceback ..."),),
    replay=REPLAY,
    accounts=(
        SeatAccount(held="inline"),
        SeatAccount(held="sandbox, level A", output=b"printed\xff", cpu_seconds=0.5, wall_seconds=0.6, peak_bytes=1000),
    ),
    incidents=("a worker died",),
    seconds=0.25,
)

SPOILT = made_record(ranks=(1, 1), faults=(Fault(0, Termination.VOID, "given up"),))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as opened:
        yield opened


def test_what_was_put_in_comes_out(store: Store) -> None:
    store.add("k1", SPEC, OUTCOME)
    store.add("k2", spec_with(SPEC, seed=0), changed(OUTCOME, replay=None, faults=()))
    assert store.keys() == {"k1", "k2"}
    assert store.record("k1") == changed(OUTCOME, replay=None)
    assert store.replay("k1") == REPLAY
    assert store.replay("k2") is None
    assert store.record("k3") is None
    assert store.replay("k3") is None
    first, second = store.matches()
    assert (first.key, first.spec, first.record, first.has_replay) == ("k1", SPEC, changed(OUTCOME, replay=None), True)
    assert (second.key, second.spec.input.seed, second.has_replay) == ("k2", 0, False)


def test_a_replay_is_kept_in_its_one_form_compressed(store: Store) -> None:
    store.add("k1", SPEC, OUTCOME)
    (data,) = store._connection.execute("SELECT replay FROM matches WHERE key = 'k1'").fetchone()
    assert zstandard.ZstdDecompressor().decompress(data) == encode(REPLAY)


def test_a_replay_that_cannot_be_written_costs_only_itself(store: Store) -> None:
    said = "the replay of m cannot be written: round 1: a score of nan"
    record = changed(OUTCOME, replay=None)
    store.add("k1", SPEC, replace(record, evidence=replace(record.evidence, replay_problem=said)))
    assert store.record("k1") == changed(OUTCOME, replay=None)
    assert store.replay("k1") is None
    assert [(key, what) for key, _, what in store.incidents()] == [("k1", said)]


def test_a_damaged_replay_names_its_match(store: Store) -> None:
    store.add("k1", SPEC, OUTCOME)
    store._connection.execute("UPDATE matches SET replay = substr(replay, 1, 20)")
    with pytest.raises(UserError, match=r"tournament.sqlite: the replay of match k1: is damaged: its end is missing"):
        store.replay("k1")


def test_what_was_reported_stays(store: Store) -> None:
    store.add("k1", SPEC, OUTCOME)
    store.add("k1", SPEC, changed(OUTCOME, winner=2))
    record = store.record("k1")
    assert record is not None
    assert record.outcome.winner == 1


def test_facts_and_incidents(store: Store) -> None:
    store.set_fact("title", "Cup")
    store.set_fact("title", "Spring cup")
    store.add_incident("k1", "a worker died")
    store.add_incident("k1", "it died again")
    assert store.facts() == {"title": "Spring cup"}
    assert [(key, what) for key, _, what in store.incidents()] == [("k1", "a worker died"), ("k1", "it died again")]


def test_every_match_is_there_for_the_next_process(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        store = Store(tmp_path)
        store.add("k1", SPEC, OUTCOME)
        os.write(writer, b"!")
        os.kill(os.getpid(), 9)
    os.read(reader, 1)
    os.waitpid(child, 0)
    with Store(tmp_path, writable=False) as store:
        assert store.keys() == {"k1"}


def test_reading_while_another_writes(store: Store, tmp_path: Path) -> None:
    with Store(tmp_path, writable=False) as reader:
        store.add("k1", SPEC, OUTCOME)
        assert reader.keys() == {"k1"}
        with pytest.raises(UserError, match="read-only"):
            reader.add("k2", SPEC, OUTCOME)


def test_nothing_played_yet(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nothing has been played here yet"):
        Store(tmp_path, writable=False)
    # As a run leaves it that has only begun.
    (tmp_path / STORE_NAME).touch()
    with pytest.raises(UserError, match="nothing has been played here yet"):
        Store(tmp_path, writable=False)


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be opened"):
        Store(tmp_path / "none")


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "tournament.sqlite").write_text("not a database at all, but long enough to be looked at" * 20)
    with pytest.raises(UserError, match="isn't an SQLite database"):
        Store(tmp_path)


def test_a_database_of_another_program(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "tournament.sqlite") as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    for writable in (True, False):
        with pytest.raises(UserError, match="is another program's database"):
            Store(tmp_path, writable=writable)


def test_a_store_of_a_newer_version(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / "tournament.sqlite") as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    for writable in (True, False):
        with pytest.raises(UserError, match="newer tiltyard"):
            Store(tmp_path, writable=writable)


def test_an_older_store_is_brought_up_to_date_and_keeps_its_matches(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add("k1", SPEC, OUTCOME)
    connection = sqlite3.connect(tmp_path / "tournament.sqlite", isolation_level=None)
    steps = (*MIGRATIONS, "ALTER TABLE matches ADD COLUMN mood TEXT NOT NULL DEFAULT 'fine';")
    bring_up_to_date(connection, "store", steps)
    assert connection.execute("SELECT key, mood FROM matches").fetchall() == [("k1", "fine")]
    assert connection.execute("PRAGMA user_version").fetchone() == (len(steps),)
    connection.close()


def test_a_step_that_fails_changes_nothing(tmp_path: Path) -> None:
    Store(tmp_path).close()
    connection = sqlite3.connect(tmp_path / "tournament.sqlite", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        bring_up_to_date(connection, "store", (*MIGRATIONS, "CREATE TABLE good (a); CREATE TABLE matches (a);"))
    connection.rollback()
    assert connection.execute("PRAGMA user_version").fetchone() == (len(MIGRATIONS),)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'good'").fetchone() == (0,)
    connection.close()


def test_a_full_disk_is_explained_and_the_store_stays_intact(store: Store, tmp_path: Path) -> None:
    store.add("k1", SPEC, OUTCOME)
    (pages,) = store._connection.execute("PRAGMA page_count").fetchone()
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = changed(OUTCOME, claim=replace(OUTCOME.evidence.claim, log=os.urandom(50_000).hex()))
    with pytest.raises(UserError, match="the disk is full; stored results are safe"):
        store.add("k2", SPEC, large)
    assert store.keys() == {"k1"}
    assert store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def remove(folder: Path) -> None:
    shutil.rmtree(folder)


def remove_and_make_another(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    Store(folder).close()


def move_away(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))


def remove_the_file(folder: Path) -> None:
    (folder / STORE_NAME).unlink()


@pytest.mark.parametrize("lose", [remove, remove_and_make_another, move_away, remove_the_file])
def test_what_is_written_to_a_store_that_is_gone_is_an_error(tmp_path: Path, lose: Callable[[Path], None]) -> None:
    """SQLite would go on writing into a file that has no name any more."""
    folder = tmp_path / "cup"
    folder.mkdir()
    with Store(folder) as store:
        store.add("k1", SPEC, OUTCOME)
        lose(folder)
        writes: list[Callable[[], None]] = [
            lambda: store.add("k2", SPEC, OUTCOME),
            lambda: store.add_void("k2", OUTCOME),
            lambda: store.add_incident("k2", "a worker died"),
            lambda: store.add_entry("e1", "ann", "moves", True, "fine"),
            lambda: store.set_fact("title", "Cup"),
            store.check_place,
        ]
        for write in writes:
            with pytest.raises(UserError, match=r"cup/tournament\.sqlite: was removed, moved or replaced during the run"):
                write()


def test_one_run_at_a_time(tmp_path: Path) -> None:
    with StoreLock(tmp_path), pytest.raises(UserError, match=f"process {os.getpid()} is already running this tournament"):
        StoreLock(tmp_path)
    StoreLock(tmp_path).close()


def test_others_can_see_whether_a_run_holds_the_lock(tmp_path: Path) -> None:
    assert not is_held(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with StoreLock(tmp_path):
        assert is_held(tmp_path)
    assert not is_held(tmp_path)
    StoreLock(tmp_path).close()


def test_the_lock_of_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written"):
        StoreLock(tmp_path / "none")


def test_the_export_holds_everything(store: Store) -> None:
    store.set_fact("title", "Cup")
    store.add("k1", SPEC, OUTCOME)
    store.add_incident("k1", "a worker died")
    facts, match, replay, incident = [json.loads(line) for line in export_lines(store, with_replays=True)]
    assert facts == {"kind": "tournament", "title": "Cup"}
    assert (match["kind"], match["teams"], match["winner"], match["map_base64"]) == ("match", ["ann", "bob"], 1, "AP8=")
    assert match["faults"][0]["termination"] == "crash"
    assert match["accounts"][1]["output"] == "printed\ufffd"
    assert replay["replay"]["frames"][0]["changes"] == [[1, "@"]]
    assert (incident["kind"], incident["what"]) == ("incident", "a worker died")
    assert len(list(export_lines(store))) == 3


def test_a_corrected_claim_and_a_crash_that_made_a_match_void_are_kept(store: Store) -> None:
    """What the host corrected stands in the export's message alone, as ever."""
    made = replace(OUTCOME.evidence.claim, winner=-858993460, rounds=2**64 - 1, final_state=(), message="made")
    claim = replace(OUTCOME.evidence.claim, message="made; note: read as 1", notes=("read as 1",), as_made=made)
    record = changed(OUTCOME, replay=None, claim=claim, winner=0, ranks=(1, 1), no_contest=True)
    spec = spec_with(SPEC, on_crash=OnCrash.VOID, kept_view=(1, 2, 3))
    store.add("k1", spec, record)
    (stored,) = store.matches()
    assert (stored.spec, stored.record, stored.record.outcome.counts) == (spec, record, False)
    (match,) = (json.loads(line) for line in list(export_lines(store))[-1:])
    assert sorted(match["claim"]) == [
        "faults",
        "final_state",
        "log",
        "message",
        "ranks",
        "reason",
        "remaining_tanks",
        "rounds",
        "scores",
        "winner",
    ]
    assert (match["claim"]["message"], match["counts"]) == ("made; note: read as 1", False)


def test_a_void_is_kept_until_the_match_was_played(store: Store, tmp_path: Path) -> None:
    spoilt = changed(SPOILT, incidents=("its match worker died",))
    before = store.stamp()
    store.add_void("k1", spoilt)
    assert store.stamp() != before
    assert (store.record("k1"), store.ended("k1"), store.keys()) == (None, spoilt, set())
    store.add("k1", SPEC, OUTCOME)
    assert store.ended("k1") == store.record("k1") == changed(OUTCOME, replay=None)
    assert store.stamp() == (1, 0, 0)
    assert store.keys_after(0) == store.keys()
    assert store.keys_after(1) == set()


def test_what_is_written_beside_a_match_is_there_with_it_or_not_at_all(store: Store) -> None:
    steps = ["CREATE TABLE notes (key TEXT PRIMARY KEY);", "ALTER TABLE notes ADD COLUMN text TEXT;"]
    store.add_tables("notes", steps[:1])
    store.add_tables("notes", steps)

    def note(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes VALUES ('k1', 'good')")

    def fail(connection: sqlite3.Connection) -> None:
        note(connection)
        connection.execute("INSERT INTO no_such_table VALUES (1)")

    with pytest.raises(UserError, match="no_such_table"):
        store.add("k1", SPEC, OUTCOME, fail)
    with pytest.raises(UserError, match="no_such_table"):
        store.add_void("k1", SPOILT, fail)
    assert store.stamp() == (0, 0, 0)
    store.add("k1", SPEC, OUTCOME, note)
    with pytest.raises(UserError, match="no_such_table"):
        store.remove("k1", lambda connection: connection.execute("DELETE FROM no_such_table"))
    assert store.keys() == {"k1"}
    store.remove("k1", lambda connection: connection.execute("DELETE FROM notes"))
    assert store.keys() == set()
    with pytest.raises(UserError, match="newer tiltyard"):
        store.add_tables("notes", steps[:1])


def test_an_older_store_can_be_looked_at_as_it_is(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "tournament.sqlite", isolation_level=None)
    bring_up_to_date(connection, "store", MIGRATIONS[:1])
    connection.close()
    with Store(tmp_path, writable=False) as store:
        assert (store.ended("k1"), store.stamp()) == (None, (0, 0, 0))
    with Store(tmp_path) as store:
        store.add("k1", SPEC, OUTCOME)
        assert store.stamp() == (1, 0, 0)
