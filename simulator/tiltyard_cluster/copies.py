"""What is done about matches of a machine that may hang: another one plays them as well, and whoever is first counts.

All copies of a match must have the same result. Where they have not, that is told: a machine or a team is not what it should be.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

import msgspec

from tiltyard_cluster.chunks import PendingMatch
from tiltyard_cluster.machine import Machine
from tiltyard_cluster.machines import Machines
from tiltyard_engine.match_record import MatchRecord, SeatAccount

MOST_COPIES: Final = 3
"""Machines that play a match at once, if it is overdue on all of them."""


def overdue_matches(machines: Machines) -> Iterator[list[PendingMatch]]:
    """The matches of each overdue chunk that nobody plays who may still be in time."""
    for task in machines.overdue:
        matches = [pending for pending in task.chunk if not pending.settled_by and pending.out == pending.late < MOST_COPIES]
        if matches:
            yield matches


def has(machine: Machine, pending: PendingMatch) -> bool:
    """Whether a machine plays it already."""
    return any(pending in task.chunk for task in machine.tasks)


def is_first(pending: PendingMatch, machine: Machine, record: MatchRecord, machines: Machines) -> bool:
    """Whether this result of a match is the one that counts. A later one is compared with it."""
    if not pending.settled_by:
        pending.settled_by = machine.name
        if pending.out and not record.outcome.is_void:
            pending.fingerprint = fingerprint(record)
        return True
    if pending.fingerprint and not record.outcome.is_void and fingerprint(record) != pending.fingerprint:
        machines.say(
            f"{pending.spec.input.title}: {pending.settled_by} and {machine.name} have both played"
            " it, and the results differ. The first one counts. Compare the two machines, and find such matches with"
            " 'tiltyard verify'"
        )
    return False


def fingerprint(record: MatchRecord) -> bytes:
    """A hash of all that must be the same wherever a match is played: the result, faults, output and replay, but no times."""
    accounts = tuple(SeatAccount(held=account.held, output=account.output) for account in record.evidence.accounts)
    same = MatchRecord(
        outcome=replace(record.outcome, place=0, seconds=0.0, incidents=()),
        evidence=replace(record.evidence, accounts=accounts, manager_account=None),
    )
    return hashlib.blake2b(msgspec.msgpack.encode(same), digest_size=16).digest()
