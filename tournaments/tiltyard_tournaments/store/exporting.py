"""Everything in a store as JSON lines, for other programs."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Any

import msgspec

from tiltyard_tournaments.store.store import Store, StoredMatch

ENCODER = msgspec.json.Encoder(order="sorted")


def export_lines(store: Store, with_replays: bool = False) -> Iterator[bytes]:
    """One object a line: the facts, what teams were asked before they played, match by match as they were stored, then incidents.

    Bytes that are no text, such as maps, are base64 in fields whose names end in ``_base64``.
    """
    yield _line("tournament", store.facts())
    for entry in store.entries():
        yield _line("entry", {"team": entry.team, "test": entry.test, "passed": entry.passed, "said": entry.said})
    for stored in store.matches():
        yield _line("match", _match(stored))
        if with_replays and stored.has_replay:
            replay = store.replay(stored.key)
            yield _line("replay", {"key": stored.key, "replay": replay})
    for key, seen_at, what in store.incidents():
        yield _line("incident", {"key": key, "seen_at": seen_at, "what": what})


def _line(kind: str, content: dict[str, Any]) -> bytes:
    return ENCODER.encode({"kind": kind, **content}) + b"\n"


def _match(stored: StoredMatch) -> dict[str, Any]:
    spec, outcome = stored.spec, stored.outcome
    accounts = [
        {
            "held": account.held,
            "cpu_seconds": account.cpu_seconds,
            "wall_seconds": account.wall_seconds,
            "peak_bytes": account.peak_bytes,
            "output": account.output.decode("utf-8", "replace"),
        }
        for account in outcome.accounts
    ]
    return {
        "key": stored.key,
        "played_at": stored.played_at,
        "game": spec.game.name,
        "manager": spec.manager.name,
        "map": spec.map.name,
        "map_base64": base64.b64encode(spec.map.data).decode("ascii"),
        "teams": spec.names,
        "seed": spec.seed,
        "winner": outcome.winner,
        "ranks": outcome.ranks,
        "counts": outcome.counts,
        "message": outcome.message,
        "claim": outcome.claim,
        "faults": outcome.faults,
        "accounts": accounts,
        "incidents": outcome.incidents,
        "seconds": outcome.seconds,
    }
