"""A tournament's site as it is now, made in memory from its store while another process may be playing."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Replay
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_tournaments.publishers.site import site_data
from tiltyard_tournaments.running.kept_record import RecordKeeper
from tiltyard_tournaments.running.results import tournament_results
from tiltyard_tournaments.running.schedule import Progress, follow
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.store_session import open_store
from tiltyard_tournaments.running.tournament import Tournament
from tiltyard_tournaments.site.contents import check, games, outputs_script, site_files
from tiltyard_tournaments.site.match_scripts import Listed
from tiltyard_tournaments.site.replay_scripts import encode, replay_problem, script
from tiltyard_tournaments.store import STORE_NAME, Store

NEWS: Final = "live.json"
"""What pages ask for to hear whether there is more."""
IDLE_SHARE: Final = 1
"""After a look that found more, so many times as long as it worked passes before the next: it never takes more than half a core."""


@dataclass(slots=True, kw_only=True)
class Edition:
    """The site as it was at one moment: files are made when they are asked for first."""

    version: str
    state: dict[str, object]
    makers: dict[str, Callable[[], bytes]]
    keys: dict[str, str]
    """Name of a match's files to its key."""
    made: dict[str, bytes] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def file(self, path: str) -> bytes | None:
        """A file's content; None: there is no such file. It may be asked for by several threads at once."""
        if path not in self.makers:
            return None
        with self.lock:
            if path not in self.made:
                self.made[path] = self.makers[path]()
            return self.made[path]


@dataclass(frozen=True, slots=True)
class Opened:
    """A store that is opened for each question, as these come from the threads of a server."""

    tournament: Tournament

    def record(self, key: str) -> MatchRecord | None:
        """As the store's."""
        with open_store(self.tournament) as store:
            return store.record(key)

    def replay(self, key: str) -> Replay | None:
        """As the store's."""
        with open_store(self.tournament) as store:
            return store.replay(key)


class LiveSite:
    """The site of a tournament that is being played, or will be, or was.

    Args:
        load: reads the tournament file. It is asked again when the store holds what the tournament does not know: then a
            run goes on with another version of the file or of a team.
        at_once: whether the site is made here; else by the first ``bring_up_to_date``, which may take a while.

    Raises:
        UserError: the tournament cannot be loaded, or its site cannot be made.
    """

    def __init__(self, load: Callable[[], Tournament], at_once: bool = True) -> None:
        self._load = load
        self.tournament = load()
        self.ready = threading.Event()
        """Set once there is an edition."""
        self._keeper = RecordKeeper()
        self._specs: SpecMaker | None = None
        self._records: dict[str, MatchRecord] = {}
        self._printed: set[str] = set()
        self._stamp: tuple[int, int, int] | None = None
        self._begun = f"{time.time_ns():x}"
        self._editions = 0
        self._edition: Edition | None = None
        if at_once:
            self.bring_up_to_date()

    def bring_up_to_date(self) -> float:
        """Look into the store; seconds that should pass before the next look.

        Raises:
            UserError: the store cannot be read; the edition is as it was.
        """
        began = time.thread_time()
        if self._edition is None or self._stamp_now() != self._stamp:
            self._edition = self._look()
            self.ready.set()
        return (time.thread_time() - began) * IDLE_SHARE

    def file(self, path: str) -> bytes | None:
        """The content of a file of the site; None: there is none.

        Raises:
            UserError: the store cannot be read, or the site was not made yet.
        """
        edition = self._edition
        if edition is None:
            raise UserError("the site is being made; try again in a moment")
        if path == NEWS:
            return json.dumps({"version": edition.version, **edition.state}).encode()
        folder, _, name = path.partition("/")
        key = edition.keys.get(name.removesuffix(".js")) if name.endswith(".js") else None
        if key is not None and folder == "replays":
            return self._replay(key, name.removesuffix(".js"))
        if key is not None and folder == "outputs":
            return self._outputs(key, name.removesuffix(".js"))
        found = edition.file(path)
        if found is None and (chunk := re.fullmatch(r"data/(matches-\d{1,9})\.js", path)):
            # Somebody has the page of a game that is still to come open.
            return script(chunk[1], {})
        return found

    def _replay(self, key: str, name: str) -> bytes | None:
        replay = None if "replays" in self.tournament.publication.hide else Opened(self.tournament).replay(key)
        if replay is None or replay_problem(replay):
            return None
        return script(f"replays/{name}", encode(replay))

    def _outputs(self, key: str, name: str) -> bytes | None:
        record = None if "output" in self.tournament.publication.hide else Opened(self.tournament).record(key)
        if record is None:
            return None
        return outputs_script(name, [account.output.decode("utf-8", "replace") for account in record.accounts])

    # Looking into the store

    def _stamp_now(self) -> tuple[int, int, int]:
        if not (self.tournament.folder / STORE_NAME).is_file():
            return 0, 0, 0
        with open_store(self.tournament) as store:
            return store.stamp()

    def _look(self) -> Edition:
        stamp = self._stamp_now()
        if self._stamp is not None and self._stamp[2] != stamp[2]:
            # Teams were asked for their names, or whether they may play.
            self.tournament = self._load()
        if stamp == (0, 0, 0):
            edition = self._made(self._follow(lambda spec: None), None)
        else:
            with open_store(self.tournament) as store:
                known = len(self._records)
                progress = self._follow(lambda spec: self._record(store, spec))
                if self._stamp is not None and self._stamp[0] != stamp[0] and len(self._records) == known:
                    # More was played, but nothing of this tournament: its file or a team has changed.
                    self.tournament = self._load()
                    progress = self._follow(lambda spec: self._record(store, spec))
                edition = self._made(progress, store)
        self._stamp = stamp
        return edition

    def _follow(self, stored: Callable[[MatchSpec], MatchRecord | None]) -> Progress:
        """The schedule so far; its matches are made once, however often it is looked at."""
        if self._specs is None or self._specs.tournament is not self.tournament:
            self._specs = SpecMaker(self.tournament, remember=True)
        return follow(self.tournament, stored, self._specs)

    def _record(self, store: Store, spec: MatchSpec) -> MatchRecord | None:
        """As the store has it, but without what is large, such as what teams printed."""
        key = spec.key
        known = self._records.get(key)
        if known is not None:
            return known
        record = store.ended_as(spec)
        if record is None or record.is_void:
            return record
        if any(account.output for account in record.accounts):
            self._printed.add(key)
        self._records[key] = self._keeper.kept(record, key)
        return self._records[key]

    def _made(self, progress: Progress, store: Store | None) -> Edition:
        data = site_data(tournament_results(self.tournament, progress, Opened(self.tournament)))
        # Games in all, as far as that is known; those that are missing are of the current batch.
        least, _ = (self.tournament.format.expected_games() if progress.missing else None) or (0, 0)
        data = replace(data, planned=max(data.planned, least))
        check(data)
        replayed = set() if "replays" in data.hide or store is None else store.replayed()
        printed = set() if "output" in data.hide else self._printed
        every = games(data)
        listed = []
        for game in every:
            key = game.match.key
            has_replay = key in replayed and not game.match.is_forfeit
            has_output = key in printed and not game.match.is_forfeit
            files = game.file if has_replay or has_output else ""
            listed.append(Listed(game.id, game.match, files, has_replay, has_output))
        played, planned = len(every), data.planned - (len(data.matches) - len(every))
        complete = not progress.missing
        voids = progress.schedule.voids
        text = f"Complete: {played} games" if complete else f"Live: {played} of {planned} games"
        text += f", {voids} of them lost to failures of the machine" if voids else ""
        self._editions += 1
        version = f"{self._begun}-{self._editions}"
        state = {"played": played, "planned": planned, "complete": complete, "text": text}
        return Edition(
            version=version,
            state=state,
            makers={file.path: file.make for file in site_files(data, listed, version)},
            keys={game.file: game.match.key for game in every if game.match.key},
        )


def tag(content: bytes) -> str:
    """What tells two contents apart, in quotation marks as HTTP wants it."""
    return f'"{hashlib.blake2b(content, digest_size=12).hexdigest()}"'
