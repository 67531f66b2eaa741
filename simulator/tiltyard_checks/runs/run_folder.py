"""The output folder of a run, such as a round robin: its matches are known without the command or the file that they came from.

Such a folder may be somebody else's. So nothing that it says about code is believed but the place where that lies, and code that
ran without a sandbox needs the user's trust.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tiltyard_checks.faults.fault_reading import code_here
from tiltyard_checks.faults.rerun import check_trust
from tiltyard_checks.runs.verification import verified_against
from tiltyard_engine.decisions import first_attempt
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.registry import Reference
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.code_digest import digest_without_loader
from tiltyard_simulator.match.key import match_key
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import record_replay
from tiltyard_tournaments.publishers.results import SHORTEST_KEY, SHOWN_KEY, keys_of
from tiltyard_tournaments.store import STORE_NAME, Store

OTHER_VERSION: Final = "tiltyard, or a package that the code needs, has a different version now"


def is_run_folder(path: Path) -> bool:
    """Whether a run wrote its results there."""
    return (path / STORE_NAME).is_file()


@dataclass(frozen=True, slots=True)
class RunFolder:
    """The matches of a folder, in the order of their schedule."""

    path: Path
    store: Store
    matches: Sequence[tuple[MatchSpec, Outcome]]

    def match(self, text: str) -> tuple[MatchSpec, Outcome]:
        """The match with this number, from 1, or whose key begins so.

        Raises:
            UserError: there is none, or there are several.
        """
        outcomes = {outcome.key: outcome for _, outcome in self.matches}
        keys = keys_of(text, outcomes.values(), outcomes)
        numbered = [key for key, outcome in outcomes.items() if text.isdecimal() and outcome.place + 1 == int(text)]
        if not keys:
            raise UserError(
                f"{self.path}: no match '{text}' has been played; expected a number, or at least {SHORTEST_KEY} digits of a key;"
                f" 'tiltyard replay {shlex.quote(str(self.path))}' lists the matches"
            )
        if len(keys) > 1 or len(numbered) > 1:
            several = ", ".join(key[:SHOWN_KEY] for key in (keys if len(keys) > 1 else numbered))
            raise UserError(f"{self.path}: {text} stands for several matches; give more digits of a key: {several}")
        return next(each for each in self.matches if each[1].key == keys[0])

    def to_play(self, spec: MatchSpec, policy: IsolationPolicy) -> MatchSpec:
        """A match of the folder as it can be played again.

        Raises:
            UserError: its code is different now or not there any more, or ``policy`` doesn't allow to play it.
        """
        here = as_it_is_here(spec, self.path)
        check_trust(here, policy)
        if reason := why_not_comparable(here, spec.place.key):
            raise UserError(
                f"{self.path}: match {spec.place.number + 1} ({spec.input.title}) can't be played again: {reason};"
                f" run the command that made {self.path} again to play what changed"
            )
        return here

    def replay(self, spec: MatchSpec, policy: IsolationPolicy) -> Replay:
        """The replay of a match, which is played again if none was saved.

        Raises:
            UserError: as ``to_play``; or the match had another result now.
        """
        if (replay := self.store.replay(spec.place.key)) is not None:
            return replay
        record = play_match(with_replay(self.to_play(spec, policy)))
        stored = self.store.record(spec.place.key)
        replay = record_replay(record)
        as_before = replace(record, evidence=replace(record.evidence, replay=b""))
        if stored is None or replay is None or not verified_against(spec, stored, as_before).is_same:
            raise UserError(
                f"{self.path}: no replay was saved, and the match isn't the same when it is played again;"
                f" 'tiltyard verify {shlex.quote(str(self.path))}' says what differs"
            )
        return replay


def with_replay(spec: MatchSpec) -> MatchSpec:
    """The match with a replay. Compiled files that share a process have none; where a match is traced, each is in its own."""
    return replace(spec, recording=replace(spec.recording, replay=True, trace=spec.plays_natively, log=False))


@contextmanager
def open_run_folder(path: Path) -> Iterator[RunFolder]:
    """The matches of a folder, while its store is open.

    Raises:
        UserError: the store can't be read.
    """
    with Store(path, writable=False) as store:
        matches = ((each.spec, each.spec.label(each.record.outcome)) for each in store.matches())
        yield RunFolder(path, store, sorted(matches, key=lambda each: each[0].place.number))


def as_it_is_here(spec: MatchSpec, where: Path) -> MatchSpec:
    """A match with the sources of its code as they are on this machine.

    Raises:
        UserError: some of its code isn't here.
    """
    match = spec.input
    game, manager, *teams = (code_here(code, where) for code in (match.game, match.manager, *match.teams))
    return replace(spec, input=replace(match, game=game, manager=manager, teams=tuple(teams)))


def why_not_comparable(spec: MatchSpec, key: str) -> str:
    """Why a match that was played would have another key now; empty if it has the same.

    Raises:
        UserError: a plugin's files can't be read.
    """
    if match_key(spec) == first_attempt(key):
        return ""
    return what_changed(spec, spec.input.players) or OTHER_VERSION


def what_changed(spec: MatchSpec, now: Sequence[Reference]) -> str:
    """Which code of a match is different now, or not there any more; empty if nothing is.

    Args:
        spec: the match as it was played.
        now: games, GameManagers and teams, as they are now. Several teams may be registered under one name.
    """
    changed: list[str] = []
    for player, then in zip(spec.input.players, spec.place.digests):
        alike = [each for each in now if (each.kind, each.name) == (player.kind, player.name)]
        shown_alike = [each for each in alike if each.label == player.label] or alike
        if not alike:
            return f"{player.kind} {player.label} no longer takes part"
        if all(digest_without_loader(each.source) != then for each in shown_alike):
            changed.append(f"{player.kind} {player.label}")
    return f"the code of {', '.join(dict.fromkeys(changed))} has changed since" if changed else ""
