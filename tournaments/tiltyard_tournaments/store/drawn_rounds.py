"""Rounds as they were drawn, in a store: who was there, who met whom where, and who had no opponent.

A store of version 0.2.0 has none. Its matches tell their rounds, which count as drawn as they were played.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

import msgspec

from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import Bye, Field, Fixture
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.store.store import Store, StoredMatch
from tiltyard_tournaments.store.team_notes import NotedTeam

Games: TypeAlias = dict[int, StoredMatch]
"""The matches of a round by their places in the schedule."""


class DrawnGame(msgspec.Struct, frozen=True):
    """A fixture, and the match that it was."""

    fixture: Fixture
    """Teams and maps by their places in the round's own lists."""
    key: str
    seed: int
    digests: tuple[str, ...]
    """Of the code of game, GameManager and teams."""


class DrawnRound(msgspec.Struct, frozen=True, kw_only=True):
    """A round, with all that it needs to be played and shown when the tournament's file has changed."""

    format: str
    field: Field
    """What it was drawn from."""
    teams: tuple[NotedTeam, ...]
    """Those of the field."""
    maps: tuple[tuple[str, bytes], ...]
    """Name and contents of those of the field."""
    games: tuple[DrawnGame, ...]
    byes: tuple[Bye, ...] = ()
    options: bytes = b""
    """The options of the format, as JSON."""
    tie_breaks: tuple[str, ...] = ("wins",)
    """Those that the tournament had then. The default was another one in version 0.2.0."""


_DECODER: Final = msgspec.msgpack.Decoder(DrawnRound)
_ENCODER: Final = msgspec.msgpack.Encoder()


def write_round(store: Store, number: int, one_round: DrawnRound) -> None:
    """Keep a round, counted from 1."""
    store.add_round(number, _ENCODER.encode(one_round))


def read_rounds(store: Store, format_name: str, by_stage: bool) -> list[DrawnRound]:
    """The rounds of a format that a store has; those of another format stand for nothing.

    Args:
        store: where they are.
        format_name: of the tournament.
        by_stage: whether its matches tell which round they are of, where the store itself doesn't.

    Raises:
        UserError: what is stored cannot be read.
    """
    rows = store.rounds()
    if rows is None:
        return list(_as_played(store, format_name)) if by_stage else []
    try:
        rounds = [_DECODER.decode(row) for row in rows]
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise UserError(f"{store.path}: the rounds that were drawn cannot be read: {error}; see 'tiltyard recover'") from error
    return rounds if all(each.format == format_name for each in rounds) else []


def _as_played(store: Store, format_name: str) -> Iterator[DrawnRound]:
    """The rounds that the matches of an older store tell, up to the first one that is not there as a whole."""
    stages: dict[str, Games] = {}
    for match in store.matches():
        stages.setdefault(match.record.outcome.stage, {})[match.record.outcome.place] = match
    everybody = {team for games in stages.values() for match in games.values() for team in match.spec.input.names}
    start = 0
    for number in range(1, len(stages) + 1):
        games = stages.get(f"round {number}", {})
        meetings = Counter(frozenset(match.spec.input.names) for match in games.values())
        here = [name for pair in meetings for name in pair]
        is_whole = len(set(meetings.values())) == 1 and len(here) == len(set(here)) >= len(everybody) - 1
        if sorted(games) != list(range(start, start + len(games))) or not is_whole:
            return
        yield _round_of([games[place] for place in sorted(games)], format_name)
        start += len(games)


def _round_of(matches: Sequence[StoredMatch], format_name: str) -> DrawnRound:
    specs = [match.spec for match in matches]
    teams = list({team: None for spec in specs for team in spec.input.teams})
    maps = list({source: None for spec in specs for source in (spec.input.map,)})
    codes = {team: code for spec in specs for team, code in zip(spec.input.teams, spec.place.digests[2:])}
    games = [
        DrawnGame(
            Fixture(
                tuple(teams.index(team) for team in spec.input.teams),
                maps.index(spec.input.map),
                match.record.outcome.game,
                match.record.outcome.stage,
            ),
            match.key,
            spec.input.seed,
            spec.place.digests,
        )
        for match, spec in zip(matches, specs, strict=True)
    ]
    return DrawnRound(
        format=format_name,
        field=Field(teams=tuple(team.label for team in teams), maps=tuple(source.name for source in maps)),
        teams=tuple(NotedTeam(team, "", codes.get(team, ""), codes.get(team, "")) for team in teams),
        maps=tuple((source.name, source.data) for source in maps),
        games=tuple(games),
    )


def drawn_games(batch: Iterable[MatchSpec], fixtures: Iterable[Fixture]) -> tuple[DrawnGame, ...]:
    """The matches of a batch with their fixtures."""
    both = zip(batch, fixtures, strict=True)
    return tuple(DrawnGame(fixture, spec.place.key, spec.input.seed, spec.place.digests) for spec, fixture in both)
