"""What the properties of a game have in common: the match that most of them look at, and ways to play others."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NoReturn

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.host import Host, IsolatedMatch, find_host
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import Manager, MapFile, TankInterface, TurnInterface, usual_players
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, GameResult
from tiltyard_engine.seat_kinds.hidden_views import ViewCall, watching
from tiltyard_engine.seat_kinds.value_types import same_value
from tiltyard_kit.game_check.bench.fresh_process import FreshMatch, FreshOutcome, play_fresh
from tiltyard_kit.game_check.bench.inline_match import InlineMatch, InlineRun, no_such_seats, play_inline
from tiltyard_kit.game_check.bench.meddling import meddling
from tiltyard_kit.game_check.bench.other_answers import Changed, answers_of, other_players
from tiltyard_kit.game_check.bench.outcomes import NotApplicable, NotShown, Violation, raised
from tiltyard_kit.game_check.bench.parts import GameParts, Team
from tiltyard_kit.game_check.bench.scripts import wanderer
from tiltyard_kit.game_check.bench.team_files import referenced

SEED: Final = 1
MATCHES: Final = 3
"""With different seeds, for properties of results."""


USUAL_TEAMS: Final = 2
AT_ONCE: Final = 0.005
"""CPU seconds of an answer. The properties take some thirty matches."""
TOO_LONG: Final = 20 * AT_ONCE
"""CPU seconds of an answer in the first turns, with all that is prepared for it, after which no further turn is tried."""
TRIED_TURNS: Final = 2
MOST_OTHERS: Final = 4
MOST_BASES: Final = 8
"""Matches in which answers are changed."""


class Bench:
    """A game on the bench. A context manager: at its end no process of it is left.

    Args:
        parts: the game.
        manager: the GameManager; by default the game's own.
        game_map: the map; by default the smallest shipped one, or one that the game generates.
        teams: who plays, seat 1 first, and then again from the first; by default two quick algorithms of the game.
        host: what plays in other processes; by default the simulator, where it is installed.
    """

    def __init__(
        self,
        parts: GameParts,
        *,
        manager: Manager | None = None,
        game_map: MapFile | None = None,
        teams: Sequence[Team] = (),
        host: Host | None = None,
    ) -> None:
        self.parts = parts
        self.game = parts.game
        self.manager = manager or parts.manager()
        self.seats = (game_map.seats if game_map is not None else 0) or usual_players(parts.game)
        self._given_teams, self._given_map, self._given_host = tuple(teams), game_map, host
        self._stack = contextlib.ExitStack()
        self._seconds: dict[str, float] = {}
        """Of an answer, for algorithms that were asked for it, by name."""
        self.view_calls = 0
        """How often the first match called a function that hides something."""

    def __enter__(self) -> Bench:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    @cached_property
    def map(self) -> MapFile:
        """The map of the usual match; errors as ``map_for``."""
        return self._given_map or self.map_for(self.seats)

    def prepare(self) -> None:
        """Find what is played.

        Raises:
            UserError: there is no map, or no algorithm; or the game has seats of a kind of its own.
        """
        if not isinstance(self.game.interface, TankInterface | TurnInterface):
            raise no_such_seats(self.game)
        _ = self.map, self.teams

    @property
    def declaration(self) -> Any:
        """The function of the plugin that yields the game; where that cannot be found, the one that reads its maps."""
        return self.parts.declaration or self.game.maps.read

    @property
    def has_tanks(self) -> bool:
        """Whether the teams have a Player and tanks."""
        return isinstance(self.game.interface, TankInterface)

    @cached_property
    def teams(self) -> tuple[Team, ...]:
        """Who plays, seat 1 first, and then again from the first.

        Raises:
            UserError: the game has no algorithm in Python.
        """
        if self._given_teams:
            return self._given_teams
        if self.parts.teams:
            return self._quick_teams()
        if self.has_tanks:
            return (wanderer(self.game.name),)
        raise UserError(
            f"the game {self.game.name} has no algorithm in Python: yield one from algorithms(), or name one to play with"
        )

    def _quick_teams(self) -> tuple[Team, ...]:
        """The first two, by name, that answer at once; those of a game that all think longer are the two that are quickest."""
        teams = self.parts.teams
        if len(teams) <= USUAL_TEAMS:
            return teams
        quick: list[Team] = []
        seconds: dict[str, float] = {}
        for team in teams:
            seconds[team.name] = self._seconds_an_answer(team)
            if seconds[team.name] < AT_ONCE:
                quick.append(team)
            if len(quick) == USUAL_TEAMS:
                return tuple(quick)
        return tuple(sorted(teams, key=lambda team: seconds[team.name])[:USUAL_TEAMS])

    def _seconds_an_answer(self, team: Team) -> float:
        """CPU seconds of an answer in a match of the team against itself, which is broken off soon."""
        seconds = 0.0
        for turn in range(TRIED_TURNS + 1):
            seconds = self._seconds_until(team, turn)
            if seconds > TOO_LONG:
                break
        return seconds

    def _seconds_until(self, team: Team, turn: int) -> float:
        teams = [meddling(team, turn, _break_off)] * self.seats
        start = time.process_time()
        try:
            questions = len(self.play(replace(self.match(teams), records=False)).questions)
        except Violation:
            questions = 0
        return (time.process_time() - start) / max(questions, 1)

    def map_for(self, seats: int) -> MapFile:
        """The smallest shipped map for so many seats, or one that the game generates.

        Raises:
            UserError: there is none.
        """
        refusals = {game_map.name: self._refusal(game_map, seats) for game_map in self.parts.maps if not game_map.seats}
        fitting = [game_map for game_map in self.parts.maps if game_map.seats == seats or refusals.get(game_map.name) == ""]
        if fitting:
            return min(fitting, key=lambda game_map: (len(game_map.data), game_map.name))
        generate = self.game.maps.generate
        if generate is None:
            advice = "; ".join([*refusals.values(), "yield one from maps(), or name one to play on"])
            raise UserError(f"no map for {self.game.name} and {seats} players: {advice}")
        return MapFile("generated", self.game.name, generate(self.game.maps.options(), SEED, seats), seats)

    def _refusal(self, game_map: MapFile, seats: int) -> str:
        """Why a map can't be read for so many seats; empty if it can."""
        try:
            self.game.maps.read(game_map.name, game_map.data, seats)
        except MapError as error:
            return str(error)
        return ""

    def teams_for(self, seats: int) -> tuple[Team, ...]:
        """Who plays, seat 1 first."""
        return tuple(self.teams[seat % len(self.teams)] for seat in range(seats))

    # In this process

    def match(self, teams: Sequence[Team] = (), seed: int = SEED) -> InlineMatch:
        """The usual match, or one of other teams."""
        playing = teams or self.teams_for(self.seats)
        return InlineMatch(game=self.game, manager=self.manager, map=self.map, teams=playing, seed=seed)

    @cached_property
    def first(self) -> InlineRun:
        """The usual match, played; as it is.

        Raises:
            Violation: the map cannot be read.
        """
        calls: list[ViewCall] = []
        with watching(calls.append):
            run = self.play(self.match())
        self.view_calls = len(calls)
        return run

    @cached_property
    def reseeded(self) -> tuple[InlineRun, ...]:
        """The usual match with some other seeds, and with the seats exchanged."""
        return tuple(map(self.play, self._reseeded_matches))

    @cached_property
    def _reseeded_matches(self) -> tuple[InlineMatch, ...]:
        matches = [self.match(seed=seed) for seed in range(SEED + 1, SEED + MATCHES)]
        return tuple(replace(match, teams=_rotated(match.teams, match.seed)) for match in matches)

    @cached_property
    def changed(self) -> tuple[Changed, ...]:
        """For each seat, matches in which it answered differently from another one; errors as for ``unfailed``."""
        pairs = [(self.match(), self.unfailed), *zip(self._reseeded_matches, self.reseeded, strict=True)]
        bases = [(match, run) for match, run in pairs if not run.record.faults]
        changed = [Changed(seat) for seat in range(1, self.seats + 1)]
        for match, before in bases:
            for each in changed:
                if not each.is_decided:
                    # Against somebody who makes no mistake, nobody can win: others may win against somebody who made one.
                    others = self._change(each, match, before)
                    bases += others[-2:][: max(MOST_BASES - len(bases), 0)]
        return tuple(changed)

    def _change(self, changed: Changed, match: InlineMatch, before: InlineRun) -> list[tuple[InlineMatch, InlineRun]]:
        """Play a match with other answers of one seat, until one ends with the seats in another order; all of them."""
        others: list[tuple[InlineMatch, InlineRun]] = []
        place = changed.seat - 1
        own = answers_of(before.questions, changed.seat)
        for other in other_players(self.game, match.teams[place], self._possible_teams(), before.questions, changed.seat):
            another = replace(match, teams=[*match.teams[:place], other, *match.teams[place + 1 :]])
            run = self.play(another)
            if run.record.faults:
                changed.refused += 1
            elif not same_value(own, answers_of(run.questions, changed.seat)):
                others.append((another, run))
                changed.add(before, run)
                if changed.is_decided:
                    break
        return others

    def _possible_teams(self) -> Iterator[Team]:
        """Those that play, and then a few others that answer at once; to find these takes time, so only who needs them asks on."""
        yield from self.teams
        others = [team for team in self.parts.teams if team not in self.teams]
        for team in others[:MOST_OTHERS]:
            if team.name not in self._seconds:
                self._seconds[team.name] = self._seconds_an_answer(team)
            if self._seconds[team.name] < AT_ONCE:
                yield team

    @property
    def claims(self) -> tuple[GameResult, ...]:
        """Of all matches in this process in which nobody failed; errors as for ``sound``."""
        sound = [self.sound, *self.reseeded]
        others = (after for changed in self.changed for after in changed.claims)
        return (*(run.record.claim for run in sound if not run.record.faults), *others)

    @property
    def unfailed(self) -> InlineRun:
        """The usual match, for properties that mean nothing without a result.

        Raises:
            NotShown: it has none, or a seat failed.
        """
        if self.first.record.faults:
            seat = self.first.record.faults[0].seat
            who = "the GameManager" if seat == MANAGER_SEAT else f"player {seat}"
            raise NotShown(f"{who} failed in the first match: see 'plays' and 'result'")
        return self.first

    @property
    def sound(self) -> InlineRun:
        """The usual match, for properties that mean nothing without a result and questions.

        Raises:
            NotShown: it has no result, a seat failed, or nobody was asked anything.
        """
        if not self.unfailed.questions:
            raise NotShown("no team was asked anything in the first match: see 'answers matter'")
        return self.unfailed

    def play(self, match: InlineMatch) -> InlineRun:
        """Play a match in this process.

        Raises:
            Violation: the game did not let it begin.
        """
        try:
            return play_inline(match)
        except UserError as error:
            raise Violation(f"a match on {match.map.name} cannot begin: {error}", self.game.maps.read) from error
        except Exception as error:
            raise raised(f"starting a match on {match.map.name}", error) from error

    # In others

    @cached_property
    def fresh(self) -> FreshOutcome | None:
        """The usual match in a new process of Python; None where no other process could find the game.

        Raises:
            Violation: the game fails there.
        """
        match = self.match()
        game, manager = self.parts.reference_of(self.game), self.parts.reference_of(match.manager)
        if game is None or manager is None:
            return None
        teams = self._references(match.teams)
        try:
            return play_fresh(FreshMatch(game=game, manager=manager, teams=teams, map=match.map, seed=match.seed))
        except UserError as error:
            raise Violation(str(error), self.manager.create) from error

    def _references(self, teams: Sequence[Team]) -> tuple[Reference, ...]:
        return tuple(
            self.parts.reference_of(team) or referenced(replace(team, game=self.game.name), self.folder, place)
            for place, team in enumerate(teams)
        )

    @cached_property
    def host(self) -> Host:
        """What plays in other processes; one without the simulator cannot."""
        return self._stack.enter_context(self._given_host or find_host(is_quiet=True))

    @cached_property
    def folder(self) -> Path:
        """For files of teams that a test made."""
        return Path(self._stack.enter_context(tempfile.TemporaryDirectory(prefix="tiltyard-game-")))

    def play_isolated(self, match: InlineMatch, isolation: str, manager_isolation: str = "inline") -> PlayedMatch:
        """Play the same match with its code isolated in other ways.

        Raises:
            NotApplicable: this machine cannot, or other processes could not find the game.
            UserError: a team cannot be sent to another process.
        """
        reasons = self.host.isolations()
        missing = reasons.get(isolation) or reasons.get(manager_isolation)
        if missing:
            raise NotApplicable(missing)
        game, manager = self.parts.reference_of(self.game), self.parts.reference_of(match.manager)
        if game is None or manager is None:
            raise NotApplicable("a test put the game together, so no other process can find it: give its name, file or folder")
        return self.host.play_isolated(
            IsolatedMatch(
                game=game,
                manager=manager,
                map_name=match.map.name,
                map_data=match.map.data,
                players=self._references(match.teams),
                seed=match.seed,
                rounds=match.rounds,
                isolation=isolation,
                manager_isolation=manager_isolation,
            )
        )


def _rotated(teams: Sequence[Team], seats: int) -> list[Team]:
    turn = seats % len(teams)
    return [*teams[turn:], *teams[:turn]]


def _break_off() -> NoReturn:
    raise RuntimeError("this match was only to find out how long an answer takes")
