from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path

import pytest
from tests.tournaments.running.made_runs import ended, tournament_of

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.results import Fault, Termination
from tiltyard_tournaments.running.event_log import EventLog, event_line
from tiltyard_tournaments.running.events import (
    BatchStarted,
    Event,
    MatchFinished,
    MatchStarted,
    TournamentFinished,
    TournamentStarted,
)
from tiltyard_tournaments.running.schedule import Schedule


@pytest.fixture
def events(registry: Registry) -> list[Event]:
    planned = Schedule(tournament_of(registry)).next_batch()[0]
    outcome = ended(2, Fault(1, Termination.CRASH, 'it "broke"\n\x1b[2J', 2, "Traceback"))
    return [
        TournamentStarted("Cup", ("ann", "bob"), 0, None),
        BatchStarted(1, 12, 3),
        MatchStarted(0, planned.spec),
        MatchFinished(0, planned.spec, outcome, planned.key, "round 1"),
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
        "match finished",
        "tournament finished",
    ]
    for line in found:
        assert datetime.fromisoformat(line.pop("at")).utcoffset() is not None
    assert found[0] == {
        "event": "tournament started",
        "title": "Cup",
        "teams": ["ann", "bob"],
        "stored": 0,
        "expected": None,
    }
    assert found[1] == {"event": "batch started", "number": 1, "matches": 12, "stored": 3}
    match = found[3]
    assert (match["teams"], match["map"], match["winner"], match["ranks"]) == (found[2]["teams"], "m0", 2, [2, 1])
    assert match["faults"] == [{"seat": 1, "kind": "crash", "message": 'it "broke"\n\x1b[2J', "round": 2}]
    assert (match["played"], match["counts"], match["held"], match["rounds"]) == (True, True, ["inline", "inline"], 3)


def test_a_log_is_appended_to_at_once(events: list[Event], tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    for number in (1, 2):
        log = EventLog(path)
        for place, event in enumerate(events, start=1):
            log(event)
            assert path.read_bytes().count(b"\n") == place + (number - 1) * len(events)
        log.close()


def test_a_log_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none/log\.jsonl: cannot be written: No such file"):
        EventLog(tmp_path / "none" / "log.jsonl")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_disk_that_is_full(events: list[Event]) -> None:
    log = EventLog(Path("/dev/full"))
    with pytest.raises(UserError, match="/dev/full: cannot be written: No space left"):
        log(events[0])
    log.close()
