"""The page above the sites of stages that follow each other: who won or leads, the final ranking, and a card for each stage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

from tiltyard_site.pages.contents import SiteFile, design_files, logo_file
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.front import Headline, headline, leading
from tiltyard_site.pages.labels import counted, slugs
from tiltyard_site.pages.match_scripts import Listed, match_message
from tiltyard_site.pages.pages import SHARE_PICTURE, Pages
from tiltyard_site.pages.template_environment import template_environment
from tiltyard_site.pages.watching import board_preview

ASSETS: Final = frozenset({"appearance.js", "icon.svg", "live.js", "site.css", "tiltyard.js"})
"""What this page needs of those that sites have."""
INDEX: Final = "index.html"
ALL_STAGES: Final = "All stages"


@dataclass(frozen=True, slots=True, kw_only=True)
class StageSite:
    """A stage, and what was published of it below a folder of its name."""

    name: str
    data: SiteData | None = None
    """None: it was not begun."""
    games: Sequence[Listed] = ()
    """Its games."""
    files: Sequence[str] = (INDEX,)
    """What is to be looked at in its folder."""

    @property
    def page(self) -> str:
        """The first page of its site, as an address; empty: it has none."""
        return f"{quote(self.name)}/{INDEX}" if self.data is not None and INDEX in self.files else ""


@dataclass(frozen=True, slots=True)
class StageCard:
    """What the page shows of a stage."""

    name: str
    page: str
    headline: Headline


def stage_links(names: Sequence[str], own: str = "") -> tuple[tuple[str, str], ...]:
    """Labels and addresses of all stages' sites, for the site of one, or by default for the page above."""
    up = "../" if own else ""
    sites = ((name, INDEX if name == own else f"{up}{quote(name)}/{INDEX}") for name in names)
    return ((ALL_STAGES, f"{up}{INDEX}"), *sites)


def contest_files(whole: SiteData, stages: Sequence[StageSite], is_over: bool, live: str = "") -> Iterator[SiteFile]:
    """The page with what it needs.

    Args:
        whole: title, links and such, with the final ranking as its standings.
        stages: in their order.
        is_over: whether nothing is left to be played in any of them.
        live: as of ``site_files``.
    """
    data = replace(whole, stages=stage_links([stage.name for stage in stages if stage.page]))
    page = ContestPage(data, stages, is_over, live)
    yield from design_files(data, live, ASSETS.__contains__)
    if picture := page.share_picture():
        yield SiteFile(SHARE_PICTURE, lambda: picture)
    yield SiteFile(INDEX, page.text)


class ContestPage:
    """The page; arguments as ``contest_files``."""

    def __init__(self, data: SiteData, stages: Sequence[StageSite], is_over: bool, live: str) -> None:
        self.data, self.stages, self.is_over, self.live = data, stages, is_over, live
        self.pages_of = {
            stage.name: Pages(stage.data, stage.games, slugs(stage.data.teams), "") for stage in stages if stage.data is not None
        }
        watched = [stage for stage in stages if stage.page and self.pages_of[stage.name].watch is not None]
        # Stages for lower places may come last.
        best = next((row[2] for row in data.standings.rows if is_over), "")
        self.watched = next((stage for stage in watched if stage.name == best), watched[-1] if watched else None)
        """The stage with the game beside the ranking."""
        self.cards = [StageCard(stage.name, stage.page, self._headline_of(stage)) for stage in stages]

    def share_picture(self) -> bytes:
        """What previews of links show: the picture of that stage's site."""
        if self.watched is None or not self.data.address or self.live:
            return b""
        return self.pages_of[self.watched.name].share_picture()

    def text(self) -> bytes:
        """The page as it is written."""
        site, pages = self.data, None if self.watched is None else self.pages_of[self.watched.name]
        team_pages = {
            team: f"{quote(stage.name)}/{self.pages_of[stage.name].team_page(team)}"
            for stage in self.stages
            if stage.page and stage.data is not None
            for team in stage.data.teams
        }
        environment = template_environment()
        environment.globals.update(
            site=site,
            logo=logo_file(site),
            live=self.live,
            page="index",
            counted=counted,
            team_page=lambda name: team_pages.get(name, ""),
        )
        values: dict[str, Any] = {
            "headline": self._headline(),
            "rows": site.standings.rows,
            "cards": self.cards,
            "files": [f"{stage.name}/{file}" for stage in self.stages for file in stage.files if file != INDEX and stage.data],
            "watch": pages and pages.watch,
            "folder": "" if self.watched is None else f"{quote(self.watched.name)}/",
            "preview": board_preview(pages.watch_replay, pages.data.theme) if pages and pages.watch_replay else "",
            "share": f"{site.address.rstrip('/')}/{SHARE_PICTURE}" if self.share_picture() else "",
            "message": lambda entry: match_message(entry.match, site.hide),
        }
        return f"{environment.get_template('contest.html').render(**values)}\n".encode()

    def _headline(self) -> Headline:
        """Of the whole: who is first in the ranking, and which stage is played."""
        first = tuple(str(team) for place, team, *_ in self.data.standings.rows if place == 1)
        words = leading(first, self.is_over) if any(pages.matches for pages in self.pages_of.values()) else ((), "not begun")
        number = max((number for number, stage in enumerate(self.stages) if stage.data is not None), default=0)
        latest = self.cards[number]
        now = latest.name
        if not self.is_over and number + 1 < len(self.stages) and self.pages_of[now].progress.is_over:
            now = self.stages[number + 1].name
        facts = (
            "" if self.is_over else f"now: {now}",
            counted(len(self.stages), "stage"),
            counted(len(self.data.standings.rows), "team"),
            counted(sum(len(pages.matches) for pages in self.pages_of.values()), "game"),
        )
        when = latest.headline.when if self.is_over else latest.headline.when.replace("finished", "last game")
        return Headline(*words, when, latest.headline.at, tuple(fact for fact in facts if fact))

    def _headline_of(self, stage: StageSite) -> Headline:
        if stage.data is None:
            return Headline((), "not begun", "", "", ())
        pages = self.pages_of[stage.name]
        return headline(stage.data, pages.places, pages.progress)
