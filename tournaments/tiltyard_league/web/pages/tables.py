"""Tables that several pages show: games in a row, and how a version does against each opponent and on each map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
    sides: tuple[dict[str, Any], ...]
    """As ``Context.version_labels`` has them, seat 1 first."""
    own: int
    """The seat of the visitor's team, or of the team that the page is about; 0: of neither."""
    changes: Mapping[int, float] = field(default_factory=dict)
    """By how many Elo points the game changed the rating of a seat's version, where it was worked out."""

    @property
    def finish(self) -> list[tuple[str, int]]:
        """Place and seat of all, in the order in which they finished; without a result in that of their seats, without places."""
        seats = range(1, len(self.sides) + 1)
        if not self.game.has_result:
            return [("", seat) for seat in seats]
        ranks = self.game.ranks
        return [(str(ranks[seat - 1]), seat) for seat in sorted(seats, key=lambda seat: ranks[seat - 1])]

    @property
    def hall_seats(self) -> list[int]:
        """The seats as a hall sees them: two side by side, more in the order in which they finished."""
        return [1, 2] if len(self.sides) == 2 else [seat for _, seat in self.finish]

    @property
    def result(self) -> str:
        """In a word, seen from the own seat."""
        if not self.game.has_result:
            return "no result" if not self.game.voided else "void"
        if len(self.sides) > 2 and self.own:
            rank = self.game.ranks[self.own - 1]
            shared = "shared " if self.game.ranks.count(rank) > 1 else ""
            return f"{shared}{ordinal(rank)} of {len(self.sides)}"
        if not self.game.winner:
            return "tie" if len(self.sides) == 2 else "shared 1st"
        if not self.own:
            return f"{self.sides[self.game.winner - 1]['label']} won"
        return "won" if self.game.winner == self.own else "lost"

    @property
    def title(self) -> str:
        """Who met whom with the result, or all in the order in which they finished."""
        labels = [str(side["label"]) for side in self.sides]
        return (
            f" {self.points or ':'} ".join(labels) if len(labels) == 2 else ", ".join(labels[seat - 1] for _, seat in self.finish)
        )

    @property
    def points(self) -> str:
        """What each of the two gets from it; empty if it counts for nobody, or if they are more."""
        if not self.game.has_result or len(self.sides) > 2:
            return ""
        return ("\u00bd \u2013 \u00bd", "1 \u2013 0", "0 \u2013 1")[self.game.winner]

    @property
    def score(self) -> str:
        """The result for a narrow column: in a word if it is one's own game, else in points."""
        if self.own or not self.game.has_result or not self.game.winner:
            return self.result
        if len(self.sides) > 2:
            return ""
        return "1\u20130" if self.game.winner == 1 else "0\u20131"

    @property
    def why(self) -> str:
        """Which faults there were; in a game of two without one, how it ended as the GameManager says."""
        if len(self.sides) == 2:
            if not self.game.fault:
                return "" if self.game.voided else sentence(self.game.message, LONGEST_REASON)
            return f"{self.game.verdict} of {self.sides[self.game.fault - 1]['label']}"
        # A GameManager's sentence about many is long, and has the names that their programs give themselves.
        kinds = zip(self.game.faults, self.sides, strict=True)
        return ", ".join(f"{kind} of {side['label']}" for kind, side in kinds if kind)


def game_views(context: Context, games: Sequence[LeagueGame], about: int = 0) -> list[GameView]:
    """Games as a page lists them; ``about`` is the team whose results these are."""
    names = context.version_labels({version for game in games for version in game.versions})
    changes: dict[int, dict[int, float]] = {}
    if context.app.settings.players > 2:
        for (place, seat), points in context.games.seat_changes(games).items():
            changes.setdefault(place, {})[seat] = points
    views: list[GameView] = []
    for game in games:
        sides = tuple(names[version] for version in game.versions)
        own = next((seat for seat, side in enumerate(sides, start=1) if about and side["team"] == about), 0)
        views.append(GameView(game, sides, own, changes.get(game.place, {}) if game.has_result else {}))
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


def _line(name: str, page: str, games: str, tally: Meeting, opponents: int = 1) -> TallyRow:
    """A line; each game is in the tally for each of so many opponents, and tells no more than one game about a share."""
    low, high = share_interval(*(number / opponents for number in (tally.wins, tally.ties, tally.losses)))
    return TallyRow(name, page, games, tally, float(tally.share) / tally.games, low, high)


def ordinal(number: int) -> str:
    """A place, such as 1st."""
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")


def against(context: Context, version: int, games: Sequence[LeagueGame]) -> list[TallyRow]:
    """Results of a version against each opponent, the worst first."""
    names = context.version_labels({other for game in games for other in game.versions} | {version})
    tallies: dict[int, Meeting] = {}
    for game in games:
        own = game.versions.index(version)
        for seat, other in enumerate(game.versions):
            if seat != own:
                tallies.setdefault(other, Meeting()).add(game.ranks[own], game.ranks[seat])
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
        own = game.versions.index(version)
        for seat, rank in enumerate(game.ranks):
            if seat != own:
                tallies.setdefault(game.map, Meeting()).add(game.ranks[own], rank)
    page, opponents = context.path(f"/games/?version={version}"), context.app.settings.players - 1
    lines = [_line(name, "", page, tally, opponents) for name, tally in tallies.items()]
    return sorted(lines, key=lambda line: (line.share, -line.tally.games, line.name))
