"""What a run keeps in memory of each of its matches: all that tables and reports need, and little more.

The store has everything. A hundred thousand records as they come from workers would take gigabytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tiltyard_engine.match_record import MatchRecord, SeatAccount
from tiltyard_tournaments.running.interning import Interned


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRecord(MatchRecord):
    """A record without its replay, its final board, and what code printed."""

    known_digest: str = ""
    """The digest of the whole record: it can't be found any more without the final board."""

    @property
    def digest(self) -> str:
        """As that of the whole record."""
        return self.known_digest


class RecordKeeper:
    """Makes small records. Texts and lists that are equal in many of them are one in memory."""

    def __init__(self) -> None:
        self._one = Interned().one

    def kept(self, record: MatchRecord, key: str) -> KeptRecord:
        """What is kept of a record; ``key`` is its key, as the caller keeps it anyway."""
        claim, account = record.claim, record.manager_account
        small = replace(
            claim,
            reason=self._one(claim.reason),
            final_state=(),
            message=self._one(claim.message),
            log="",
            remaining_tanks=self._one(claim.remaining_tanks),
            ranks=self._one(claim.ranks),
        )
        return KeptRecord(
            teams=self._one(record.teams),
            map=self._one(record.map),
            manager=self._one(record.manager),
            winner=record.winner,
            ranks=self._one(record.ranks),
            # Equal scores may look different: 0.0 and -0.0.
            claim=small if claim.scores else self._one(small),
            faults=record.faults,
            no_contest=record.no_contest,
            forfeited=record.forfeited,
            key=key,
            place=record.place,
            seed=record.seed,
            game=record.game,
            stage=self._one(record.stage),
            accounts=self._one(tuple([_held(each) for each in record.accounts])),
            manager_account=None if account is None else self._one(_held(account)),
            incidents=record.incidents,
            seconds=record.seconds,
            played=record.played,
            known_digest=record.digest,
        )


def _held(account: SeatAccount) -> SeatAccount:
    return SeatAccount(held=account.held)
