"""A match of a tournament's store, by its number in the schedule or by its key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.replay import Replay
from tiltyard_tournaments.running.schedule import progress_to_show
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import Store

SHORTEST_KEY: Final = 4
"""Digits of an abbreviated key."""
SHOWN_KEY: Final = 8


@dataclass(frozen=True, slots=True)
class FoundReplay:
    """A replay and which match it is of."""

    key: str
    replay: Replay


def find_replay(tournament: Tournament, store: Store, text: str, where: str) -> FoundReplay:
    """The replay of the match that ``text`` names: a number of the schedule, from 1, or the beginning of a key.

    Raises:
        UserError: there is no such match, there are several, or it has no replay.
    """
    key = _key(tournament, store, text, where)
    record = store.ended(key)
    replay = store.replay(key)
    if replay is not None:
        if any(team.shown for team in tournament.teams):
            # Some may be called otherwise now than when it was played.
            names = {match.key: match.teams for match in progress_to_show(tournament, store).schedule.records}
            replay.seats = names.get(key, replay.seats)
        return FoundReplay(key, replay)
    if record is None:
        reason = "it was forfeited, not played"
    else:
        reason = (
            "the machine failed during the match; run the tournament again"
            if record.outcome.is_void
            else "replays were not saved ('replays' in the tournament file)"
        )
    raise UserError(f"{where}: match {text} has no replay: {reason}", see="no-replay")


def _key(tournament: Tournament, store: Store, text: str, where: str) -> str:
    hint = f"'tiltyard replay {where}' lists the matches"
    if text.isascii() and text.isdecimal():
        for match in progress_to_show(tournament, store).schedule.records:
            if match.place + 1 == int(text):
                return match.key
    if len(text) < SHORTEST_KEY:
        raise UserError(
            f"{where}: no match '{text}' has been played; expected a number, or at least {SHORTEST_KEY} digits of a key; {hint}"
        )
    stored = store.keys()
    keys = [key for key in stored if key.startswith(text.lower())]
    if not keys:
        raise UserError(f"{where}: no match '{text}' has been played; expected a number or the start of a key; {hint}")
    if len(keys) > 1:
        raise UserError(f"{where}: {len(keys)} matches have keys that start with {text}; give more digits")
    return keys[0]
