"""Records of matches that nobody played, from what a test says of them."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from tiltyard_engine.match_record import NO_CLAIM, Evidence, MatchRecord, SeatAccount, outcome_of, outcome_values
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault, GameResult
from tiltyard_simulator.replays.files import pack


def made_record(
    *,
    claim: GameResult = NO_CLAIM,
    winner: int = 0,
    ranks: tuple[int, ...] = (),
    faults: tuple[Fault, ...] = (),
    no_contest: bool = False,
    accounts: tuple[SeatAccount, ...] = (),
    manager_account: SeatAccount | None = None,
    replay: Replay | bytes | None = None,
    requests: tuple[tuple[int, int, tuple[str, ...]], ...] = (),
    views: tuple[tuple[tuple[int, int, int], str], ...] = (),
    kept_view: str = "",
    **others: Any,
) -> MatchRecord:
    """What the arena would make of these values; ``others`` are fields of the outcome."""
    managers = "" if manager_account is None else manager_account.held
    held = tuple(account.held for account in accounts)
    outcome = outcome_of(claim, winner, ranks, faults, no_contest, held=held, manager_held=managers, **others)
    evidence = Evidence(
        claim=claim,
        replay=pack(replay) if isinstance(replay, Replay) else replay or b"",
        requests=requests,
        views=views,
        kept_view=kept_view,
        accounts=accounts,
        manager_account=manager_account,
    )
    return MatchRecord(outcome=outcome, evidence=evidence)


FOLLOWING = ("scores", "reason", "message", "rounds", "remaining", "digest", "held", "manager_held")
"""What ``made_record`` works out."""


def changed(record: MatchRecord, **values: Any) -> MatchRecord:
    """The record with other values in one of its parts, and with all that follows from them."""
    evidence = {each.name: getattr(record.evidence, each.name) for each in fields(Evidence) if each.name != "replay_problem"}
    outcome = {name: value for name, value in outcome_values(record.outcome).items() if name not in FOLLOWING}
    return made_record(**evidence | outcome | values)
