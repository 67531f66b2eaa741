"""Playing the matches of a store again, to see whether their results are the stored ones.

Only what depends on the same code can be compared. Matches that were played with other code, such as those of a team that changed
since, are told apart from those that differ.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from tiltyard_checks.faults.rerun import check_game, check_trust
from tiltyard_checks.runs.run_folder import as_it_is_here, what_changed, why_not_comparable
from tiltyard_checks.runs.verification import Verified, verified_against
from tiltyard_engine.decisions import first_attempt
from tiltyard_engine.errors import UserError
from tiltyard_simulator.match.key import match_key, players_of
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executor import Executor, play_all, record_refusal
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

NOT_IN_SCHEDULE: Final = (
    "they don't belong to the tournament as its file is now: it has different teams, or a different format, number of games or seed"
)
OTHER_SETTINGS: Final = "they were played with different settings, such as limits or isolation, or a different version of tiltyard"


@dataclass(frozen=True, slots=True)
class StoredMatches:
    """What of a store can be played again, and what not."""

    comparable: tuple[MatchSpec, ...]
    others: Mapping[str, int]
    """Why matches can't be compared, and how many of them."""

    def sample(self, number: int | None, seed: int) -> tuple[MatchSpec, ...]:
        """So many of the comparable ones, in their order; the same for the same seed. None: all."""
        if number is None or number >= len(self.comparable):
            return self.comparable
        places = sorted(random.Random(seed).sample(range(len(self.comparable)), number))
        return tuple(self.comparable[place] for place in places)


def matches_of_tournament(tournament: Tournament, store: Store) -> StoredMatches:
    """The stored matches, each to be played as the tournament says now.

    Raises:
        UserError: the store is damaged, or this machine cannot confine a team that must be confined.
    """
    schedule = follow(tournament, store.ended_as).schedule
    stored = store.keys()
    counted = zip(schedule.matches, schedule.records, strict=True)
    comparable = tuple(spec for spec, record in counted if spec.place.key in stored and not record.is_forfeit)
    needed = {first_attempt(spec.place.key) for spec in schedule.matches}
    now = (tournament.game, tournament.manager, *tournament.teams)
    maps = {source.name: source.data for source in tournament.maps}

    def reason(key: str) -> str:
        match = store.match(key)
        return "" if match is None else what_changed(match.spec, now) or _why_not_needed(match.spec, key, tournament, maps)

    return StoredMatches(comparable, _counted(reason(key) for key in sorted(stored) if first_attempt(key) not in needed))


def matches_of_folder(store: Store, policy: IsolationPolicy) -> StoredMatches:
    """The stored matches of a store whose tournament file is not there, each to be played as it was.

    Raises:
        UserError: the store is damaged, or ``policy`` does not allow to play one of its matches, as in ``check_trust``.
    """
    comparable: list[MatchSpec] = []
    reasons: list[str] = []
    for stored in store.matches():
        try:
            spec = as_it_is_here(stored.spec, store.path)
        except UserError as error:
            reasons.append(str(error))
            continue
        check_game(spec.input.game, policy)
        try:
            reason = why_not_comparable(spec, stored.key)
        except UserError as error:
            reason = str(error)
        if reason:
            reasons.append(reason)
        else:
            check_trust(spec, policy)
            comparable.append(spec)
    return StoredMatches(tuple(comparable), _counted(reasons))


def _why_not_needed(spec: MatchSpec, key: str, tournament: Tournament, maps: Mapping[str, bytes]) -> str:
    """Why the tournament has no such match now, although all its code is as it was."""
    if spec.input.map.name not in maps:
        return f"the map {spec.input.map.name} is no longer played"
    if maps[spec.input.map.name] != spec.input.map.data:
        return f"the map {spec.input.map.name} has changed since"
    as_now = replace(
        spec, input=replace(spec.input, on_crash=tournament.on_crash), holding=replace(spec.holding, isolations=(), limits=())
    )
    try:
        is_alike = match_key(tournament.isolation_policy.apply(as_now)) == key
    except UserError as error:
        return str(error)
    # Nobody played it otherwise: it is the others that changed.
    return NOT_IN_SCHEDULE if is_alike else OTHER_SETTINGS


def play_stored(specs: Sequence[MatchSpec], store: Store, executor: Executor) -> Iterator[Verified]:
    """Play matches of a store again and compare each with what is stored, as they end; nothing is written."""
    replayed = store.replayed()

    def to_play() -> Iterator[MatchSpec]:
        for place, spec in enumerate(specs):
            record = store.record(spec.place.key)
            verbose = record is not None and bool(record.evidence.claim.log)
            yield replace(
                spec,
                place=replace(spec.place, number=place),
                recording=replace(spec.recording, replay=spec.place.key in replayed, trace=False, log=verbose),
            )

    with closing(play_all(to_play(), executor, record_refusal, players_of(specs))) as playing:
        for record in playing:
            spec = specs[record.outcome.place]
            stored = store.record(spec.place.key, with_replay=True)
            if stored is not None:
                yield verified_against(spec, stored, record)


def _counted(reasons: Iterator[str] | Sequence[str]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for reason in reasons:
        counts[reason] = counts.get(reason, 0) + 1
    return counts
