"""Tables that several pages show: games in a row, and how a version does against each opponent and on each map."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tiltyard_league.database.games import LeagueGame
from tiltyard_league.web.http.context import Context
from tiltyard_site.pages.labels import sentence
from tiltyard_tournaments.ratings.shares import share_interval
from tiltyard_tournaments.standings import Meeting

LONGEST_REASON: Final = 90
"""Characters of how a game ended, in a list."""


@dataclass(frozen=True, slots=True)
class GameView:
    """A game for a page."""

    game: LeagueGame
    sides: tuple[dict[str, Any], dict[str, Any]]
    """As ``Visit.shown`` has them, seat 1 first."""
    own: int
    """The seat of the visitor's team, or of the team that the page is about; 0: of neither."""

    @property
    def result(self) -> str:
        """In a word, seen from the own seat."""
        if not self.game.counts or self.game.voided:
            return "no result" if not self.game.voided else "void"
        if not self.game.winner:
            return "tie"
        if not self.own:
            return f"{self.sides[self.game.winner - 1]['label']} won"
        return "won" if self.game.winner == self.own else "lost"

    @property
    def points(self) -> str:
        """What each of the two gets from it; empty if it counts for nobody."""
        if not self.game.counts or self.game.voided:
            return ""
        return ("\u00bd \u2013 \u00bd", "1 \u2013 0", "0 \u2013 1")[self.game.winner]

    @property
    def score(self) -> str:
        """The result for a narrow column: in a word if it is one's own game, else in points."""
        if self.own or not self.game.counts or self.game.voided or not self.game.winner:
            return self.result
        return "1\u20130" if self.game.winner == 1 else "0\u20131"

    @property
    def why(self) -> str:
        """Which fault there was; without one, how the game ended as the GameManager says."""
        fault = self.game.fault
        if not fault:
            return "" if self.game.voided else sentence(self.game.message, LONGEST_REASON)
        return f"{self.game.verdict} of {self.sides[fault - 1]['label']}"


def game_views(context: Context, games: Sequence[LeagueGame], about: int = 0) -> list[GameView]:
    """Games as a page lists them; ``about`` is the team whose results these are."""
    names = context.version_labels({version for game in games for version in game.versions})
    views: list[GameView] = []
    for game in games:
        sides = tuple(names[version] for version in game.versions)
        own = next((seat for seat, side in enumerate(sides, start=1) if about and side["team"] == about), 0)
        views.append(GameView(game, sides, own))
    return views


@dataclass(frozen=True, slots=True)
class TallyRow:
    """A line of results against somebody or on something."""

    name: str
    page: str
    games: str
    tally: Meeting
    share: float
    low: float
    high: float


def _line(name: str, page: str, games: str, tally: Meeting) -> TallyRow:
    low, high = share_interval(tally.wins, tally.ties, tally.losses)
    return TallyRow(name, page, games, tally, float(tally.share) / tally.games, low, high)


def against(context: Context, version: int, games: Sequence[LeagueGame]) -> list[TallyRow]:
    """Results of a version against each opponent, the worst first."""
    names = context.version_labels({other for game in games for other in game.versions} | {version})
    tallies: dict[int, Meeting] = {}
    for game in games:
        own = game.versions.index(version)
        _add(tallies.setdefault(game.versions[1 - own], Meeting()), game, own)
    lines = [
        _line(
            names[other]["label"],
            context.path(f"/teams/{names[other]['slug']}"),
            context.path(f"/games/?version={version}&against={other}"),
            tally,
        )
        for other, tally in tallies.items()
    ]
    return sorted(lines, key=lambda line: (line.share, -line.tally.games, line.name))


def on_maps(context: Context, version: int, games: Sequence[LeagueGame]) -> list[TallyRow]:
    """Results of a version on each map, the worst first."""
    tallies: dict[str, Meeting] = {}
    for game in games:
        _add(tallies.setdefault(game.map, Meeting()), game, game.versions.index(version))
    lines = [_line(name, "", context.path(f"/games/?version={version}"), tally) for name, tally in tallies.items()]
    return sorted(lines, key=lambda line: (line.share, -line.tally.games, line.name))


def _add(tally: Meeting, game: LeagueGame, own: int) -> None:
    ranks = (1, 1) if not game.winner else (1, 2) if game.winner == 1 else (2, 1)
    tally.add(ranks[own], ranks[1 - own])
