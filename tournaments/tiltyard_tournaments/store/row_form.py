"""What the rows of a store hold as msgpack, in the form of version 0.2.0: which match it was, and its result."""

from __future__ import annotations

import json
from collections.abc import Iterable
from operator import attrgetter
from typing import Final

import msgspec

from tiltyard_engine.match_record import NO_CLAIM, Evidence, MatchRecord, Outcome, SeatAccount, outcome_of
from tiltyard_engine.results import Fault, GameResult, Termination
from tiltyard_simulator.match.spec import MatchInput
from tiltyard_simulator.match.verdict import OnCrash
from tiltyard_simulator.output.spec_form import NAMES_IN_FILES, SpecForm


class StoredSource(msgspec.Struct, frozen=True):
    """Of a ``Source`` what it is called."""

    distribution: str = ""
    version: str = ""


class StoredCode(msgspec.Struct, frozen=True, kw_only=True):
    """Of a ``Reference`` what it is called, and where it came from; of a ``MapSource`` its name."""

    name: str
    shown: str = ""
    source: StoredSource = StoredSource()

    @property
    def label(self) -> str:
        """The name that tables show: the organiser's label, or else the code's own name."""
        return self.shown or self.name


class StoredSpec(msgspec.Struct, frozen=True, rename=NAMES_IN_FILES):
    """The small part of a ``SpecForm``: to read all of it, map and limits included, takes several times as long."""

    game: StoredCode
    manager: StoredCode
    map: StoredCode
    """The seed depends on its contents."""
    teams: tuple[StoredCode, ...]
    seed: int = 0
    on_crash: OnCrash = OnCrash.FORFEIT
    key: str = ""
    digests: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The teams' labels, as a ``MatchInput`` has them."""
        return tuple(team.label for team in self.teams)


class StoredResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a match, but for its replay, which has a column of its own. The order of the fields is that of the bytes."""

    teams: tuple[str, ...] = ()
    map: str = ""
    manager: str = ""
    winner: int = 0
    ranks: tuple[int, ...] = ()
    claim: GameResult = NO_CLAIM
    faults: tuple[Fault, ...] = ()
    no_contest: bool = False
    forfeited: tuple[int, ...] = ()
    key: str = ""
    place: int = 0
    seed: int = 0
    game: int = 0
    stage: str = ""
    replay: None = None
    requests: tuple[tuple[int, int, tuple[str, ...]], ...] = ()
    views: tuple[tuple[tuple[int, int, int], str], ...] = ()
    kept_view: str = ""
    accounts: tuple[SeatAccount, ...] = ()
    manager_account: SeatAccount | None = None
    incidents: tuple[str, ...] = ()
    seconds: float = 0.0
    played: bool = True

    @property
    def held(self) -> tuple[str, ...]:
        """How each seat's code was isolated."""
        return tuple([account.held for account in self.accounts])

    @property
    def is_void(self) -> bool:
        """Whether the machine did not let the match come to an end."""
        return any(fault.termination is Termination.VOID for fault in self.faults)

    @property
    def outcome(self) -> Outcome:
        """What a run keeps of it."""
        managers = self.manager_account
        others = dict(zip(_OTHERS, _others(self), strict=True))
        others |= {"held": self.held, "manager_held": "" if managers is None else managers.held}
        return outcome_of(self.claim, self.winner, self.ranks, self.faults, self.no_contest, **others)

    def record(self, replay: bytes = b"") -> MatchRecord:
        """All of it, with the replay of the row, if that is wanted."""
        evidence = Evidence(replay=replay, **dict(zip(_EVIDENCE, _evidence(self), strict=True)))
        return MatchRecord(outcome=self.outcome, evidence=evidence)


_JUDGED: Final = ("winner", "ranks", "faults", "no_contest")
_OTHERS: Final = ("teams", "map", "manager", "forfeited", "key", "place", "seed", "game", "stage", "incidents", "seconds", "played")
_EVIDENCE: Final = ("claim", "requests", "views", "kept_view", "accounts", "manager_account")
"""The fields of an outcome and of evidence that are called the same in a row."""
_judged, _others, _evidence = (attrgetter(*names) for names in (_JUDGED, _OTHERS, _EVIDENCE))


def result_bytes(record: MatchRecord) -> bytes:
    """What is written of a record."""
    values = (*_judged(record.outcome), *_others(record.outcome), *_evidence(record.evidence))
    return _ENCODER.encode(StoredResult(**dict(zip((*_JUDGED, *_OTHERS, *_EVIDENCE), values, strict=True))))


COLUMNS: Final = ("game", "manager", "map", "teams", "seed", "held", "faults")
"""The columns of a row that repeat what its match and its result say, beside the key."""


def columns_of(
    match: MatchInput | SpecForm | StoredSpec, held: Iterable[str], faults: Iterable[Fault]
) -> tuple[str, str, str, str, int, str, int]:
    """The values of ``COLUMNS`` for a match; ``teams`` is JSON, ``faults`` counts those of seats."""
    of_seats = sum(1 for fault in faults if fault.seat)
    names = match.game.name, match.manager.name, match.map.name, json.dumps(match.names)
    return *names, match.seed, "; ".join(held), of_seats


_ENCODER: Final = msgspec.msgpack.Encoder()
SPECS: Final = msgspec.msgpack.Decoder(StoredSpec)
RESULTS: Final = msgspec.msgpack.Decoder(StoredResult)
