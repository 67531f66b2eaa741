"""A tournament's results as publishers get them, from its store; and one match of it, by its number or its key."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Pairing, Table, TournamentResults
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.replay import Replay
from tiltyard_simulator.output.reports import isolation_line, quarantine_line
from tiltyard_tournaments.running.eligibility import DISQUALIFIED
from tiltyard_tournaments.running.qualification import NOT_ADMITTED
from tiltyard_tournaments.running.schedule import Progress, Schedule, progress_to_show
from tiltyard_tournaments.running.tables import SHOWN, TABLES, below_standings, matches_with_byes, standings
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.standings import standings_table
from tiltyard_tournaments.store import Store

OpenStore: TypeAlias = Callable[[], AbstractContextManager[Store]]
"""Opens the store of a tournament for one question."""


def tournament_results(tournament: Tournament, progress: Progress, open_results: OpenStore) -> TournamentResults:
    """The results as far as the tournament was played; replays and outputs are read from the store when they are wanted.

    Args:
        tournament: what is played.
        progress: how far it has come.
        open_results: opens the store; of one that stays open, ``lambda: nullcontext(store)``.
    """
    schedule = progress.schedule
    hide = tournament.publication.hide

    lines = standings(tournament, schedule)

    def table(name: str) -> Table:
        if name == SHOWN[0]:
            return standings_table(lines, tournament.rules)
        return TABLES[name](tournament, schedule, matches_with_byes(tournament, schedule))

    return TournamentResults(
        title=tournament.title,
        game=tournament.game.name,
        teams=tuple(line.team for line in lines),
        matches=tuple([replace(outcome, played=False) if outcome.played else outcome for outcome in schedule.records]),
        missing=len(progress.missing),
        folder=tournament.folder,
        store=tournament.folder,
        tables=tuple(name for name in TABLES if name not in (NOT_ADMITTED, DISQUALIFIED) or name in below_standings(tournament)),
        table=table,
        replay=(lambda key: None) if "replays" in hide else _replays(schedule, open_results),
        replay_bytes=(lambda key: b"") if "replays" in hide else _replay_bytes(schedule, open_results),
        output=(lambda key: ()) if "output" in hide else _outputs(schedule, open_results),
        publication=tournament.publication,
        description=tournament.description,
        notes=tuple(_notes(tournament, progress)),
        theme=tournament.game.load_as(Game).display.theme,
        format=tournament.format_name,
        challengers=tuple(tournament.names[team] for team in tournament.format.challengers),
        findings=tuple(tournament.format.notes(schedule.results)),
        pairings=tuple(_pairings(tournament, progress)),
        is_scored=tournament.rules.scoring.by == "score",
        period=_period(schedule, open_results),
        decisions=tournament.decisions,
        brackets=tuple(each.with_names(tournament.names) for each in tournament.format.brackets(schedule.results)),
    )


def _pairings(tournament: Tournament, progress: Progress) -> list[Pairing]:
    games: dict[tuple[str, frozenset[str]], list[tuple[str, ...]]] = {}
    for spec in progress.missing:
        games.setdefault((spec.place.stage, frozenset(spec.input.names)), []).append(spec.input.names)
    byes = tournament.format.byes(progress.schedule.results)
    return [
        *[Pairing(each.stage, (tournament.names[each.team],), each.games, each.ending, each.points) for each in byes],
        *[Pairing(stage, teams[0], len(teams)) for (stage, _), teams in games.items()],
    ]


def _period(schedule: Schedule, store_of: OpenStore) -> Callable[[], tuple[str, str]]:
    def period() -> tuple[str, str]:
        with store_of() as store:
            return store.period()

    # Before the first match there may be no store.
    return period if schedule.records else lambda: ("", "")


def _notes(tournament: Tournament, progress: Progress) -> list[str]:
    schedule = progress.schedule
    records = schedule.records
    notes = [
        *tournament.format.notes(schedule.results),
        _voids_note(schedule.voids),
        f"{progress.earlier.note}." if progress.earlier else "",
        *quarantine_line(records).splitlines(),
        isolation_line(records),
    ]
    return [note for note in notes if note]


def _voids_note(voids: int) -> str:
    if voids == 1:
        return "1 game failed because of the machine. It doesn't count; the next run plays it again."
    return f"{voids:,} games failed because of the machine. They don't count; the next run plays them again." if voids else ""


def _forfeits(schedule: Schedule) -> frozenset[str]:
    """Matches that count as forfeits. Some were played before that was known, which depends on timing: nothing is shown of it."""
    return frozenset(record.key for record in schedule.records if record.is_forfeit)


def _outputs(schedule: Schedule, open_results: OpenStore) -> Callable[[str], tuple[str, ...]]:
    forfeits = _forfeits(schedule)

    def outputs(key: str) -> tuple[str, ...]:
        if key in forfeits:
            return ()
        with open_results() as store:
            return printed(store.record(key))

    return outputs


def printed(record: MatchRecord | None) -> tuple[str, ...]:
    """What each seat's code printed in a match, seat 1 first; empty if it was not played."""
    accounts = () if record is None else record.evidence.accounts
    return tuple(account.output.decode("utf-8", "replace") for account in accounts)


def _replays(schedule: Schedule, open_results: OpenStore) -> Callable[[str], Replay | None]:
    """Replays with the players under the names that they go by now."""
    names = {spec.place.key: spec.input.names for spec in schedule.matches}
    forfeits = _forfeits(schedule)

    def replay(key: str) -> Replay | None:
        if key in forfeits:
            return None
        with open_results() as store:
            stored = store.replay(key)
        if stored is not None and key in names:
            stored.seats = names[key]
        return stored

    return replay


def _replay_bytes(schedule: Schedule, connect: OpenStore) -> Callable[[str], bytes]:
    forfeits = _forfeits(schedule)

    def replay_bytes(key: str) -> bytes:
        with connect() as store:
            return b"" if key in forfeits else store.replay_bytes(key)

    return replay_bytes


SHORTEST_KEY: Final = 4
"""Digits of an abbreviated key."""
SHOWN_KEY: Final = 8


def find_replay(tournament: Tournament, store: Store, text: str, where: str) -> tuple[str, Replay]:
    """The key and the replay of the match that ``text`` names: a number of the schedule, from 1, or the beginning of a key.

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
        return key, replay
    if record is None:
        reason = "it was forfeited, not played"
    else:
        reason = (
            "the machine failed during the match; run the tournament again"
            if record.outcome.is_void
            else "replays were not saved ('replays' in the tournament file)"
        )
    raise UserError(f"{where}: match {text} has no replay: {reason}", see="no-replay")


def keys_of(text: str, outcomes: Iterable[Outcome], keys: Collection[str]) -> list[str]:
    """The keys that ``text`` may mean: that of the game with this number, from 1, or those that begin so."""
    own = [each.key for each in outcomes if text.isascii() and text.isdecimal() and each.place + 1 == int(text)]
    if own or text in keys:
        # A match that was played again has the key of the first one and a number.
        return own[:1] or [text]
    return [key for key in keys if len(text) >= SHORTEST_KEY and key.startswith(text.lower())]


def _key(tournament: Tournament, store: Store, text: str, where: str) -> str:
    outcomes = progress_to_show(tournament, store).schedule.records if text.isdecimal() else ()
    keys = keys_of(text, outcomes, store.keys())
    if not keys:
        what = f"expected a number, or at least {SHORTEST_KEY} digits of a key; 'tiltyard replay {where}' lists the matches"
        raise UserError(f"{where}: no match '{text}' has been played; {what}")
    if len(keys) > 1:
        raise UserError(f"{where}: {len(keys)} matches have keys that start with {text}; give more digits")
    return keys[0]
