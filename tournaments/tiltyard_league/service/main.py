"""The service's loop: ``python -m tiltyard_league.service.main FOLDER PARENT [--unconfined] [--workers N]``.

It may be killed at any moment: what is in the databases is the truth, and all else is worked out again.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_league.database.clock import AHEAD, as_stored, here, now
from tiltyard_league.database.database import Database
from tiltyard_league.database.games import Games, order_counts, pair_counts
from tiltyard_league.database.log_lines import print_event
from tiltyard_league.database.private import OTHERS
from tiltyard_league.database.state import ServiceState, read_state, write_state
from tiltyard_league.database.versions import FROZEN_VERSIONS, give_back_checks
from tiltyard_league.league_file.loading import League, load_league
from tiltyard_league.matchmaking.fixtures import Fixtures
from tiltyard_league.rating.fit import Counts, Fit, Results, fit_orders, fit_versions
from tiltyard_league.rating.history import HistoryKeeper
from tiltyard_league.rating.standing import FROZEN, LeagueStanding, make_standing, read_standing, write_standing
from tiltyard_league.service.active_versions import ActiveVersions
from tiltyard_league.service.checks import Checks
from tiltyard_league.service.cluster_games import ClusterGames, cluster_games
from tiltyard_league.service.explanations import Explanations
from tiltyard_league.service.game_writing import open_games, write_changes
from tiltyard_league.service.own_process import in_own_process
from tiltyard_league.service.playing import Playing
from tiltyard_league.service.supervisor import HOPELESS
from tiltyard_league.service.upkeep import Upkeep
from tiltyard_league.submissions.checker import make_versions_folder
from tiltyard_league.submissions.upload import free_bytes
from tiltyard_simulator.guard.confinement.kernel.libc import give_memory_back
from tiltyard_simulator.guard.confinement.kernel.privileges import end_with_parent
from tiltyard_simulator.play.executor import Executor, available_cores
from tiltyard_simulator.play.workers import WorkerExecutor
from tiltyard_tournaments.store import StoreLock

FIT_GAMES: Final = 200
FIT_SECONDS: Final = 10.0
"""A fit is due after so many games, or so long after the last one if anything has ended."""
REST_AFTER_FIT: Final = 9.0
"""Between two fits that are due, this many times as long as one took in CPU time: with thousands of versions it takes seconds."""
POLL_SECONDS: Final = 0.25
GAMES_NICENESS: Final = 5
"""Games give way to pages and checks, which get three times as much of a core that both want. Not more: with nearly nothing, games
would reach their limits of wall time."""
HISTORY_SECONDS: Final = 15.0
"""Between two looks whether a point of the history is missing; each takes a fit."""
MOST_CHANGES: Final = 500
"""Of so many games at most it is worked out after a fit how they changed the ratings."""
STATE_SECONDS: Final = 2.0
"""Between two writings of what the service does."""


def emit(event: str, **fields: Any) -> None:
    """A line of the log: JSON, on standard output."""
    print_event("steward", event, **fields)


class Service:
    """All that happens in a league beside the pages.

    Args:
        league: the league.
        executor: where its games are played.
        workers: how many games that can be at once; 0: as many as there is room for, on other machines.
        unconfined: as of ``load_league``.
    """

    def __init__(self, league: League, executor: Executor, workers: int, *, unconfined: bool = False) -> None:
        self.league = league
        self._folder = league.settings.folder
        self._executor = executor
        self._workers = workers
        self.database = Database(self._folder)
        self.store = open_games(league.tournament.folder)
        self.games = Games(league.tournament.folder)
        self.active_versions = ActiveVersions(league, self.database)
        self._cores = available_cores()
        self.checks = Checks(
            self._folder, self.database, unconfined, emit, league.settings.keys.check_lanes or max(1, self._cores - 1)
        )
        self.upkeep = Upkeep(league, self.database, self.store, self.games, emit)
        self.history = HistoryKeeper(self._folder, self.standing_at)
        self._looked_back_at = 0.0
        self._players = league.settings.players
        self.fixtures = Fixtures([source.name for source in league.tournament.maps], self._players)
        self._changes_until = 0
        """The number of the last game of which it was worked out how it changed the ratings."""
        self.playing = Playing(
            active_versions=self.active_versions,
            database=self.database,
            store=self.store,
            games=self.games,
            executor=executor,
            fixtures=self.fixtures,
            emit=emit,
        )
        self.explanations = Explanations(self.playing, league.settings.analysis_seconds)
        self.fit: Fit | None = None
        self._fitted_at = 0.0
        self._fit_took = 0.0
        self._state_written_at = 0.0
        self._stamp = -1
        self._is_closed = False
        self._has_room = True
        """Whether enough is free on the disk to begin anything."""

    def begin(self) -> None:
        """Take over what is there."""
        self.upkeep.clock.begin(read_state(self._folder).at, self.games)
        self.active_versions.enter_staff()
        checks = give_back_checks(self.database)
        map_names = {source.name for source in self.league.tournament.maps}
        return_games = self.fixtures.load(game for game in self.games.fixtures() if game[1] in map_names)
        self.playing.return_games.extend(return_games)
        self._look()
        # The last of them may have been kept just before this process was killed.
        self.playing.look_at_faults(self.active_versions.numbers)
        self._executor.begin([self.league.tournament.game, self.league.tournament.manager])
        emit(
            "started",
            versions=len(self.active_versions.active),
            games=self.games.totals()[0],
            halves=len(return_games),
            checks=checks,
        )

    def step(self, timeout: float = POLL_SECONDS) -> None:
        """One turn of the loop."""
        if (stamp := self.database.stamp()) != self._stamp:
            self._stamp = stamp
            self._look()
        self._look_for_room()
        if self.checks.step(self._has_room):
            self._look()
        if self.playing.apply_overrides():
            self.refit()
            self.history.forget()
        if not self._is_closed and self._has_room:
            self.playing.fill(self.fit, self._room)
        # Now: a moment ago a worker may have had nothing to do that has got a game.
        games_here = len(self.playing.in_flight) if self._workers else 0
        self.explanations.step(self._cores - games_here - self.checks.running, self._has_room)
        self.playing.store_finished(timeout)
        if self.playing.has_dropped:
            self.playing.has_dropped = False
            self._look()
        since = time.monotonic() - self._fitted_at
        is_due = self.playing.games_since_fit >= FIT_GAMES or (self.playing.games_since_fit and since >= FIT_SECONDS)
        if is_due and since >= self._fit_took * REST_AFTER_FIT:
            self.refit()
        self.upkeep.step()
        if time.monotonic() - self._looked_back_at >= HISTORY_SECONDS and self.fit is not None:
            self._looked_back_at = time.monotonic()
            self.history.step(self.games.first_ended(), here())
        if time.monotonic() - self._state_written_at >= STATE_SECONDS:
            self.write_state()

    def _look_for_room(self) -> None:
        """See whether the disk has room. Without it nothing is begun, until there is some again; what was begun ends."""
        least = self.league.settings.keys.least_free
        free = free_bytes(self._folder)
        if self._has_room != (free >= least):
            self._has_room = free >= least
            event = "the disk has room again" if self._has_room else "the disk is full: nothing is checked or played"
            emit(event, free_bytes=free, least_free=least)

    @property
    def _room(self) -> int:
        """How many games more are handed out now."""
        if not self._workers:
            return self._executor.room
        # Checks compute as well: each takes a core without a worker, or else one worker's place. One game is always played.
        most = max(1, self._workers - max(0, self.checks.running - max(0, self._cores - self._workers)))
        return min(self._executor.room, most - len(self.playing.in_flight))

    def close(self) -> None:
        """End all checks and explanations, and close the databases."""
        self.checks.stop()
        self.explanations.close()
        self.store.close()
        self.database.close()

    def _look(self) -> None:
        """See what the web process and the staff have changed."""
        self.playing.see_enabled()
        changed = self.active_versions.look()
        for version in self.active_versions.active.values():
            self.fixtures.enter(version)
        is_closed, frozen_at = bool(self.database.fact("closed_at")), self.database.fact("frozen_at")
        self._is_closed = is_closed
        self._freeze(frozen_at)
        if changed or self.fit is None:
            self.refit()

    def refit(self) -> None:
        if self.active_versions.pin not in self.active_versions.before:
            return
        began = _cpu_seconds()
        complete = self.fixtures.is_complete(self.active_versions.numbers) and not self.playing.in_flight
        self.fit, standing = self._fit(
            self.active_versions.before,
            self.active_versions.active,
            self.active_versions.pin,
            self.database.time_of_result(),
            complete=complete,
        )
        self._fit_took = _cpu_seconds() - began
        self.playing.games_since_fit = 0
        self.fixtures.fitted()
        self._fitted_at = time.monotonic()
        write_standing(self._folder, standing)
        self._keep_changes(self.fit)
        # What went to the fork and came from it was megabytes at once.
        give_memory_back()

    def _fit(
        self,
        before: Mapping[int, int | None],
        active: Mapping[int, int],
        pin: int,
        made_at: str,
        *,
        until: str = "",
        complete: bool = False,
        is_tested: bool = True,
    ) -> tuple[Fit, LeagueStanding]:
        """The fit of all games until a time, and the standing by it."""
        tally = self.games.tally(until)

        def work() -> tuple[Fit, LeagueStanding]:
            counts: Counts = {}
            results: Results = {}
            if self._players == 2:
                counts = pair_counts(tally)
                fit = fit_versions(before, counts)
            else:
                results = order_counts(tally)
                fit = fit_orders(before, results)
            standing = make_standing(
                fit, counts, active, pin, made_at=made_at, complete=complete, results=results, is_tested=is_tested
            )
            return fit, standing

        return in_own_process(work)

    def _keep_changes(self, fit: Fit) -> None:
        """Keep by how much each game has changed the ratings, as the first fit sees it that knows the game."""
        if self._players == 2:
            # What a game of two says is in its result.
            return
        changes: list[tuple[int, int, float]] = []
        for game in self.games.without_changes(self._changes_until, MOST_CHANGES):
            self._changes_until = game.place
            if fit.place.keys() >= set(game.versions):
                # Against the mean of its players: if the pinned team is one of them, all others would move in its place.
                points = fit.change(game.order, self.active_versions.pin)
                mean = sum(points.values()) / len(points)
                changes += [(game.place, seat, points[version] - mean) for seat, version in enumerate(game.versions, start=1)]
        if changes:
            write_changes(self.store, changes)

    def _freeze(self, at: str) -> None:
        """Keep the standing of a moment for the public, unless that has been done; empty: the public sees everything."""
        if not at:
            (self._folder / FROZEN).unlink(missing_ok=True)
        elif read_standing(self._folder, [FROZEN]).made_at != at:
            versions = json.loads(self.database.fact(FROZEN_VERSIONS) or "{}")
            write_standing(self._folder, self.standing_at(at, {int(team): version for team, version in versions.items()}), FROZEN)

    def standing_at(self, at: str, active: Mapping[int, int] | None = None) -> LeagueStanding:
        """The standing of a moment: versions that were accepted later are not in it.

        Args:
            at: the moment.
            active: the version of each team that played then; None: that which had had the team's last game.
        """
        before = self.active_versions.before_at(at)
        if not (pin := self.active_versions.pin_of(before)):
            # The file names another team for it since then.
            before, pin = self.active_versions.before, self.active_versions.pin
        # A curve shows ratings alone.
        is_tested = active is not None
        if not active:
            # One that staff had played again lately had its game earlier than it seems.
            again = [str(row["key"]) for row in self.database.rows("SELECT DISTINCT key FROM overrides WHERE what = 'rerun'")]
            places = self.games.last_places(at, again)
            teams = {row["id"]: row["team"] for row in self.database.rows("SELECT id, team FROM versions")}
            playing = {row["id"] for row in self.database.rows("SELECT id FROM teams WHERE state = 'active'")}
            newest = sorted((place, version) for version, place in places.items() if teams.get(version) in playing)
            active = {teams[version]: version for _, version in newest}
        active = {team: version for team, version in active.items() if version in before}
        return self._fit(before, active, pin, at, until=at, is_tested=is_tested)[1]

    def write_state(self) -> None:
        self._state_written_at = time.monotonic()
        hour = as_stored(here() - timedelta(hours=1)), as_stored(here() + AHEAD)
        state = ServiceState(
            at=now(),
            pid=os.getpid(),
            workers=self._workers or len(self.playing.in_flight) + self._executor.room,
            in_flight=len(self.playing.in_flight),
            checking=self.checks.running,
            games=self.games.newest(),
            last_hour=self.games.number("SELECT count(*) FROM league_games WHERE ended_at > ? AND ended_at <= ?", *hour),
            left=self.fixtures.left(self.active_versions.numbers),
            free_bytes=free_bytes(self._folder),
            maps=list(self.fixtures.maps),
            broken={str(version): reason for version, reason in self.active_versions.broken.items()},
            stopped=self.playing.stopped,
        )
        # On a disk that is really full: pages are then without the newest figures, and say why.
        with suppress(UserError):
            write_state(self._folder, state)
        # Somebody may have removed the file.
        self._freeze(self.database.fact("frozen_at"))


def _cpu_seconds() -> float:
    """Those of this process, and of its children that have ended."""
    return sum(os.times()[:4])


def _executor(league: League, options: argparse.Namespace, workers: int) -> ClusterGames | WorkerExecutor:
    if not options.cluster:
        versions = make_versions_folder(options.folder)
        # In processes of their own even if it is one, so that a long game keeps nobody waiting here.
        return WorkerExecutor(workers=workers, niceness=GAMES_NICENESS, readable=(str(versions),))
    from tiltyard_cluster.connection import Tls

    tls = Tls(options.cluster_tls_ca, options.cluster_tls_cert, options.cluster_tls_key)
    return cluster_games(league, options.cluster, tls, emit)


def main() -> None:
    """Run until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("parent", type=int)
    parser.add_argument("--unconfined", action="store_true")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--cluster", default="")
    for name in ("ca", "cert", "key"):
        parser.add_argument(f"--cluster-tls-{name}", type=Path)
    options = parser.parse_args()
    end_with_parent(options.parent)
    os.umask(OTHERS)
    stopped: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopped.append(number))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    status = HOPELESS
    try:
        league = load_league(options.folder, unconfined=options.unconfined)
        workers = 0 if options.cluster else options.workers or league.tournament.workers or available_cores()
        with StoreLock(league.tournament.folder), closing(_executor(league, options, workers)) as executor:
            # From here on a failure is one of the moment, such as a disk that is full: the next start may go well.
            status = 1
            service = Service(league, executor, workers, unconfined=options.unconfined)
            with closing(service):
                service.begin()
                while not stopped:
                    service.step()
    except UserError as error:
        emit("failed", reason=str(error))
        sys.exit(status)


if __name__ == "__main__":
    main()
