"""A tournament's site as it is now, made in memory from its store while another process may be playing."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import Interned, Outcome
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_site.explained.explained import folder_stamp
from tiltyard_site.live.live_edition import Content, Edition
from tiltyard_site.pages.contents import check, games, listed_games, outputs_script, site_files
from tiltyard_site.pages.replay_scripts import packed_replay, replays_script, script
from tiltyard_site.pages.site_data import site_data
from tiltyard_tournaments.publishers.results import printed, tournament_results
from tiltyard_tournaments.running.earlier_games import EarlierGames, SpecsAsPlayed
from tiltyard_tournaments.running.schedule import Progress, follow, follow_as_played
from tiltyard_tournaments.running.spec_maker import SpecMaker
from tiltyard_tournaments.running.tournament import Tournament, open_store
from tiltyard_tournaments.store import STORE_NAME, Store

NEWS: Final = "live.json"
"""What pages ask for to hear whether there is more."""
IDLE_SHARE: Final = 1
"""After a look that found more, so many times as long as it worked passes before the next, and after pages were made as well before
open pages hear of newer ones: neither ever takes more than half a core."""


class LiveSite:
    """The site of a tournament that is being played, or will be, or was.

    Args:
        load: reads the tournament file. It is asked again when the store holds what the tournament does not know: then a
            run goes on with another version of the file or of a team.
        play: the address of the page on which visitors play; empty: there is none.
        explain: the address at which visitors ask why a team lost; empty: there is none.
        at_once: whether the site is made here; else by the first ``bring_up_to_date``, which may take a while.

    Raises:
        UserError: the tournament cannot be loaded, or its site cannot be made.
    """

    def __init__(self, load: Callable[[], Tournament], at_once: bool = True, play: str = "", explain: str = "") -> None:
        self._load, self._play, self._explain = load, play, explain
        self.tournament = load()
        self.ready = threading.Event()
        """Set once there is an edition."""
        self._interned = Interned()
        self._specs: SpecMaker | None = None
        self._earlier: EarlierGames | None = None
        self._records: dict[str, Outcome] = {}
        self._current = 0
        """How many of them have the keys that their matches have now."""
        self._unread: set[str] = set()
        """Keys that are in the store, and not in ``_records``."""
        self._voids: set[str] = set()
        self._printed: set[str] = set()
        self._stamp: tuple[int, int, int] | None = None
        self._explained_stamp = 0
        self._start = f"{time.time_ns():x}"
        self._editions = 0
        self._newest: Edition | None = None
        """What was there when the store was last looked into."""
        self._edition: Edition | None = None
        """What open pages were told of last."""
        self._last_good: Edition | None = None
        """The last one whose pages could be made."""
        if at_once:
            self.bring_up_to_date()

    @property
    def title(self) -> str:
        """The title of the tournament."""
        return self.tournament.title

    def bring_up_to_date(self) -> float:
        """Look into the store; seconds that should pass before the next look.

        Raises:
            UserError: the store cannot be read; the edition is as it was.
        """
        began = time.thread_time()
        explained = folder_stamp(self.tournament.folder)
        if self._newest is None or self._stamp_now() != self._stamp or explained != self._explained_stamp:
            newest = self._look()
            self._explained_stamp = explained
            if self._newest is None:
                # Whoever starts a server wants to know at once that a site can't be made.
                newest.content()
                self._last_good = newest
        else:
            newest = self._newest
        # First what is shown: nobody may hear that all is complete together with the version before.
        if self._edition is None or newest.state["complete"] or self._edition.has_rested(IDLE_SHARE):
            self._edition = newest
        self._newest = newest
        self.ready.set()
        if self._edition.problem is not None:
            raise self._edition.problem
        return (time.thread_time() - began) * IDLE_SHARE

    def idle_stamp(self) -> object:
        """Another value whenever more was played; None: something is still to be played."""
        newest = self._newest
        return self._stamp if newest is not None and newest.state["complete"] else None

    def news(self) -> dict[str, object]:
        """The version of the pages and how many games were played, which is told at once, also where the tables are to follow.

        Raises:
            UserError: the site was not made yet.
        """
        edition, newest = self._editions_now()
        return {"version": edition.version, **newest.state}

    def _editions_now(self) -> tuple[Edition, Edition]:
        """The one that open pages show, and the newest."""
        newest, edition = self._newest, self._edition
        if edition is None or newest is None:
            raise UserError("the site is being made; try again in a moment")
        return edition, newest

    def file(self, path: str) -> bytes | None:
        """The content of a file of the site; None: there is none.

        Raises:
            UserError: the store cannot be read, or the site was not made yet.
        """
        if path == NEWS:
            return json.dumps(self.news()).encode()
        edition = self._with_content(self._editions_now()[0])
        folder, _, name = path.partition("/")
        key = edition.content().keys.get(name.removesuffix(".js")) if name.endswith(".js") else None
        if key is not None and folder == "replays":
            return self._replay(key, name.removesuffix(".js"))
        if key is not None and folder == "outputs":
            return self._outputs(key, name.removesuffix(".js"))
        content = edition.file(path)
        if content is None and (chunk := re.fullmatch(r"data/((?:matches|why)-\d{1,9})\.js", path)):
            # Somebody has the page of a game open that is still to come, or still to be explained.
            return script(chunk[1], {})
        return content

    def _with_content(self, edition: Edition) -> Edition:
        """The edition, or the last one whose content can be made."""
        try:
            edition.content()
        except UserError:
            if self._last_good is None:
                raise
            return self._last_good
        self._last_good = edition
        return edition

    def _replay(self, key: str, name: str) -> bytes | None:
        if "replays" in self.tournament.publication.hide:
            return None
        with open_store(self.tournament) as store:
            replay = store.replay_bytes(key)
        try:
            return replays_script(name, {name: packed_replay(replay)}) if replay else None
        except UserError:
            return None

    def _outputs(self, key: str, name: str) -> bytes | None:
        if "output" in self.tournament.publication.hide:
            return None
        with open_store(self.tournament) as store:
            record = store.record(key)
        return None if record is None else outputs_script(name, printed(record))

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
            progress = follow(self.tournament, lambda spec: None, self._maker())
        else:
            with open_store(self.tournament) as store:
                self._note_new(store, stamp)
                before = self._current
                progress = self._follow(store)
                if self._stamp is not None and self._stamp[0] != stamp[0] and self._current == before:
                    # More was played, but nothing of this tournament: its file or a team has changed.
                    self.tournament = self._load()
                    progress = self._follow(store)
        self._stamp = stamp
        return self._edition_of(progress)

    def _note_new(self, store: Store, stamp: tuple[int, int, int]) -> None:
        """Which keys are new since the last look: a store is asked for these alone, however many games are still to come."""
        before = 0 if self._stamp is None or self._stamp[0] > stamp[0] else self._stamp[0]
        self._unread |= store.keys_after(before) - self._records.keys()
        self._voids = store.void_keys()

    def _follow(self, store: Store) -> Progress:
        """The schedule so far; its matches are made once, however often it is looked at."""
        maker = self._maker()
        if self._earlier is None:
            self._earlier = EarlierGames(self.tournament)
        stored = self._records.keys() | self._unread | self._voids
        specs = SpecsAsPlayed(maker, store, stored, self._earlier)

        def record(spec: MatchSpec) -> Outcome | None:
            before = len(self._records)
            outcome = self._record(store, spec)
            self._current += len(self._records) > before and spec.place.key not in specs.earlier
            return outcome

        return follow_as_played(self.tournament, record, specs)

    def _maker(self) -> SpecMaker:
        if self._specs is None or self._specs.tournament is not self.tournament:
            self._specs, self._earlier = SpecMaker(self.tournament, remember=True), None
        return self._specs

    def _record(self, store: Store, spec: MatchSpec) -> Outcome | None:
        """As the store has it, but without what is large, such as what teams printed."""
        key = spec.place.key
        outcome = self._records.get(key)
        if outcome is not None:
            return outcome
        if key not in self._unread and key not in self._voids:
            return None
        record = store.record_as(spec)
        if record is None or record.outcome.is_void:
            return None if record is None else record.outcome
        if any(account.output for account in record.evidence.accounts):
            self._printed.add(key)
        self._records[key] = replace(self._interned.outcome(record.outcome, key), played=False)
        self._unread.discard(key)
        return self._records[key]

    def _edition_of(self, progress: Progress) -> Edition:
        """What is said of it now; its tables and pages are made when the first of them is asked for."""
        schedule = progress.schedule
        tournament = self.tournament
        # A team without an opponent has points from it, but there was no game.
        game_count = sum(len(record.teams) > 1 for record in schedule.records)
        missing = len(progress.missing)
        # Games in all, as far as that is known; those that are missing are of the current batch.
        least, _ = (tournament.format.expected_games() if missing else None) or (0, 0)
        every = max(len(schedule.records) + missing, least)
        planned = every - (len(schedule.records) - game_count)
        voids = schedule.voids
        text = f"Live: {game_count} of {planned} games" if missing else f"Complete: {game_count} games"
        text += f", {voids} of them lost to failures of the machine" if voids else ""
        earlier = progress.earlier
        text += f", {earlier.games} of them played with {earlier.of_what}" if earlier else ""
        self._editions += 1
        version = f"{self._start}-{self._editions}"
        return Edition(
            version=version,
            state={"played": game_count, "planned": planned, "complete": not (missing or earlier), "text": text},
            make=lambda: self._content(tournament, progress, every, version),
        )

    def _content(self, tournament: Tournament, progress: Progress, planned: int, version: str) -> Content:
        data = site_data(tournament_results(tournament, progress, lambda: open_store(tournament)))
        data = replace(data, planned=planned, play=self._play, explain=self._explain)
        check(data)
        replayed: set[str] = set()
        if "replays" not in data.hide and (tournament.folder / STORE_NAME).is_file():
            with open_store(tournament) as store:
                replayed = store.replayed()
        printed = set() if "output" in data.hide else self._printed
        listed = listed_games(data, replayed, printed)
        return Content(
            makers={file.path: file.make for file in site_files(data, listed, version)},
            keys={game.file: game.match.key for game in games(data) if game.match.key},
        )
