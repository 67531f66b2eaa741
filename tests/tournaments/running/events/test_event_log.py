from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import ended, tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import BatchStarted, Event, Notice, TournamentFinished
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, Termination
from tiltyard_tournaments.running.events.event_log import EventLog, event_line
from tiltyard_tournaments.running.run import match_faults, match_started, tournament_started
from tiltyard_tournaments.running.schedule import Schedule


@pytest.fixture
def events(registry: Registry) -> list[Event]:
    tournament = tournament_of(registry)
    spec = Schedule(tournament=tournament).next_batch()[0]
    record = spec.label(ended(2, Fault(1, Termination.CRASH, 'it "broke"\n\x1b[2J', 2, "Traceback")).outcome)
    return [
        tournament_started(tournament, 0),
        BatchStarted(1, 12, 3),
        match_started(spec),
        *match_faults(record),
        record,
        Notice("lab-3 is lost"),
        TournamentFinished(12, True, 1.5),
    ]


def test_each_event_is_a_line(events: list[Event]) -> None:
    lines = [event_line(event) for event in events]
    assert all(line.count(b"\n") == 1 and line.endswith(b"\n") and b"\x1b" not in line for line in lines)
    found = [json.loads(line) for line in lines]
    assert [line["event"] for line in found] == [
        "tournament started",
        "batch started",
        "match started",
        "fault",
        "match finished",
        "notice",
        "tournament finished",
    ]
    for line in found:
        assert datetime.fromisoformat(line.pop("at")).utcoffset() is not None
    assert found[0] == {
        "event": "tournament started",
        "title": "Cup",
        "teams": ["ann", "bob", "cat", "dan"],
        "stored": 0,
        "expected": [12, 12],
        "game": "tanks",
        "manager": "reference",
        "format": "round-robin",
        "maps": ["m0"],
        "folder": "cup",
    }
    assert found[1] == {"event": "batch started", "number": 1, "matches": 12, "stored": 3}
    start, fault, match = found[2:5]
    names = start["teams"]
    assert fault == {
        "event": "fault",
        "place": 0,
        "key": match["key"],
        "teams": names,
        "map": "m0",
        "who": names[0],
        "seat": 1,
        "kind": "crash",
        "message": 'it "broke"\n\x1b[2J',
        "round": 2,
    }
    assert {name: match[name] for name in start if name != "event"} == {name: start[name] for name in start if name != "event"}
    assert (match["teams"], match["map"], match["winner"], match["ranks"]) == (names, "m0", 2, [2, 1])
    assert match["faults"] == [{"seat": 1, "kind": "crash", "message": 'it "broke"\n\x1b[2J', "round": 2}]
    assert (match["message"], match["reason"], match["manager"]) == (
        'over (player 1: crash: it "broke" \x1b[2J)',
        "ALL_TANKS_DEAD",
        "reference",
    )
    assert not {"claim", "accounts", "replay"} & set(match)
    assert (match["played"], match["counts"], match["held"], match["rounds"]) == (True, True, ["inline", "inline"], 3)


def test_a_log_is_appended_to_at_once(events: list[Event], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for number in (1, 2):
        log = EventLog(path)
        for place, event in enumerate(events, start=1):
            log.write([event])
            assert path.read_bytes().count(b"\n") == place + (number - 1) * len(events)
        log.close()


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none/log\.jsonl: cannot be written: No such file"):
        EventLog(tmp_path / "none" / "log.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_is_full(events: list[Event]) -> None:
    log = EventLog(Path("/dev/full"))
    with pytest.raises(UserError, match="/dev/full: cannot be written: No space left"):
        log.write(events[:1])
    log.close()
