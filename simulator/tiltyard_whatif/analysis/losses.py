"""Lost games explained for a site: which ones, for how long each, and where. Results lie beside the store, where a site finds them.

``tiltyard publish`` and ``tiltyard serve`` find this by the entry-point group ``tiltyard.analysis``.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tiltyard_checks.command.progress import ProgressBar
from tiltyard_engine.errors import UserError
from tiltyard_site.explained.explained import Explained, read_explained
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.explained_files import explained_of, unexplained, write_explained
from tiltyard_whatif.explaining import explain
from tiltyard_whatif.stored import LostGame, StoredGame, StoredGames, stored_games
from tiltyard_whatif.versions import NO_VERSIONS, Versions

LEAST_SECONDS: Final = 2.0
"""Of CPU time for a game: with less, too little can be said. Where there are many, the last ones are left out instead."""
LEAST_COUNTED: Final = 0.5
"""CPU seconds that a look counts at least, so that a budget comes to its end."""
LOOK_SECONDS: Final = 0.5
"""How often a server looks whether the machine is idle."""


class AnalysisBudget:
    """Which games are still to be explained within a number of CPU seconds, those before included.

    Args:
        games: the tournament's.
        cpu_seconds: for all of them, ever.
    """

    def __init__(self, games: StoredGames, cpu_seconds: float) -> None:
        self._lost = games.lost()
        self._explained = {(each.key, each.seat): each for each in read_explained(games.tournament.folder)}
        self._cpu_seconds = cpu_seconds

    def note(self, explained: Explained) -> None:
        """Take the result of a look."""
        self._explained[explained.key, explained.seat] = explained

    def spent_on(self, lost: LostGame) -> float:
        """CPU seconds that a game has had."""
        before = self._explained.get(lost.place)
        return 0.0 if before is None else before.cpu_seconds

    def next(self) -> tuple[LostGame, float] | None:
        """A game, and its CPU seconds: first those that were not looked at, then those with answers left; None: it is all done."""
        left = self._cpu_seconds - sum(each.cpu_seconds for each in self._explained.values())
        if left < LEAST_COUNTED:
            return None
        fresh = [lost for lost in self._lost if lost.place not in self._explained]
        remaining = fresh or sorted(
            (lost for lost in self._lost if not self._explained[lost.place].is_whole), key=lambda lost: self.spent_on(lost)
        )
        if not remaining:
            return None
        return remaining[0], min(left, max(LEAST_SECONDS, left / len(remaining)))

    @property
    def progress(self) -> tuple[int, int]:
        """How many games were looked at, of how many."""
        return sum(lost.place in self._explained for lost in self._lost), len(self._lost)


def explain_losses(options: TournamentOptions) -> None:
    """Explain lost games of a tournament until its time is over, with a line of progress. Ctrl-C stops it: nothing is lost.

    What stands in the way is said on standard error, and keeps nobody from publishing.

    Args:
        options: of the command that publishes.
    """
    try:
        with stored_games(options) as games:
            if reason := _reason_not_to(games):
                _note(reason)
            else:
                _explain_all(games)
    except UserError as error:
        _note(str(error))


def _note(reason: str) -> None:
    print(f"note: lost games are not explained: {reason}", file=sys.stderr, flush=True)


def _reason_not_to(games: StoredGames) -> str:
    """Why nothing is explained now; empty: it is."""
    if "replays" in games.tournament.publication.hide:
        return "'publication: hide' hides replays"
    return "" if games.is_complete else "games are still to be played"


def _explain_all(games: StoredGames) -> None:
    with IdleProcess() as process, ProgressBar(0, has_lines=True) as progress:
        budget = AnalysisBudget(games, games.tournament.analysis_seconds)
        while (step := budget.next()) is not None:
            lost, seconds = step
            number, progress.total = budget.progress
            progress.show(number, f"why {lost.spec.input.names[lost.seat - 1]} lost on {lost.spec.input.map.name}")
            budget.note(explain_for_site(process, games, lost, seconds, budget.spent_on(lost)))


def explain_for_site(
    process: IdleProcess, games: StoredGames, lost: LostGame, cpu_seconds: float, spent_before: float = 0.0
) -> Explained:
    """Explain one game, and write it beside the store; if that can't be done, the reason.

    Raises:
        UserError: it can't be written.
    """
    store = games.tournament.folder
    game = games.with_replay(lost)
    try:
        return process.do(explain_and_write, game, lost.seat, store, cpu_seconds, spent_before, cpu_seconds=cpu_seconds)
    except UserError as error:
        explained = unexplained(game, lost.seat, str(error), spent_before + LEAST_SECONDS)
        write_explained(store, explained)
        return explained


def explain_and_write(
    game: StoredGame, seat: int, store: Path, cpu_seconds: float, spent_before: float, *, versions: Versions = NO_VERSIONS
) -> Explained:
    """In the process: explain a match, and write the result beside the store.

    Raises:
        UserError: as ``explain``.
    """
    explanation = explain(game, seat, store, cpu_seconds, versions=versions)
    explained = explained_of(explanation, spent_before + max(0.0, LEAST_COUNTED - explanation.cpu_seconds))
    write_explained(store, explained, explanation)
    return explained


@contextmanager
def explaining(options: TournamentOptions, process: IdleProcess, idle_stamp: Callable[[], object]) -> Iterator[None]:
    """Explain lost games in the background of a server, while nothing is played.

    Args:
        options: of the command that serves.
        process: where answers are tried.
        idle_stamp: another value whenever more was played; None: something is being played, or somebody waits for the process.
    """
    end = threading.Event()

    def look(stamp: object) -> bool:
        """Whether it is all done, for as long as nothing more is played."""
        with stored_games(options) as games:
            if _reason_not_to(games):
                return True
            budget = AnalysisBudget(games, games.tournament.analysis_seconds)
            while (step := budget.next()) is not None:
                if end.is_set() or idle_stamp() != stamp:
                    return False
                budget.note(explain_for_site(process, games, *step, budget.spent_on(step[0])))
        return True

    def work() -> None:
        done_for: object = None
        while not end.wait(LOOK_SECONDS):
            stamp = idle_stamp()
            if stamp is None or stamp == done_for:
                continue
            try:
                done_for = stamp if look(stamp) else None
            except UserError as error:
                done_for = stamp
                if not end.is_set():
                    _note(str(error))

    thread = threading.Thread(target=work, name="why teams lost", daemon=True)
    thread.start()
    try:
        yield
    finally:
        end.set()
