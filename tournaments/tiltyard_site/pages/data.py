"""What the site is made from: plain values, so that the same input gives the same bytes wherever it came from."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field

from tiltyard_engine.decisions import Decision
from tiltyard_engine.formats import Bracket
from tiltyard_engine.lifecycle import Pairing
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.replay import Replay, Theme
from tiltyard_site.explained.explained import Explained
from tiltyard_tournaments.standings import Table


@dataclass(frozen=True, slots=True)
class Rating:
    """A team's estimated strength with the interval that it lies in."""

    team: str
    value: float
    low: float
    high: float
    better: float | None = None
    """Percent: how likely it is that this team is better than the next one; None: there is no next one."""


@dataclass(frozen=True, slots=True)
class RatedTeams:
    """All ratings, best first."""

    ratings: Sequence[Rating] = ()
    note: str = ""
    """What the ratings and their intervals are, in one sentence."""
    fit: str = ""
    """Whether one number a team fits, in one sentence; empty: nothing is known about it."""
    hardest: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Of each team that somebody has the better of: the opponent against which it did worst, and how often it won against it."""


@dataclass(frozen=True, slots=True)
class Logo:
    """A picture in the head of every page."""

    name: str
    """A file name whose ending says what it is: png, jpg, jpeg, gif, webp or svg."""
    data: bytes


@dataclass(frozen=True, slots=True)
class SeatView:
    """What a player was shown in some round."""

    round: int
    seat: int
    rows: tuple[str, ...]
    """In the characters of the game's plain view, row by row."""


@dataclass(frozen=True, slots=True)
class ComparedManager:
    """A GameManager of a comparative run, and the game that it refereed."""

    name: str
    game: int
    """Its number on the site."""
    replay: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedGroup:
    """GameManagers whose results are the same."""

    managers: tuple[ComparedManager, ...]
    message: str
    round: int
    failed: bool
    beside: int
    """The game that its first is shown beside, one of the largest group; 0: none."""
    board: int
    """The first round after which their boards differ; 0: from the start; -1: never."""
    actions: int
    """The first round in which what was done differs; -1: none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteData:
    """Everything that the pages show."""

    title: str
    teams: Sequence[str]
    """Their names, in the order of the standings."""
    matches: Sequence[Outcome]
    standings: Table
    """A column called ``team`` or ``algorithm`` holds the teams' names; further columns are shown as they are."""
    rated: Callable[[], RatedTeams] = RatedTeams
    """The ratings. They take as long as everything else, and not every page shows them."""
    fair_maps: Callable[[], Table | None] = lambda: None
    """Whether seats are worth something on the maps, a row a map; None: nobody can tell."""
    replay: Callable[[str], Replay | None] = lambda key: None
    """A match's replay by its key."""
    replay_bytes: Callable[[str], bytes] | None = None
    """In place of ``replay``, and quicker: its replay file, compressed or not; empty if it has none."""
    outputs: Callable[[str], Sequence[str]] = lambda key: ()
    """What each seat's code printed in the match with this key, seat 1 first; empty where nothing is kept."""
    views: Callable[[str], Sequence[SeatView]] = lambda key: ()
    """What the players were shown in the match with this key; empty where it was not recorded."""
    theme: Theme | None = None
    """How the game's tokens look; None shows the tokens themselves."""
    game: str = ""
    description: str = ""
    notes: Sequence[str] = ()
    """Shown at the foot of every page, such as how the teams' code was isolated."""
    planned: int = 0
    """Matches in the schedule, where some are still to be played."""
    links: Sequence[tuple[str, str]] = ()
    """Labels and addresses in the head of every page; ``http``, ``https``, ``mailto`` or relative."""
    address: str = ""
    """Where the site will be, with ``http`` or ``https``; empty: not known, and previews of links have no picture."""
    logo: Logo | None = None
    hide: Set[str] = frozenset({"output"})
    """What is not published: ``replays``, ``faults`` (their messages; the kinds are shown), ``output`` (what teams' code printed,
    which may contain what a team wants to keep to itself)."""
    not_admitted: Sequence[tuple[str, ...]] = ()
    """(name, reason) of who wanted to take part and may not; they are not among the teams."""
    disqualified: Sequence[tuple[str, ...]] = ()
    """(name, what became of its results, reason) of who may not play any more."""
    format: str = ""
    """The tournament format's name, by which a swiss has its rounds shown; others are shown by what they say, as below."""
    challengers: Sequence[str] = ()
    """Whom all others meet, in a format such as a gauntlet."""
    findings: Sequence[str] = ()
    """What the format says about these results."""
    pairings: Sequence[Pairing] = ()
    """Of which there are no games: those that are still to be played, and byes."""
    is_scored: bool = False
    """Whether points are the game's own scores."""
    period: Callable[[], tuple[str, str]] = lambda: ("", "")
    """When the first and the last match ended, in ISO 8601 with the time zone; empty: not known."""
    decisions: Sequence[Decision] = ()
    """What an organiser decided about games; it has a page of its own."""
    explained: Callable[[], Sequence[Explained]] = tuple
    """Why teams lost, as far as somebody has found out."""
    explained_replay: Callable[[Explained, int], bytes] = lambda explained, moment: b""
    """The replay file of the game with the better answer of a moment, from 1; empty: there is none."""
    explain: str = ""
    """The address at which visitors ask why a team lost; empty: there is none."""
    play: str = ""
    """The address of the page on which visitors play against a team; empty: there is none."""
    brackets: Sequence[Bracket[str]] = ()
    """What the format wants to be drawn; then points say nothing, and the first bracket leads to the champion."""
    stages: Sequence[tuple[str, str]] = ()
    """Labels and addresses of the page above several stages and of their sites; that of this site is ``index.html``."""
    groups: Sequence[ComparedGroup] = ()
    """Of a comparative run: then the first page shows these in place of standings, and teams have no pages."""

    @property
    def ratings(self) -> Sequence[Rating]:
        """Each team's rating, best first."""
        return self.rated().ratings

    @property
    def rating_note(self) -> str:
        """What the ratings and their intervals are."""
        return self.rated().note
