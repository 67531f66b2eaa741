"""Why teams didn't win: other answers are tried in a process of its own, only while a core has nothing else to do.

It never slows a game: as soon as games and checks want all cores, the process is ended. What it has tried is noted beside the
store, so the next look continues there.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_league.database.database import Row
from tiltyard_league.database.games import LeagueGame, Seats
from tiltyard_league.database.questions import charge, forget_questions, open_questions, settle, spent_today
from tiltyard_league.database.versions import HAS_PLAYED
from tiltyard_league.service.matches import game_to_repeat, with_names
from tiltyard_league.service.playing import Playing
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_site.explained.explained import forget_explained
from tiltyard_whatif.analysis.idle_process import IdleProcess
from tiltyard_whatif.analysis.losses import LEAST_SECONDS, explain_and_write
from tiltyard_whatif.stored import StoredGame
from tiltyard_whatif.versions import Versions

MOST_SECONDS: Final = 20.0
"""Of CPU time for a look at a game; whoever asks again has it looked at further."""
QUIET_SECONDS: Final = 5.0
"""A core must have had nothing to do for so long: between two games it has nothing to do for a moment."""
LOOK_SECONDS: Final = 1.0
"""Between two looks for questions."""
MOST_VERSIONS: Final = 2
"""So many other versions of the team are asked as well, the newest ones."""
END_SECONDS: Final = 10.0
"""For processes that were told to end when the service ends."""


@dataclass(slots=True)
class _Look:
    """A game that is being looked at, in a thread that waits for the process."""

    question: Row
    game: LeagueGame
    seconds: float
    """Of CPU time that it may take."""
    began: float = field(default_factory=time.monotonic)
    thread: threading.Thread | None = None
    cpu_seconds: float = 0.0
    problem: str = ""


class Explanations:
    """Answers questions of teams, one after the other.

    Args:
        playing: the games of the league, and how matches are made of them.
        seconds_a_day: CPU seconds of each team within 24 hours; 0: nothing is explained.
    """

    def __init__(self, playing: Playing, seconds_a_day: float) -> None:
        self._playing, self._seconds_a_day = playing, seconds_a_day
        self._database, self._store, self._games, self._emit = playing.database, playing.store, playing.games, playing.emit
        self._process: IdleProcess | None = None
        self._look: _Look | None = None
        self._ending: list[threading.Thread] = []
        self._busy_at = self._looked_at = time.monotonic()
        self.quiet_seconds = QUIET_SECONDS

    @property
    def is_busy(self) -> bool:
        """Whether a game is being looked at."""
        return self._look is not None

    def step(self, free_cores: int, has_room: bool = True) -> None:
        """Note what has been answered, make way for what wants the cores, and begin what can be begun.

        Args:
            free_cores: cores that neither a game nor a check has.
            has_room: whether the disk has room.
        """
        if not self._seconds_a_day:
            return
        look = self._look
        if look is not None and look.thread is not None and not look.thread.is_alive():
            self._look = None
            self._settle(look)
        here = time.monotonic()
        if free_cores < 1:
            self._busy_at = here
            if self._process is not None:
                self._make_way()
            return
        is_quiet = here - self._busy_at >= self.quiet_seconds and here - self._looked_at >= LOOK_SECONDS
        if self._look is None and has_room and is_quiet:
            self._begin_next()

    def close(self) -> None:
        """End the process; what is open is looked at again at the next start."""
        self._make_way()
        for thread in self._ending:
            thread.join(END_SECONDS)

    def _begin_next(self) -> None:
        for question in open_questions(self._database):
            seconds = MOST_SECONDS
            if not question["by_staff"]:
                seconds = min(seconds, self._seconds_a_day - spent_today(self._database, question["team"]))
            if seconds > 0:
                self._begin(question, max(seconds, LEAST_SECONDS))
                return
            self._end(question, "your team has used all its CPU time for questions within 24 hours; ask again later")
        self._looked_at = time.monotonic()
        # Nobody asks any more: its memory is given back.
        self._make_way()

    def _begin(self, question: Row, seconds: float) -> None:
        game = self._games.game(question["place"])
        if game is None:
            self._end(question, "staff had this game played again")
            return
        try:
            self._forget_replaced(game.key)
            stored = game_to_repeat(self._store, self._playing.spec, game)
            versions = self._other_versions(game, question, stored.spec)
        except UserError as error:
            self._end(question, str(error))
            return
        self._process = process = self._process or IdleProcess()
        look = self._look = _Look(question, game, seconds)
        task = look, process, stored, versions, self._store.path.parent
        look.thread = threading.Thread(target=_explain, args=task, daemon=True)
        look.thread.start()
        self._emit("explanation begun", game=game.place, seat=question["seat"])

    def _other_versions(self, game: LeagueGame, question: Row, spec: MatchSpec) -> Versions:
        """The match with the newest other versions of the team in its seat, as far as these can be played."""
        place = question["seat"] - 1
        rows = self._database.rows(
            f"SELECT id, number FROM versions WHERE team = ? AND id != ? AND {HAS_PLAYED} ORDER BY number DESC LIMIT ?",  # noqa: S608 -- our own words
            *(question["team"], game.versions[place], MOST_VERSIONS),
        )
        versions: dict[str, MatchSpec] = {}
        for row in rows:
            seats: Any = (*game.versions[:place], int(row["id"]), *game.versions[place + 1 :])
            with suppress(UserError):
                other = self._playing.spec(Seats(versions=seats, map=game.map, kind=game.kind))
                versions[f"version {row['number']}"] = with_names(other, spec.input.names)
        return versions

    def _forget_replaced(self, key: str) -> None:
        """Forget what is known of a match that staff have had played again since: it may have come out otherwise."""
        replaced = [
            int(row["place"])
            for row in self._database.rows("SELECT DISTINCT place FROM questions WHERE key = ?", key)
            if self._games.game(row["place"]) is None
        ]
        if replaced:
            forget_explained(self._store.path.parent, {key})
            with self._database.writing():
                forget_questions(self._database, replaced)

    def _settle(self, look: _Look) -> None:
        with self._database.writing():
            charge(self._database, look.question["id"], look.cpu_seconds)
        self._end(look.question, look.problem)
        self._emit(
            "explanation ended",
            game=look.game.place,
            seat=look.question["seat"],
            cpu_seconds=round(look.cpu_seconds, 1),
            reason=look.problem,
        )

    def _end(self, question: Row, problem: str) -> None:
        with self._database.writing():
            settle(self._database, question["id"], problem)

    def _make_way(self) -> None:
        """End the process, in a thread that waits for its end. What it did is paid for, and gone on with later."""
        look, process, self._look, self._process = self._look, self._process, None, None
        if process is None:
            return
        thread = threading.Thread(target=process.close, daemon=True)
        thread.start()
        self._ending = [*(each for each in self._ending if each.is_alive()), thread]
        if look is not None:
            seconds = min(look.seconds, time.monotonic() - look.began)
            with self._database.writing():
                charge(self._database, look.question["id"], seconds)
            self._emit("explanation makes way", game=look.game.place, seat=look.question["seat"])


def _explain(look: _Look, process: IdleProcess, game: StoredGame, versions: Versions, store: Path) -> None:
    began = time.monotonic()
    spent = float(look.question["cpu_seconds"])
    try:
        work = partial(explain_and_write, versions=versions)
        explained = process.do(work, game, look.question["seat"], store, look.seconds, spent, cpu_seconds=look.seconds)
        look.cpu_seconds = explained.cpu_seconds - spent
    except UserError as error:
        look.cpu_seconds, look.problem = min(look.seconds, time.monotonic() - began), str(error)
