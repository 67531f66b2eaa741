"""The sites of all stages of a file, and the page above them, as they are now, while another process may be playing."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from tiltyard_contest.contest_page import INDEX, stage_links
from tiltyard_contest.showing import StageSoFar, files_above, is_begun
from tiltyard_engine.errors import UserError
from tiltyard_site.live.live_edition import Content, Edition
from tiltyard_site.live.live_site import IDLE_SHARE, NEWS, LiveSite
from tiltyard_tournaments.cli.tournament_options import TournamentOptions
from tiltyard_tournaments.running.tournament import Tournament


class LiveStages:
    """A site for each stage that was begun, below its name. The first stage always has one.

    Args:
        options: of the file with all stages.

    Raises:
        UserError: a stage that was begun cannot be loaded.
    """

    def __init__(self, options: TournamentOptions) -> None:
        self._options = options
        self._stages = options.stages()
        self.ready = threading.Event()
        """Set once all of them can be shown."""
        self._coming = self._sites = self._sites_of(self._names())
        """Those that are shown as soon as all of them are made, and those that are shown."""
        self._edition: Edition | None = None
        """The page above, as open pages know it."""

    @property
    def title(self) -> str:
        """The title of the whole tournament."""
        first = self._stages[0].name
        return self._sites[first].title.removesuffix(f": {first}")

    def bring_up_to_date(self) -> float:
        """Look into the stores; seconds that should pass before the next look.

        Raises:
            UserError: one of them cannot be read; all others are shown as they are now, or as they were before it began.
        """
        if (names := self._names()) != list(self._coming):
            # Their pages lead to each other.
            self._coming = self._sites_of(names)
        pause, problems = 0.0, []
        for site in self._coming.values():
            try:
                pause += site.bring_up_to_date()
            except UserError as error:
                problems.append(error)
        if all(site.ready.is_set() for site in self._coming.values()):
            self._sites = self._coming
            self.ready.set()
        if self.ready.is_set():
            self._renew_page()
        if problems:
            raise problems[0]
        return pause

    def _renew_page(self) -> None:
        """Have the page above made again when it is asked for, if there is news; not all the time, but never later than the end."""
        version = ".".join(str(site.news()["version"]) for site in self._sites.values())
        has_rested = self._edition is None or self._state()["complete"] or self._edition.has_rested(IDLE_SHARE)
        if has_rested and (self._edition is None or self._edition.version != version):
            self._edition = Edition(version=version, state={}, make=partial(self._content, dict(self._sites), version))

    def file(self, path: str) -> bytes | None:
        """The content of a file of a stage's site, below its name, or of the page above; None: there is none.

        Raises:
            UserError: a store cannot be read, or the site was not made yet.
        """
        name, _, below = path.partition("/")
        site = self._sites.get(name)
        if below and site is not None and (content := site.file(below)) is not None:
            return content
        if self._edition is None:
            raise UserError("the site is being made; try again in a moment")
        if path == NEWS:
            return json.dumps({"version": self._edition.version, **self._state()}).encode()
        return self._edition.file(path)

    def _names(self) -> list[str]:
        return [stage.name for stage in self._stages if stage is self._stages[0] or is_begun(stage)]

    def _sites_of(self, names: Sequence[str]) -> dict[str, LiveSite]:
        return {name: LiveSite(partial(self._load, name, stage_links(names, name)), at_once=False) for name in names}

    def _load(self, name: str, links: tuple[tuple[str, str], ...]) -> Tournament:
        tournament = replace(self._options, stage=name).tournament(as_run=True)
        return replace(tournament, publication=replace(tournament.publication, stages=links))

    def _state(self) -> dict[str, object]:
        """What open pages hear at once: how far the first stage is that is not over."""
        news = {name: site.news() for name, site in self._sites.items()}
        games = sum(int(str(each["played"])) for each in news.values())
        for stage in self._stages:
            state = news.get(stage.name)
            if state is None or not state["complete"]:
                text = f"{stage.name}: {state['text']}" if state else f"{stage.name} is to come"
                return {"played": games, "complete": False, "text": text}
        return {"played": games, "complete": True, "text": f"Complete: {games} games"}

    def _content(self, sites: dict[str, LiveSite], version: str) -> Content:
        so_far = {name: StageSoFar.of(site.tournament) for name, site in sites.items()}
        stages = {stage.name: so_far.get(stage.name) for stage in self._stages}
        files = files_above(stages, dict.fromkeys(sites, (INDEX,)), version)
        return Content({file.path: file.make for file in files}, {})
