"""Who may play, and under which names: what is asked of teams before the first match of a tournament.

A game may have tests for those who want to play it (``qualify`` in the tournament file), and may let programs tell their names.
Both are asked once, kept in the store, and asked again of a team only when its code has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass, replace
from typing import Final, Protocol, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.programs import ProgramError
from tiltyard_engine.publishing import Table
from tiltyard_engine.qualifying import QualifyingTest
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Reference
from tiltyard_engine.wording import LONGEST_NAME, one_line
from tiltyard_simulator.code_digest import code_digest
from tiltyard_simulator.guard.isolation import Isolation
from tiltyard_simulator.loading import load
from tiltyard_simulator.match_key import match_key
from tiltyard_simulator.running import Executor
from tiltyard_simulator.specs import MapSource, MatchOutcome, MatchSpec
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.store import STORE_NAME, Store
from tiltyard_tournaments.store.store import EntryRow

NOT_ADMITTED: Final = "not-admitted"
"""The table of those who may not play."""
NAME_LIMITS: Final = {"startup_seconds": 2.0, "wall_factor": 3.0}
NAME_SECONDS: Final = 2.0
LEAST_TEAMS: Final = 2
LONGEST_REASON: Final = 300

OpenExecutor: TypeAlias = Callable[[], AbstractContextManager[Executor]]
Say: TypeAlias = Callable[[str], None]


class KeptEntries(Protocol):
    """Gives what is kept of entries, as a ``Store`` does."""

    def entry(self, key: str) -> EntryRow | None:
        """What came of a question."""
        ...


@dataclass(frozen=True, slots=True)
class Asked:
    """A test that a team is asked, and the match that it is."""

    team: Reference
    test: QualifyingTest
    spec: MatchSpec
    key: str


def hold_entry(tournament: Tournament, store: Store, open_executor: OpenExecutor, say: Say) -> Tournament:
    """Ask what is not known yet, keep it, and give the tournament of those who may play.

    Args:
        tournament: as its file has it.
        store: writable.
        open_executor: what plays the tests; opened only if there are any to be played.
        say: told how it goes.

    Raises:
        UserError: a test cannot be set up, the machine spoilt some, or fewer than two teams may play.
    """
    _ask_names(tournament, store, say)
    for group in _groups(tournament):
        out = {team for team, reason in _refused(tournament, store) if reason}
        teams = [team for team in tournament.teams if team not in out]
        missing = [asked for team in teams for asked in _asked(tournament, team, group) if store.entry(asked.key) is None]
        if missing:
            say(f"qualifying: {missing[0].test.group}: {len(missing)} tests of {len({asked.team for asked in missing})} teams")
            _play(missing, store, open_executor)
    found = entered(tournament, store)
    for team, reason in found.not_admitted:
        say(f"not admitted: {team}: {reason}")
    return found


def entered(tournament: Tournament, kept: KeptEntries) -> Tournament:
    """The tournament of those who may play as far as that is known; who was not asked everything yet still may.

    Raises:
        UserError: fewer than two are left.
    """
    if not _asks_anything(tournament):
        return tournament
    teams = _named(tournament, kept)
    reasons = dict(_refused(tournament, kept))
    out = tuple((team.label, reasons[team]) for team in teams if reasons.get(team))
    admitted = tuple(team for team in teams if not reasons.get(team))
    if not out:
        return replace(tournament, teams=teams)
    if len(admitted) < LEAST_TEAMS:
        told = "".join(f"\n  {team}: {reason}" for team, reason in out)
        raise UserError(
            f"{len(admitted) or 'no'} team{'' if len(admitted) == 1 else 's'} qualified, expected at least {LEAST_TEAMS}{told}"
        )
    names = tuple(name for name, team in zip(tournament.field.teams, teams, strict=True) if not reasons.get(team))
    field = replace(tournament.field, teams=names)
    remade = tournament.remake_format(field) if tournament.remake_format is not None else tournament.format
    return replace(tournament, teams=admitted, field=field, format=remade, not_admitted=out)


def entered_now(tournament: Tournament) -> Tournament:
    """Likewise, by what lies in the tournament's folder; for those who only look."""
    if not _asks_anything(tournament) or not (tournament.folder / STORE_NAME).is_file():
        return tournament
    with Store(tournament.folder, writable=False) as store:
        return entered(tournament, store)


def entry_progress(tournament: Tournament, kept: KeptEntries) -> tuple[int, int]:
    """How many tests were asked and how many are known of yet, of the tournament as its file has it.

    Tests of a group count only for those who passed the ones before.
    """
    done = known = 0
    for team in tournament.teams:
        for group in _groups(tournament):
            rows = [kept.entry(asked.key) for asked in _asked(tournament, team, group)]
            known += len(rows)
            done += sum(row is not None for row in rows)
            if not all(row is not None and row.passed for row in rows):
                break
    return done, known


def not_admitted_table(tournament: Tournament) -> Table:
    """Who may not play, and why."""
    return Table("Not admitted", ("algorithm", "reason"), tuple(tournament.not_admitted))


# Names


def _ask_names(tournament: Tournament, store: Store, say: Say) -> None:
    introduce = load(tournament.game, Game).introduce
    asked = [team for team in _introduced(tournament) if store.entry(_name_key(team)) is None]
    if not asked or introduce is None:
        return
    isolations = {tournament.holding.of(team) for team in asked}
    if Isolation.SANDBOX in isolations and tournament.holding.refusal():
        # The first match says what to do about it.
        return
    # Most commands that look at a tournament start nothing.
    from tiltyard_simulator.guard.programs.program_host import GuardHost

    say(f"names: asking {len(asked)} program{'s' if len(asked) > 1 else ''}")
    for isolation in isolations:
        with GuardHost(isolation) as host:
            for team in asked:
                if team.program is None or tournament.holding.of(team) is not isolation:
                    continue
                name = ""
                with contextlib.suppress(ProgramError), host.open_program(team.program, NAME_LIMITS) as program:
                    program.begin(NAME_SECONDS, "name")
                    name = introduce(program)
                store.add_entry(_name_key(team), team.name, "name", bool(name), one_line(name, LONGEST_NAME))


def _introduced(tournament: Tournament) -> list[Reference]:
    """Teams that may tell their names: programs that the organiser has not named."""
    if load(tournament.game, Game).introduce is None:
        return []
    return [team for team in tournament.teams if team.program is not None and not team.shown]


def _name_key(team: Reference) -> str:
    whole = repr(
        (team.name, team.game, team.program and (team.program.command, team.program.environment), code_digest(team.source))
    )
    return f"name-{hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()}"


def _named(tournament: Tournament, kept: KeptEntries) -> tuple[Reference, ...]:
    """The teams under the names that they go by. Whoever would be called like another keeps the registered name beside it."""
    wanted: dict[Reference, str] = {}
    for team in _introduced(tournament):
        row = kept.entry(_name_key(team))
        if row is not None and row.passed:
            wanted[team] = row.said
    fixed = [team.label for team in tournament.teams if team not in wanted] + [team.name for team in tournament.teams]
    found: list[Reference] = []
    for team in tournament.teams:
        name = wanted.get(team, "")
        others = [*fixed, *(other for each, other in wanted.items() if each != team)]
        if name and name != team.name and name in others:
            name = f"{name} ({team.name})"
        found.append(replace(team, shown=name) if name and name not in fixed else team)
    return tuple(found)


# Tests


def _asks_anything(tournament: Tournament) -> bool:
    return bool(tournament.tests) or bool(_introduced(tournament))


def _groups(tournament: Tournament) -> list[str]:
    return list(dict.fromkeys(test.group for test in tournament.tests))


def _asked(tournament: Tournament, team: Reference, group: str) -> Iterator[Asked]:
    game, manager = tournament.tests_game, tournament.tests_manager
    assert game is not None
    assert manager is not None
    for test in tournament.tests:
        if test.group == group:
            spec = tournament.holding.apply(MatchSpec(game, manager, MapSource(test.name, test.map_data), (team,)))
            yield Asked(team, test, spec, match_key(spec))


def _refused(tournament: Tournament, kept: KeptEntries) -> Iterator[tuple[Reference, str]]:
    """Each team with the reason why it may not play; empty where it may, or where not all is known yet."""
    groups = _groups(tournament)
    for team in tournament.teams:
        yield team, next((reason for group in groups if (reason := _reason(tournament, team, group, kept))), "")


def _reason(tournament: Tournament, team: Reference, group: str, kept: KeptEntries) -> str:
    asked = list(_asked(tournament, team, group))
    rows = [kept.entry(each.key) for each in asked]
    if any(row is None for row in rows):
        return ""
    failed = [(each.test.name, row.said) for each, row in zip(asked, rows, strict=True) if row is not None and not row.passed]
    if not failed:
        return ""
    test, said = failed[0]
    return one_line(f"{group}: {len(asked) - len(failed)} of {len(asked)} tests passed; {test}: {said}", LONGEST_REASON)


def _play(missing: Sequence[Asked], store: Store, open_executor: OpenExecutor) -> None:
    spoilt = 0
    with open_executor() as executor, closing(executor.play((place, each.spec) for place, each in enumerate(missing))) as playing:
        for place, outcome in playing:
            each = missing[place]
            if outcome.manager_fault is not None:
                spoilt += 1
                store.add_incident(each.key, outcome.message)
            else:
                store.add_entry(each.key, each.team.name, each.test.name, outcome.winner == 1, _said(outcome))
    if spoilt:
        raise UserError(
            f"{spoilt} qualifying test{'s' if spoilt > 1 else ''} could not be judged, as the machine failed; run it again"
        )


def _said(outcome: MatchOutcome) -> str:
    fault = next((fault for fault in outcome.faults if fault.seat), None)
    what = outcome.claim.message if fault is None else fault.message
    return one_line(f"{outcome.claim.reason}: {what}", LONGEST_REASON)
