"""Everything in a store as JSON lines, for other programs."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any, Final

import msgspec

from tiltyard_engine.decisions import DecidedOutcome, Decision
from tiltyard_engine.match_record import NO_CLAIM, Evidence, MatchRecord, Outcome
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import Fault, GameResult, PairingEnding
from tiltyard_engine.texts.public_text import public_text
from tiltyard_simulator.match.eligibility import forfeit_claim
from tiltyard_simulator.match.panel_values import panel_values
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.standings.scoring import number
from tiltyard_tournaments.store.store import Store, StoredMatch

ENCODER = msgspec.json.Encoder(order="sorted")
CHANGING: Final = frozenset(["played_at", "seconds", "accounts", "incidents", "message"])
"""What of a match may be another each time. The message repeats what is in the claim, and the words of faults."""


def export_lines(
    store: Store,
    with_replays: bool = False,
    settled: Sequence[tuple[MatchSpec, Outcome]] | None = None,
    disqualified: Sequence[tuple[str, str, str]] = (),
    byes: Sequence[Outcome] = (),
    *,
    decisions: Sequence[Decision] = (),
    reproducible: bool = False,
) -> Iterator[bytes]:
    """One object a line: the facts, disqualified teams, decisions, what teams were asked first, match by match, byes, incidents.

    Bytes that are no text, such as maps, are base64 in fields whose names end in ``_base64``.

    Args:
        store: what is exported.
        with_replays: whether each match is followed by its replay.
        settled: the matches that count, in the order of the schedule, each with what counts of it: a forfeit in place of what was
            played too early, and the winner where a match counts as a forfeit. Nothing else is exported then. None: all matches in
            the order in which they were stored, as they were played.
        disqualified: name, what happens to its results, and reason of each team.
        byes: the rounds in which a team has no opponent.
        decisions: about matches. Where only what counts is exported, those that were taken back are left out.
        reproducible: whether only what is the same in every run of the tournament is exported: no times, memory and incidents, not
            how well a machine confines code, no output of code, and of a fault who, how and when, but no words, as they name paths.
    """
    keys = None if settled is None else {spec.place.key for spec, _ in settled}
    yield _line("tournament", store.facts())
    for team, results, reason in disqualified:
        yield _line("disqualified", {"team": team, "results": results, "reason": reason})
    for decision in decisions:
        if not (decision.taken_back_at and settled is not None):
            yield _line("decision", _decision(decision, reproducible))
    for entry in store.entries():
        detail = {} if reproducible and not entry.passed else {"said": public_text(entry.said)}
        yield _line("entry", {"team": entry.team, "test": entry.test, "passed": entry.passed, **detail})
    for stored in store.matches() if settled is None else _counting(store, settled):
        yield _line("match", _reproducible(_match(stored)) if reproducible else _match(stored))
        if with_replays and stored.has_replay:
            replay = store.replay(stored.key)
            yield _line("replay", {"key": stored.key, "replay": None if replay is None else _replay(replay)})
    for each in byes:
        points = {"points": number(Fraction(*each.scores))} if each.ending is PairingEnding.CARRIED else {}
        yield _line("bye", {"team": each.teams[0], "stage": each.stage, "ending": each.ending, **points})
    for key, seen_at, what in () if reproducible else store.incidents():
        if keys is not None and key not in keys:
            continue
        yield _line("incident", {"key": key, "seen_at": seen_at, "what": public_text(what)})


def _counting(store: Store, settled: Sequence[tuple[MatchSpec, Outcome]]) -> Iterator[StoredMatch]:
    for spec, outcome in settled:
        if outcome.is_void:
            continue
        stored = None if outcome.is_forfeit else store.match(spec.place.key)
        if outcome.is_forfeit or (stored is None and isinstance(outcome, DecidedOutcome)):
            # It may have been played before it was known that it would be one: that depends on chance, and counts for nothing.
            absent = [fault.seat for fault in outcome.faults]
            claim = forfeit_claim(spec.input.names, absent, outcome.reason) if absent else NO_CLAIM
            record = MatchRecord(outcome=outcome, evidence=Evidence(claim=claim))
            yield StoredMatch(spec.place.key, spec, record, "", has_replay=False)
        elif stored is not None and isinstance(outcome, DecidedOutcome):
            yield replace(stored, spec=spec, record=MatchRecord(outcome=outcome, evidence=stored.record.evidence))
        elif stored is not None:
            # What was played stays as it was; how it counts may follow from other matches.
            names = ("winner", "ranks", "scores", "forfeited", "message")
            counted = stored.record.changed(**{name: getattr(outcome, name) for name in names}, teams=spec.input.names)
            # Teams may be called otherwise now than when it was played.
            yield replace(stored, spec=spec, record=counted if outcome.forfeited else stored.record)


def _decision(decision: Decision, reproducible: bool) -> dict[str, Any]:
    times = {} if reproducible else {"made_at": decision.made_at, "taken_back_at": decision.taken_back_at}
    values = {name: public_text(getattr(decision, name)) for name in ("about", "team", "why")}
    matches = [game.key for game in decision.games]
    return {"number": decision.number, "what": decision.kind, **values, "matches": matches, **times}


def is_export(head: bytes) -> bool:
    """Whether a file that begins so is an export."""
    return head.startswith(b"{") and b'"kind":"tournament"' in head.partition(b"\n")[0]


def _line(kind: str, content: dict[str, Any]) -> bytes:
    return ENCODER.encode({"kind": kind, **content}) + b"\n"


def _claim(claim: GameResult) -> dict[str, Any]:
    """The fields of a result. What was corrected in it is at the end of its message."""
    plain = {each.name: getattr(claim, each.name) for each in fields(claim) if each.name not in ("notes", "as_made")}
    return {**plain, "message": public_text(claim.message), "faults": _public(claim.faults)}


def _public(faults: Iterable[Fault]) -> list[Fault]:
    """What went wrong, without paths of the machines that played."""
    return [replace(each, message=public_text(each.message), traceback=public_text(each.traceback)) for each in faults]


def _replay(replay: Replay) -> dict[str, Any]:
    """The fields of a replay; panels, where there are any, as in a replay file."""
    frames = [_with_panels(frame) for frame in replay.frames]
    return {**_with_panels(replay), "message": public_text(replay.message), "frames": frames}


def _with_panels(part: Replay | Frame) -> dict[str, Any]:
    values = {each.name: getattr(part, each.name) for each in fields(part) if each.name != "panels"}
    return {**values, "panels": panel_values(part.panels)} if part.panels else values


def _reproducible(match: dict[str, Any]) -> dict[str, Any]:
    claim = {**match["claim"], "faults": _bare(match["claim"]["faults"])}
    unchanging = {name: value for name, value in match.items() if name not in CHANGING}
    return {**unchanging, "claim": claim, "faults": _bare(match["faults"])}


def _bare(faults: Iterable[Fault]) -> list[dict[str, Any]]:
    return [{"seat": fault.seat, "termination": fault.termination, "round": fault.round} for fault in faults]


def _match(stored: StoredMatch) -> dict[str, Any]:
    spec, outcome, evidence = stored.spec, stored.record.outcome, stored.record.evidence
    accounts = [
        {
            "held": account.held,
            "cpu_seconds": account.cpu_seconds,
            "wall_seconds": account.wall_seconds,
            "peak_bytes": account.peak_bytes,
            "output": public_text(account.output.decode("utf-8", "replace")),
        }
        for account in evidence.accounts
    ]
    return {
        "key": stored.key,
        "played_at": stored.played_at,
        "game": spec.input.game.name,
        "manager": spec.input.manager.name,
        "map": spec.input.map.name,
        "map_base64": base64.b64encode(spec.input.map.data).decode("ascii"),
        "teams": spec.input.names,
        "seed": spec.input.seed,
        "winner": outcome.winner,
        "ranks": outcome.ranks,
        "counts": outcome.counts,
        "message": public_text(outcome.message),
        "claim": _claim(evidence.claim),
        "faults": _public(outcome.faults),
        **({"forfeited": outcome.forfeited} if outcome.forfeited else {}),
        **({"decision": outcome.decision.number} if isinstance(outcome, DecidedOutcome) else {}),
        **({"ending": outcome.ending} if outcome.ending is not PairingEnding.PLAYED else {}),
        "accounts": accounts,
        "incidents": list(map(public_text, outcome.incidents)),
        "seconds": outcome.seconds,
    }
