"""Who may play, and under which names: what is asked of teams before the first match of a tournament.

A game may have tests for those who want to play it (``qualify`` in the tournament file), and may let programs tell their names.
Both are asked once, kept in the store, and asked again of a team only when its code has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing
from functools import cache
from typing import Final, TypeAlias

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.programs import Program, ProgramError
from tiltyard_engine.records import LEAST_PLAYERS, Game, QualifyingTest
from tiltyard_engine.registry import Reference
from tiltyard_engine.texts.quantities import counted
from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line
from tiltyard_simulator.match.code_digest import code_digest, digest_without_loader
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import match_key, players_of
from tiltyard_simulator.match.spec import MapSource, MatchInput, MatchSpec
from tiltyard_simulator.play.executor import Executor, play_all
from tiltyard_tournaments.running.eligibility import exclusions_of
from tiltyard_tournaments.running.standing_rounds import with_standing_rounds
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import STORE_NAME, Store

NOT_ADMITTED: Final = "not-admitted"
"""The table of those who may not play."""
NAME_LIMITS: Final = {"startup_seconds": 2.0, "wall_factor": 3.0}
NAME_SECONDS: Final = 2.0
LONGEST_REASON: Final = 300

OpenExecutor: TypeAlias = Callable[[], AbstractContextManager[Executor]]
Say: TypeAlias = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TeamTest:
    """A test that a team has to pass, and the match that it is."""

    team: Reference
    test: QualifyingTest
    spec: MatchSpec
    code: str
    """The digest of the team's code."""

    @property
    def key(self) -> str:
        """The match's key, and the team's code by itself: to tell, when the game has changed, whether the team has as well."""
        return f"{match_key(self.spec)}-{self.code}"


def qualify_teams(tournament: Tournament, store: Store, open_executor: OpenExecutor, say: Say) -> Tournament:
    """Ask for names and play the tests that are missing, save the answers, and return the tournament of the teams that may play.

    Args:
        tournament: as its file has it.
        store: writable.
        open_executor: what plays the tests; opened only if there are any to be played.
        say: told how it goes.

    Raises:
        UserError: a test cannot be set up, the machine spoilt some, or fewer than two teams may play.
    """
    _ask_names(tournament, store, say)
    with contextlib.ExitStack() as stack:
        executor = cache(lambda: stack.enter_context(open_executor()))
        for group in _groups(tournament):
            # Nothing is asked of who may not play anyway.
            out = {team for team, reason in _refused(tournament, store) if reason} | set(exclusions_of(tournament))
            teams = [team for team in tournament.teams if team not in out]
            missing = [test for team in teams for test in _tests(tournament, team, group) if store.entry(test.key) is None]
            if missing:
                say(f"qualifying: {missing[0].test.group}: {len(missing)} tests for {len({test.team for test in missing})} teams")
                _play(missing, store, executor())
    admitted = with_admitted_teams(tournament, store)
    # What could not be loaded was told when the file was read.
    for team, reason in admitted.not_admitted[len(tournament.not_admitted) :]:
        say(f"not admitted: {team}: {reason}")
    return admitted


def with_admitted_teams(tournament: Tournament, store: Store, as_played: bool = False, *, is_redraw: bool = False) -> Tournament:
    """The tournament without the teams that failed a test, and with the rounds that were drawn and the decisions.

    A team that was not tested completely yet stays.

    Args:
        tournament: as its file has it.
        store: has what came of the tests.
        as_played: whether tests count that were made with other code of the game than there is now.
        is_redraw: whether it is shown as if no round was drawn.

    Raises:
        UserError: fewer than two are left.
    """
    return with_standing_rounds(_without_refused(tournament, store, as_played), store, is_redraw=is_redraw)


def _without_refused(tournament: Tournament, store: Store, as_played: bool) -> Tournament:
    if not _asks_anything(tournament):
        return tournament
    teams = _with_names(tournament, store)
    reasons = dict(_refused(tournament, store, as_played))
    out = tuple((team.label, reasons[team]) for team in teams if reasons.get(team))
    admitted = tuple(team for team in teams if not reasons.get(team))
    tournament = _with_labels(tournament, teams)
    if not out:
        return tournament
    least = max(LEAST_PLAYERS, tournament.field.seats)
    if len(admitted) < least:
        lines = "".join(f"\n  {team}: {reason}" for team, reason in out)
        raise UserError(f"at least {least} teams must qualify, but {len(admitted) or 'none'} did{lines}")
    names = tuple(name for name, team in zip(tournament.field.teams, teams, strict=True) if not reasons.get(team))
    field = replace(tournament.field, teams=names)
    remade = tournament.remake_format(field, b"") if tournament.remake_format is not None else tournament.format
    not_admitted = (*tournament.not_admitted, *out)
    return replace(tournament, teams=admitted, field=field, format=remade, not_admitted=not_admitted)


def with_teams_admitted_so_far(tournament: Tournament, *, is_redraw: bool = False) -> Tournament:
    """The same by the store in the tournament's folder, if there is one: for commands that only read."""
    if not (tournament.folder / STORE_NAME).is_file():
        return tournament
    with open_store(tournament) as store:
        return with_admitted_teams(tournament, store, as_played=True, is_redraw=is_redraw)


def qualifying_progress(tournament: Tournament, store: Store) -> tuple[int, int]:
    """How many tests were made and how many are to be made as far as that is known, of the tournament as its file has it.

    Tests of a group count only for those who passed the ones before.
    """
    answered = number = 0
    for team in tournament.teams:
        for group in _groups(tournament):
            rows = [store.entry(test.key) for test in _tests(tournament, team, group)]
            number += len(rows)
            answered += sum(row is not None for row in rows)
            if not all(row is not None and row.passed for row in rows):
                break
    return answered, number


# Names


def _ask_names(tournament: Tournament, store: Store, say: Say) -> None:
    nameless = [team for team in _introduced(tournament) if store.entry(_name_key(team)) is None]
    if not nameless or (introduce := _introduce(tournament)) is None:
        return
    isolations = {team: tournament.isolation_policy.of(team) for team in nameless}
    if Isolation.SANDBOX in isolations.values() and tournament.isolation_policy.refusal():
        # The first match says what to do about it.
        return
    # Most commands that look at a tournament start nothing.
    from tiltyard_simulator.play.host import GuardHost

    say(f"asking {counted(len(nameless), 'program')} for a name")
    for isolation in set(isolations.values()):
        with GuardHost(isolation) as host:
            programs = {team: team.program for team in nameless if team.program and isolations[team] is isolation}
            # Their folders are shown at once: each one that came later would take a new zygote.
            host.preload(programs.values())
            for team, own in programs.items():
                name = ""
                with contextlib.suppress(ProgramError), host.open_program(own, NAME_LIMITS) as program:
                    program.begin(NAME_SECONDS, "name")
                    name = introduce(program)
                store.add_entry(_name_key(team), team.name, "name", bool(name), one_line(name, LONGEST_NAME))


def _introduce(tournament: Tournament) -> Callable[[Program], str] | None:
    """How the game asks a program for its name."""
    programs = tournament.game.load_as(Game).programs
    return None if programs is None else programs.introduce


def _introduced(tournament: Tournament) -> list[Reference]:
    """Teams that may tell their names: programs that the organiser has not named."""
    return [team for team in tournament.teams if team.program is not None and not team.shown and _introduce(tournament)]


def _name_key(team: Reference) -> str:
    whole = repr(
        (team.name, team.game, team.program and (team.program.command, team.program.environment), code_digest(team.source))
    )
    return f"name-{hashlib.blake2b(whole.encode(), digest_size=16).hexdigest()}"


def _with_names(tournament: Tournament, store: Store) -> tuple[Reference, ...]:
    """The teams under the names that they go by. Whoever would be called like another keeps the registered name beside it."""
    names: dict[Reference, str] = {}
    for team in _introduced(tournament):
        row = store.entry(_name_key(team))
        if row is not None and row.passed:
            names[team] = row.said
    fixed = [team.label for team in tournament.teams if team not in names] + [team.name for team in tournament.teams]
    teams: list[Reference] = []
    for team in tournament.teams:
        name = names.get(team, "")
        others = [*fixed, *(other for each, other in names.items() if each != team)]
        if name and name != team.name and name in others:
            name = f"{name} ({team.name})"
        teams.append(replace(team, shown=name) if name and name not in fixed else team)
    return tuple(teams)


def _with_labels(tournament: Tournament, teams: tuple[Reference, ...]) -> Tournament:
    """The tournament with these labels for its teams; a team keeps the limits that were set for it under its other label."""
    policy = tournament.isolation_policy
    limits = dict(policy.limits.for_teams)
    for before, after in zip(tournament.teams, teams, strict=True):
        if before.label in limits:
            limits[after.label] = limits[before.label]
    policy = replace(policy, limits=replace(policy.limits, for_teams=limits))
    return replace(tournament, teams=teams, isolation_policy=policy)


# Tests


def _asks_anything(tournament: Tournament) -> bool:
    return bool(tournament.tests) or bool(_introduced(tournament))


def _groups(tournament: Tournament) -> list[str]:
    return list(dict.fromkeys(test.group for test in tournament.tests))


def _tests(tournament: Tournament, team: Reference, group: str) -> Iterator[TeamTest]:
    game, manager = tournament.tests_game, tournament.tests_manager
    assert game is not None
    assert manager is not None
    for test in tournament.tests:
        if test.group == group:
            spec = tournament.isolation_policy.apply(
                MatchSpec(MatchInput(game=game, manager=manager, map=MapSource(test.name, test.map_data), teams=(team,)))
            )
            yield TeamTest(team, test, spec, digest_without_loader(team.source))


def _refused(tournament: Tournament, store: Store, as_played: bool = False) -> Iterator[tuple[Reference, str]]:
    """Each team with the reason why it may not play; empty where it may, or where not all is known yet."""
    for team in tournament.teams:
        reasons = (_reason(tournament, team, group, store, as_played) for group in _groups(tournament))
        yield team, next(filter(None, reasons), "")


def _reason(tournament: Tournament, team: Reference, group: str, store: Store, as_played: bool) -> str:
    tests = list(_tests(tournament, team, group))
    rows = [store.entry(each.key) for each in tests]
    if as_played and None in rows:
        rows = [store.latest_entry(team.name, each.test.name, f"-{each.code}") for each in tests]
    if any(row is None for row in rows):
        return ""
    failed = [(each.test.name, row.said) for each, row in zip(tests, rows, strict=True) if row is not None and not row.passed]
    if not failed:
        return ""
    test, message = failed[0]
    return one_line(f"{group}: {len(tests) - len(failed)} of {len(tests)} tests passed; {test}: {message}", LONGEST_REASON)


def _play(missing: Sequence[TeamTest], store: Store, executor: Executor) -> None:
    failures = 0
    specs = [each.spec.at(place) for place, each in enumerate(missing)]
    with closing(play_all(specs, executor, preload=players_of(specs))) as playing:
        for record in playing:
            each, outcome = missing[record.outcome.place], record.outcome
            if outcome.manager_fault is not None:
                failures += 1
                store.add_incident(each.key, outcome.message)
            else:
                store.add_entry(each.key, each.team.name, each.test.name, outcome.winner == 1, _message(record))
    if failures:
        raise UserError(f"{counted(failures, 'qualifying test')} failed because of the machine; run the same command again")


def _message(record: MatchRecord) -> str:
    fault = next((fault for fault in record.outcome.faults if fault.seat), None)
    what = record.evidence.claim.message if fault is None else fault.message
    return one_line(f"{record.outcome.reason}: {what}", LONGEST_REASON)
