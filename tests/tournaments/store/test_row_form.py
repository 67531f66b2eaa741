"""What a row holds of a result has the form of version 0.2.0, to the byte."""

from __future__ import annotations

from typing import Any

import msgspec
from tests.made_records import made_record

from tiltyard_engine.match_record import SeatAccount
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_tournaments.store.row_form import RESULTS, result_bytes

CLAIM: dict[str, Any] = {
    "winner": 1,
    "reason": "ALL",
    "rounds": 3,
    "final_state": ["# "],
    "remaining_tanks": [1, 0],
    "ranks": [1, 2],
    "scores": [2.5, 0.0],
    "message": "ann won",
    "faults": [],
    "log": "a\nb",
    "notes": [],
    "as_made": None,
}
ACCOUNT: dict[str, Any] = {
    "held": "inline",
    "output": b"printed\xff",
    "cpu_seconds": 0.5,
    "wall_seconds": 0.0,
    "peak_bytes": 0,
    "calls": [],
    "conversation": [],
    "was_early": False,
}
ROW: dict[str, Any] = {
    "teams": ["ann", "bob"],
    "map": "m",
    "manager": "judge",
    "winner": 1,
    "ranks": [1, 2],
    "claim": CLAIM,
    "faults": [{"seat": 2, "termination": "crash", "message": "it broke", "round": 3, "traceback": "Traceback ..."}],
    "no_contest": False,
    "forfeited": [],
    "key": "k1",
    "place": 7,
    "seed": 5,
    "game": 1,
    "stage": "round 2",
    "replay": None,
    "requests": [[1, 0, ["Shoot"]]],
    "views": [[[1, 1, 0], "00"]],
    "kept_view": "",
    "accounts": [ACCOUNT, {**ACCOUNT, "output": b""}],
    "manager_account": {**ACCOUNT, "held": "sandbox, level A"},
    "incidents": ["a worker died"],
    "seconds": 0.25,
    "played": True,
}
RECORD = made_record(
    claim=GameResult(1, "ALL", 3, ("# ",), remaining_tanks=(1, 0), ranks=(1, 2), scores=(2.5, 0.0), message="ann won", log="a\nb"),
    winner=1,
    ranks=(1, 2),
    faults=(Fault(2, Termination.CRASH, "it broke", 3, "Traceback ..."),),
    accounts=(
        SeatAccount(held="inline", output=b"printed\xff", cpu_seconds=0.5),
        SeatAccount(held="inline", cpu_seconds=0.5),
    ),
    manager_account=SeatAccount(held="sandbox, level A", output=b"printed\xff", cpu_seconds=0.5),
    requests=((1, 0, ("Shoot",)),),
    views=(((1, 1, 0), "00"),),
    teams=("ann", "bob"),
    map="m",
    manager="judge",
    key="k1",
    place=7,
    seed=5,
    game=1,
    stage="round 2",
    incidents=("a worker died",),
    seconds=0.25,
)


def test_it_is_written_as_before() -> None:
    assert result_bytes(RECORD) == msgspec.msgpack.encode(ROW)


def test_it_is_read_as_it_was_written() -> None:
    result = RESULTS.decode(msgspec.msgpack.encode(ROW))
    assert result.record() == RECORD
    assert result.record(b"packed").evidence.replay == b"packed"
    assert result.outcome == RECORD.outcome
    assert result.outcome.message == "ann won (player 2: crash: it broke)"
