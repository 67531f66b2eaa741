"""Stores that were edited: one error that names the match and what contradicts what, and all other matches can be saved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.made_records import changed
from tests.made_specs import spec_with
from tests.tournaments.running.made_runs import by_chance, ended, tournament_of
from tests.tournaments.store.test_store import SPEC, SPOILT

from tiltyard_checks.runs.recovery import misplaced_matches, recover
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.output.spec_form import form_of
from tiltyard_simulator.play.arena import labelled
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.store import Store
from tiltyard_tournaments.store.row_form import result_bytes

KEYED = spec_with(SPEC, key="k1")
CRASH = Fault(2, Termination.CRASH, "it broke", 3)
Edit = Callable[[MatchSpec, MatchRecord], tuple[MatchSpec, MatchRecord]]


def played(spec: MatchSpec = KEYED, *faults: Fault) -> MatchRecord:
    record = ended(1, *faults)
    return labelled(changed(record, claim=replace(record.evidence.claim, ranks=(1, 2), faults=faults)), spec)


def put(store: Store, key: str, spec: MatchSpec, record: MatchRecord) -> None:
    """Write both over what the row has, as somebody does who edits it; the columns stay."""
    values = msgspec.msgpack.encode(form_of(spec)), result_bytes(record), key
    store._connection.execute("UPDATE matches SET spec = ?, outcome = ? WHERE key = ?", values)


EDITS: dict[str, tuple[Edit, str]] = {
    "winner": (
        lambda spec, record: (spec, changed(record, winner=2)),
        "player 2 won (ranks 1, 2), but the GameManager's claim and the faults give player 1 won (ranks 1, 2)",
    ),
    "winner and ranks": (
        lambda spec, record: (spec, changed(record, winner=2, ranks=(2, 1))),
        "its result says player 2 won (ranks 2, 1), but the",
    ),
    "no contest": (
        lambda spec, record: (spec, changed(record, no_contest=True)),
        "its result says no result (ranks 1, 2)",
    ),
    "a forfeit": (
        lambda spec, record: (spec, changed(record, forfeited=(2,))),
        "it counts as a forfeit, but is stored as played",
    ),
    "the claim's winner": (
        lambda spec, record: (spec, changed(record, winner=2, claim=replace(record.evidence.claim, winner=2))),
        "the GameManager's claim: winner is 2, but ranks is (1, 2)",
    ),
    "the claim's ranks": (
        lambda spec, record: (spec, changed(record, claim=replace(record.evidence.claim, ranks=(2, 1)))),
        "the GameManager's claim: winner is 1, but ranks is (2, 1)",
    ),
    "a rank too many": (
        lambda spec, record: (spec, changed(record, ranks=(1, 2, 3), claim=replace(record.evidence.claim, ranks=(1, 2, 3)))),
        "the GameManager's claim: ranks is (1, 2, 3), expected one place a seat, or none",
    ),
    "a fault less": (
        lambda spec, record: (spec, changed(record, faults=())),
        "its column 'faults' says 1, but its match and result say 0",
    ),
    "the fault of another": (
        lambda spec, record: (spec, changed(record, faults=(replace(CRASH, seat=1),), winner=2, ranks=(2, 1))),
        "the GameManager's claim has a fault of player 2, but the result has none",
    ),
    "a fault of nobody": (
        lambda spec, record: (spec, changed(record, faults=(replace(CRASH, seat=3),))),
        "it has a fault of player 3, but 2 players",
    ),
    "the termination": (
        lambda spec, record: (spec, changed(record, faults=(replace(CRASH, termination=Termination.VOID),))),
        "it was spoilt by the machine, but is stored as played",
    ),
    "teams in turned places": (
        lambda spec, record: (spec, changed(record, teams=record.outcome.teams[::-1])),
        "its result is of the teams bob - ann, but its match has ann - bob",
    ),
    "teams of the match": (
        lambda spec, record: (spec_with(spec, teams=spec.input.teams[::-1]), record),
        """its column 'teams' says '["ann", "bob"]', but its match and result say '["bob", "ann"]'""",
    ),
    "the seed": (lambda spec, record: (spec, changed(record, seed=7)), "its result is of the seed 7, but its match has "),
    "the result's key": (lambda spec, record: (spec, changed(record, key="k2")), "its result has the key k2"),
    "the match's key": (lambda spec, record: (spec_with(spec, key="k2"), record), "its match has the key k2"),
    "accounts": (
        lambda spec, record: (spec, changed(record, accounts=record.evidence.accounts[:1])),
        "its column 'held' says 'inline; inline', but its match and result say 'inline'",
    ),
    "what a crash means": (
        lambda spec, record: (spec_with(spec, on_crash=OnCrash.VOID), record),
        "but the GameManager's claim and the faults give no result (ranks 1, 1)",
    ),
}


@pytest.mark.parametrize("edit", EDITS)
def test_every_way_to_read_an_edited_match_names_it_and_what_contradicts_what(tmp_path: Path, edit: str) -> None:
    change, told = EDITS[edit]
    with Store(tmp_path) as store:
        store.add("k1", KEYED, played(KEYED, CRASH))
        assert store.record("k1") == store.record_as(KEYED) == played(KEYED, CRASH)
        assert store.ended_as(KEYED) == played(KEYED, CRASH).outcome
        put(store, "k1", *change(KEYED, played(KEYED, CRASH)))
        reads: list[Callable[[], object]] = [
            lambda: store.record("k1"),
            lambda: store.ended("k1"),
            lambda: store.ended_as(KEYED),
            lambda: store.match("k1"),
            lambda: list(store.matches()),
        ]
        for read in reads:
            with pytest.raises(UserError) as error:
                read()
            message = str(error.value)
            assert told in message
            assert message.startswith(f"{store.path}: was edited or is damaged: match k1 (")
            assert message.endswith(f"; 'tiltyard recover {tmp_path}' saves all others, and the next run plays this one again")


def test_columns_for_other_programs_are_looked_at_too(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add("k1", KEYED, played())
        store.add("k2", spec_with(SPEC, key="k2"), played(spec_with(SPEC, key="k2")))
        store._connection.execute("UPDATE matches SET map = 'elsewhere' WHERE key = 'k1'")
        with pytest.raises(UserError, match="its column 'map' says 'elsewhere', but its match and result say 'm\u00fcnchen'"):
            store.record("k1")
    found = recover(tmp_path)
    assert (found.matches, found.lost) == (1, 1)
    with Store(tmp_path) as store:
        assert store.keys() == {"k2"}


def test_keys_that_were_exchanged(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        for key in ("k1", "k2", "k3"):
            spec = spec_with(SPEC, key=key)
            store.add(key, spec, played(spec))
        for old, new in (("k1", "k"), ("k2", "k1"), ("k", "k2")):
            store._connection.execute("UPDATE matches SET key = ? WHERE key = ?", (new, old))
        for key in ("k1", "k2"):
            with pytest.raises(UserError, match=f"match {key} .*: its match has the key k[12]"):
                store.record(key)
    assert recover(tmp_path).matches == 1


@pytest.mark.parametrize(
    ("on_crash", "record"),
    [
        (OnCrash.FORFEIT, played(KEYED, CRASH)),
        (OnCrash.IDLE, changed(played(KEYED, replace(CRASH, seat=1)), winner=1, ranks=(1, 2))),
        (OnCrash.VOID, changed(played(KEYED, CRASH), winner=0, ranks=(1, 1), no_contest=True)),
        (OnCrash.FORFEIT, changed(played(), faults=(replace(CRASH, seat=0),), winner=0, ranks=(1, 1))),
    ],
)
def test_what_follows_from_claim_and_faults_is_no_contradiction(tmp_path: Path, on_crash: OnCrash, record: MatchRecord) -> None:
    with Store(tmp_path) as store:
        store.add("k1", spec_with(KEYED, on_crash=on_crash), record)
        assert store.record("k1") == record


def test_a_match_that_was_played_is_not_among_those_that_the_machine_spoilt(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.add_void("k1", SPOILT)
        assert store.ended("k1") == SPOILT
        store.add_void("k1", played())
        with pytest.raises(UserError, match="match k1: it was played, but is stored as spoilt by the machine"):
            store.ended("k1")


def test_another_match_under_a_key_of_the_schedule(registry: Registry, tmp_path: Path) -> None:
    """Edited in all places at once: only the tournament knows."""
    tournament = tournament_of(registry, teams=3)
    schedule = Schedule(tournament=tournament)
    batch = schedule.next_batch()
    play = by_chance(1)
    with Store(tmp_path) as store:
        for spec, other in zip(batch, [*batch[:-2], batch[-1], batch[-2]], strict=True):
            wrong = spec_with(other, key=spec.place.key)
            store.add(spec.place.key, wrong, labelled(play(other), wrong))
        assert store.record(batch[-1].place.key) is not None
        with pytest.raises(UserError, match=r"its key is that of the teams cat - bob, but it has .*'tiltyard recover FILE'"):
            store.ended_as(batch[-1])
        with pytest.raises(UserError, match="match "):
            follow(tournament, store.ended_as)
        wanted = [spec.place.key for spec in batch[-2:]]
        assert misplaced_matches(tournament, store) == wanted
    found = recover(tmp_path, lambda store: misplaced_matches(tournament, store))
    assert (found.matches, found.lost) == (len(batch) - 2, 2)


def test_a_team_that_goes_by_another_name_now_is_the_same_team(registry: Registry, tmp_path: Path) -> None:
    tournament = tournament_of(registry, teams=2)
    batch = Schedule(tournament=tournament).next_batch()
    renamed = replace(tournament, teams=(replace(tournament.teams[0], shown="Ann's tanks"), tournament.teams[1]))
    with Store(tmp_path) as store:
        for spec in batch:
            store.add(spec.place.key, spec, labelled(by_chance(1)(spec), spec))
        records = follow(renamed, store.ended_as).schedule.records
    assert [record.teams for record in records] == [("Ann's tanks", "bob"), ("bob", "Ann's tanks")]


def test_a_label_of_two_managers_of_one_name_is_no_contradiction(tmp_path: Path) -> None:
    spec = spec_with(KEYED, manager=replace(KEYED.input.manager, shown=f"ann: {KEYED.input.manager.name}"))
    with Store(tmp_path) as store:
        store.add("k1", spec, played(spec))
        assert store.ended_as(spec) == played(spec).outcome
