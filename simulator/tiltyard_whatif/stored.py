"""A match of a tournament's store, as it can be played again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Protocol

import typer

from tiltyard_checks.runs.file_or_folder import FileOrFolder
from tiltyard_checks.runs.run_folder import RunFolder, open_run_folder, what_changed
from tiltyard_engine.errors import UserError, some_of
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Replay
from tiltyard_engine.results import Fault
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_simulator.replays.files import CHUNK, is_replay
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.publishers.results import find_replay
from tiltyard_tournaments.running.schedule import Schedule, follow
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import Store
from tiltyard_whatif.playing import Course, OtherwiseError, Rematch, check_same

TeamChoice = Annotated[
    str | None,
    typer.Option(
        "--team", "-t", help="The team whose answers to replace. Default: the first player that didn't win.", show_default=False
    ),
]


@dataclass(frozen=True, slots=True)
class MoreQuestions:
    """What else is asked about a match."""

    seeds: Annotated[
        int,
        typer.Option(
            "--seeds",
            min=0,
            help="In a game of chance: also say how often the team wins with this many different random seeds from that turn on.",
        ),
    ] = 0
    versions: Annotated[
        list[str] | None,
        typer.Option(
            "--version",
            help="A different version of the team: a file, folder or name. It is asked at the same turns. Can be repeated.",
            show_default=False,
        ),
    ] = None


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A match as it was played."""

    spec: MatchSpec
    outcome: Outcome
    replay: Replay | None
    """None: none was saved, as in a round robin."""

    def seat_of(self, team: str | None) -> int:
        """The seat of a team, from 1.

        Raises:
            UserError: it doesn't play in this match.
        """
        names = self.spec.input.names
        if team is None:
            return next((seat for seat, rank in enumerate(self.outcome.ranks, start=1) if rank > 1), 1)
        if team not in names:
            raise UserError(f"--team {team}: {team} doesn't play in this match; expected {some_of(list(dict.fromkeys(names)))}")
        return names.index(team) + 1

    def fault_of(self, seat: int) -> Fault | None:
        """Why a seat failed; None if it didn't."""
        return next((fault for fault in self.outcome.faults if fault.seat == seat), None)


@dataclass(frozen=True, slots=True)
class LostGame:
    """A match that a team didn't win; its replay is still in the store."""

    spec: MatchSpec
    outcome: Outcome
    seat: int

    @property
    def place(self) -> tuple[str, int]:
        """The match's key, and the seat."""
        return self.spec.place.key, self.seat


class PlayedGames(Protocol):
    """The matches that questions are about."""

    @property
    def folder(self) -> Path:
        """The output folder, where results are noted."""

    @property
    def isolation_policy(self) -> IsolationPolicy:
        """How other versions of a team are isolated."""

    @property
    def hide(self) -> frozenset[str]:
        """What pages don't show."""

    def game(self, match: str) -> StoredGame:
        """A match by its number, from 1, or the beginning of its key; UserError if it can't be played again."""

    def not_won(self, team: str) -> list[StoredGame]:
        """The matches that a team played and didn't win, in the order of the schedule; UserError if it played in none."""

    def not_won_in_words(self, team: str) -> str:
        """The numbers of the matches that a team didn't win."""


@dataclass(frozen=True, slots=True)
class FolderGames:
    """The matches of a run's output folder, such as a round robin's. What wasn't saved as a replay is seen when it is played."""

    run: RunFolder
    isolation_policy: IsolationPolicy
    hide: frozenset[str] = frozenset()

    @property
    def folder(self) -> Path:
        """Where the store is, and results are noted."""
        return self.run.path

    def game(self, match: str) -> StoredGame:
        """A match by its number, from 1, or the beginning of its key; errors as ``RunFolder.match`` and ``RunFolder.to_play``."""
        spec, outcome = self.run.match(match)
        return self._game(spec, outcome)

    def not_won(self, team: str) -> list[StoredGame]:
        """The matches that a team played and didn't win, in the order of the schedule.

        Raises:
            UserError: it played in none, or as ``RunFolder.to_play``.
        """
        own = [each for each in self.run.matches if team in each[0].input.names]
        if not own:
            raise _no_player(team, self.run.path, (spec for spec, _ in self.run.matches))
        return [self._game(spec, outcome) for spec, outcome in own if _is_not_won(spec, outcome, team)]

    def not_won_in_words(self, team: str) -> str:
        """The numbers of the matches that a team didn't win."""
        return _in_words(
            [(spec.place.number + 1, team) for spec, outcome in self.run.matches if _is_not_won(spec, outcome, team)], team
        )

    def _game(self, spec: MatchSpec, outcome: Outcome) -> StoredGame:
        return StoredGame(self.run.to_play(spec, self.isolation_policy), outcome, self.run.store.replay(spec.place.key))


def _is_not_won(spec: MatchSpec, outcome: Outcome, team: str) -> bool:
    if not outcome.counts or team not in spec.input.names:
        return False
    return outcome.ranks[spec.input.names.index(team)] > 1 or outcome.ranks.count(1) > 1


def _in_words(lost: Sequence[tuple[int, str]], team: str | None) -> str:
    own = [str(number) for number, name in lost if name == team] if team else [f"{number} ({name})" for number, name in lost]
    by = f"{one_line(team)} didn't win" if team else "were not won, with the team"
    return f"Matches that {by}: {one_line(some_of(own)) or 'none'}"


def _no_player(team: str, where: Path, matches: Iterable[MatchSpec]) -> UserError:
    names = sorted({name for spec in matches for name in spec.input.names})
    return UserError(f"--team {team}: {team} plays in no match of {where}; expected {some_of(names)}")


@dataclass(frozen=True, slots=True)
class StoredGames:
    """The matches of a tournament."""

    file: Path
    tournament: Tournament
    """With its code as it is now."""
    last_run: Tournament
    """With its teams as they were in the last run, by which matches have their numbers."""
    store: Store
    schedule: Schedule
    is_complete: bool
    """Whether nothing of it is still to be played."""

    @property
    def folder(self) -> Path:
        """The output folder, where results are noted."""
        return self.tournament.folder

    @property
    def isolation_policy(self) -> IsolationPolicy:
        """How other versions of a team are isolated."""
        return self.tournament.isolation_policy

    @property
    def hide(self) -> frozenset[str]:
        """What pages don't show."""
        return frozenset(self.tournament.publication.hide)

    def game(self, match: str) -> StoredGame:
        """A match by its number, from 1, or the beginning of its key.

        Raises:
            UserError: there is no such match, it has no replay, or it can't be played again; the message says why.
        """
        outcomes = self.schedule.records
        if match.isdecimal() and all(each.place + 1 != int(match) for each in outcomes):
            there = f"expected a number from 1 to {max(each.place for each in outcomes) + 1}" if outcomes else "none has been"
            raise UserError(f"{self.file}: no match {match} has been played; {there}. {self.not_won_in_words()}")
        key, replay = find_replay(self.last_run, self.store, match, str(self.file))
        for spec, outcome in zip(self.schedule.matches, self.schedule.records):
            if spec.place.key == key:
                return StoredGame(spec, outcome, replay)
        stored = self.store.match(key)
        now = (self.tournament.game, self.tournament.manager, *self.tournament.teams)
        why = what_changed(stored.spec, now) if stored is not None else ""
        raise UserError(
            f"{self.file}: match {match} can't be played again: {why or 'it is none of the matches of this file as it is now'};"
            f" 'tiltyard run {self.file}' plays what changed"
        )

    def not_won_in_words(self, team: str | None = None) -> str:
        """The numbers of the matches that a team didn't win, or of all, each with its team."""
        return _in_words(sorted((each.spec.place.number + 1, each.spec.input.names[each.seat - 1]) for each in self.lost()), team)

    def not_won(self, team: str) -> list[StoredGame]:
        """The matches with a replay that a team played and didn't win, in the order of the schedule.

        Raises:
            UserError: it played in none.
        """
        with_replay, plays = self.store.replayed(), False
        games: list[StoredGame] = []
        for spec, outcome in zip(self.schedule.matches, self.schedule.records):
            if team not in spec.input.names:
                continue
            plays = True
            if spec.place.key in with_replay and _is_not_won(spec, outcome, team):
                games.append(StoredGame(spec, outcome, self.store.replay(spec.place.key)))
        if not plays:
            raise _no_player(team, self.file, self.schedule.matches)
        return games

    def lost(self) -> list[LostGame]:
        """What was lost by whom, teams in turn, each team's games in the order of the schedule; ties after all others."""
        with_replay = self.store.replayed()
        ordered: list[tuple[bool, int, int, LostGame]] = []
        games: Counter[tuple[bool, str]] = Counter()
        for spec, outcome in zip(self.schedule.matches, self.schedule.records):
            if spec.place.key not in with_replay or not outcome.counts:
                continue
            for seat, (team, rank) in enumerate(zip(spec.input.names, outcome.ranks), start=1):
                is_tie = rank == 1
                if rank > 1 or outcome.ranks.count(1) > 1:
                    ordered.append((is_tie, games[is_tie, team], len(ordered), LostGame(spec, outcome, seat)))
                    games[is_tie, team] += 1
        return [lost for *_, lost in sorted(ordered, key=lambda each: each[:3])]

    def with_replay(self, lost: LostGame) -> StoredGame:
        """The match with its recorded replay.

        Raises:
            UserError: it is damaged, or was removed meanwhile.
        """
        replay = self.store.replay(lost.spec.place.key)
        if replay is None:
            raise UserError(f"{self.file}: {lost.spec.input.title} has no replay")
        return StoredGame(lost.spec, lost.outcome, replay)


@contextmanager
def games_of_run(options: FileOrFolder) -> Iterator[PlayedGames]:
    """The matches of a tournament or of a run's output folder, while its store is open; errors as ``stored_games``."""
    if options.is_folder:
        with open_run_folder(options.file) as run:
            yield FolderGames(run, options.policy)
    else:
        options.check_file()
        with stored_games(options) as games:
            yield games


@contextmanager
def stored_games(options: TournamentOptions) -> Iterator[StoredGames]:
    """The matches of a tournament, while its store is open.

    Raises:
        UserError: the file has problems or is a replay, or nothing has been played yet.
    """
    _refuse_replay(options.file)
    tournament = options.tournament()
    with open_store(tournament) as store:
        progress = follow(tournament, store.ended_as)
        last_run = options.tournament(as_run=True)
        yield StoredGames(options.file, tournament, last_run, store, progress.schedule, not progress.missing)


def _refuse_replay(file: Path) -> None:
    """Raise an error of its own for a replay, which shows a match and can't be played again."""
    try:
        with file.open("rb") as stream:
            head = stream.read(CHUNK)
    except OSError:
        # That is told with all else that is wrong with a tournament file.
        return
    if is_replay(head):
        raise UserError(
            f"{file}: is a replay, which doesn't say by which code, seed and limits it was played: name the tournament file that it"
            f" comes from, and --match; 'tiltyard watch {file}' shows it"
        )


def played_again(game: StoredGame, rematch: Rematch) -> Course:
    """The match once more with nothing changed, and the team's decisions.

    Raises:
        OtherwiseError: it isn't the recorded one.
    """
    course = rematch.play(lists=True)
    if game.replay is not None:
        check_same(game.replay, course)
    if course.outcome.ranks != game.outcome.ranks:
        raise OtherwiseError(
            f"this match ended differently when it was played again: places {_places(course.outcome)};"
            f" before: {_places(game.outcome)}"
        )
    return course


def _places(outcome: Outcome) -> str:
    """Of the seats, player 1 first. Messages would repeat what a team's code said, which isn't for everybody who asks."""
    return ", ".join(map(str, outcome.ranks))
