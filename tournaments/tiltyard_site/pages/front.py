"""What the first page begins with: who won or leads, and the standings without what is zero for everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from tiltyard_simulator.output.tables import Cell
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.labels import counted
from tiltyard_site.pages.stages import BracketDrawing, ended_in, out_of_it
from tiltyard_site.pages.table_parts import ShownCell
from tiltyard_site.pages.template_environment import whole_number
from tiltyard_tournaments.standings.tie_breaks import TIE_BREAKS

MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
MOST_LEADERS: Final = 3
"""More that share the first place are counted."""
FORMATS: Final = {"swiss": "Swiss", "round-robin": "round robin"}
"""What formats are called on pages, where that isn't their name with spaces."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The line below the title."""

    leaders: tuple[str, ...]
    """Empty: nobody leads yet, or too many do."""
    words: str
    """What they do, such as ``won``."""
    when: str
    """In words, with the time zone; empty: not known."""
    at: str
    """The same in ISO 8601."""
    facts: tuple[str, ...]
    """Format, teams, games."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the tournament has come."""

    games: int
    """That were played."""
    planned: int
    rounds: Sequence[str] = ()
    """What the rounds are called that were drawn, of a format that is known by them."""
    champion: str = ""
    """A knockout's; empty while it goes on."""
    challenge: tuple[str, float] | None = None
    """The only challenger, where there is one, and its share of the points that it played for."""

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return 0 < self.games >= self.planned


def headline(data: SiteData, places: Mapping[str, str], progress: Progress) -> Headline:
    """The line; ``places`` are those of the standings."""
    is_over = progress.is_over
    at = data.period()[1] if progress.games else ""
    when = time_in_words(at)
    leaders, words = _leaders(data, places, progress) if progress.games else ((), "not begun")
    name = FORMATS.get(data.format, data.format.replace("-", " "))
    if data.format == "swiss" and progress.rounds:
        name = f"{name}, {counted(len(progress.rounds), 'round')}" if is_over else f"{name}, {progress.rounds[-1]}"
    games = counted(progress.planned, "game")
    games = counted(progress.games, "game") if progress.games >= progress.planned else f"{progress.games} of {games}"
    return Headline(
        leaders,
        words,
        f"{'finished' if is_over else 'last game'} {when}" if when else "finished" if is_over else "",
        at,
        tuple(fact for fact in (name, counted(len(data.teams), "team"), games) if fact),
    )


def _leaders(data: SiteData, places: Mapping[str, str], progress: Progress) -> tuple[tuple[str, ...], str]:
    first = tuple(team for team, place in places.items() if place == "1")
    groups = len(set(team_groups(data).values()))
    if groups:
        who = first if len(first) <= MOST_LEADERS else ()
        if not who:
            return (), f"{groups} groups{' are decided' if progress.is_over else ''}"
        over = "won their groups" if len(first) <= groups else "are first in their groups"
        return who, over if progress.is_over else "lead their groups"
    if progress.champion:
        return (progress.champion,), "is the champion"
    if progress.challenge is not None:
        # Whoever meets all others has more points than they have.
        name, share = progress.challenge
        return (name,), f"{'scored' if progress.is_over else 'scores'} {100 * share:.0f}\u202f% against the others"
    if data.challengers:
        return (), f"{len(data.challengers)} challengers"
    if data.brackets:
        return (), f"{counted(len(set(first) - out_of_it(data.brackets)), 'team')} still in"
    return leading(first, progress.is_over)


def leading(first: tuple[str, ...], is_over: bool) -> tuple[tuple[str, ...], str]:
    """The teams on the first place, empty if they are too many, and what they do."""
    if len(first) > MOST_LEADERS or not first:
        return (), f"{counted(len(first), 'team')} share the first place" if first else ""
    if len(first) > 1:
        return first, "share the first place" if is_over else "share the lead"
    return first, "won" if is_over else "leads"


def time_in_words(text: str) -> str:
    """A time in ISO 8601 as ``26 Nov 2026, 13:35 UTC``; empty for what is none."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return ""
    if at.tzinfo is None:
        return ""
    at = at.astimezone(UTC)
    return f"{at.day} {MONTHS[at.month - 1]} {at.year}, {at:%H:%M} UTC"


RATING, RESULT = -1, -2
"""Columns that the first page adds: the rating, and in a knockout how far a team has come."""
ALWAYS_SHOWN: Final = frozenset({"place", "team", "points"})
"""Other columns are left out where they are zero for everybody."""
IN_KNOCKOUTS: Final = frozenset({"place", "team", "wins", "ties", "losses", "faults", "forfeits"})
KNOWN_COLUMNS: Final = ALWAYS_SHOWN | IN_KNOCKOUTS | {"games"}
"""Those that the style sheet knows by name."""


SHORT_NAMES: Final = {
    "buchholz": "BH",
    "buchholz-cut-1": "BH-C1",
    "buchholz-median": "BH-M",
    "sonneborn-berger": "SB",
    "head-to-head": "H2H",
    "score-difference": "diff",
}
"""Of tie-breaks whose names are wider than their numbers; those of FIDE, where it has one."""


DESCRIPTIONS: Final = {
    **{name: tie_break.description for name, tie_break in TIE_BREAKS.items()},
    "carried": "points from an earlier stage, included in the points",
}
"""Of columns, for whoever points at their names."""


def header_word(header: str) -> str:
    """What a column is called on pages: people read of teams, also where tables speak of algorithms."""
    return "team" if header == "algorithm" else header


def standings_cell(cell: Cell) -> ShownCell:
    """A value as pages write it."""
    if isinstance(cell, float):
        return ShownCell(f"{cell:.2f}".rstrip("0").rstrip(".").replace("-", "\u2212"), number=True)
    return ShownCell(str(cell), number=isinstance(cell, int))


def team_places(data: SiteData) -> dict[str, str]:
    """Team to place, where the standings tell both."""
    names = [header_word(header) for header in data.standings.headers]
    if "team" not in names or "place" not in names:
        return {}
    team, place = names.index("team"), names.index("place")
    places = {str(row[team]): str(row[place]) for row in data.standings.rows}
    if not data.challengers:
        return places
    # Whoever meets all others plays more games, so that points say nothing of who of them is better.
    field = [int(own) for name, own in places.items() if own.isdecimal() and name not in data.challengers]
    ranks = {own: str(1 + sum(other < own for other in field)) for own in field}
    return {
        name: "\u2013" if name in data.challengers else ranks[int(own)] if own.isdecimal() else own for name, own in places.items()
    }


def team_groups(data: SiteData) -> dict[str, str]:
    """Team to group, where the standings have groups."""
    names = [header_word(header) for header in data.standings.headers]
    if "team" not in names or "group" not in names:
        return {}
    team, group = names.index("team"), names.index("group")
    return {str(row[team]): str(row[group]) for row in data.standings.rows}


class FrontStandings:
    """The rows; ``knockout``: where brackets decide and points don't."""

    def __init__(self, data: SiteData, knockout: BracketDrawing | None) -> None:
        self.data, self.knockout = data, knockout
        self.places = team_places(data)
        self.names = [header_word(header) for header in data.standings.headers]
        self.teams = frozenset(data.teams)
        self.ratings = {rating.team: rating for rating in data.ratings}
        self.columns = self._columns()
        # Until a round is over, its losers share the place of those who may still win.
        self.out = {team for team in out_of_it(data.brackets) if self.places.get(team) == "1"}

    def tables(self) -> list[tuple[str, list[list[ShownCell]]]]:
        """The rows of each group by its name; without groups those of all, without a name."""
        tables: dict[str, list[list[ShownCell]]] = {}
        group = self.names.index("group") if "group" in self.names else None
        for row in self.data.standings.rows:
            tables.setdefault("" if group is None else str(row[group]), []).append(self.row(row))
        return list(tables.items()) or [("", [])]

    def headers(self) -> list[ShownCell]:
        """The words above the columns."""
        own = {RATING: ShownCell("rating", True, column="rating"), RESULT: ShownCell("result")}
        return [own.get(column) or self._header(column) for column in self.columns]

    def row(self, row: Sequence[Cell]) -> list[ShownCell]:
        """The cells of a row of the table."""
        team = next((str(cell) for cell, name in zip(row, self.names, strict=True) if name == "team"), "")
        return [self._cell(row, column, team) for column in self.columns]

    def _columns(self) -> list[int]:
        rows, names = self.data.standings.rows, self.names
        numbers = [
            number for number, name in enumerate(names) if name in ALWAYS_SHOWN or any(row[number] not in (0, "") for row in rows)
        ]
        if self.knockout is not None:
            numbers = [number for number in numbers if names[number] in IN_KNOCKOUTS]
        first = [number for number in numbers if names[number] in ("place", "team")]
        results = [number for number in numbers if names[number] in ("games", "wins", "ties", "losses", "byes")]
        last = [number for number in numbers if names[number] in ("faults", "forfeits")]
        rest = [number for number in numbers if number not in (*first, *results, *last) and names[number] != "group"]
        own = [*([RESULT] if self.knockout is not None else []), *([RATING] if self.ratings else [])]
        return [*first, *own, *results, *rest, *last]

    def _header(self, column: int) -> ShownCell:
        name = self.names[column]
        is_known = name in KNOWN_COLUMNS
        label = f"{name}: {DESCRIPTIONS[name]}" if name in DESCRIPTIONS and not is_known else ""
        return ShownCell(SHORT_NAMES.get(name, name), self._is_numeric(column), column=name if is_known else "", label=label)

    def _is_numeric(self, column: int) -> bool:
        return all(isinstance(row[column], int | float) or not row[column] for row in self.data.standings.rows)

    def _cell(self, row: Sequence[Cell], column: int, team: str) -> ShownCell:
        if column == RESULT:
            return ShownCell(ended_in(self.knockout, team, self.places) if self.knockout else "", column="result")
        if column == RATING:
            rating = self.ratings.get(team)
            if rating is None:
                return ShownCell("", True, column="rating")
            error = f"\u00b1\u202f{(rating.high - rating.low) / 2:.0f}"
            return ShownCell(whole_number(rating.value), True, small=error, column="rating")
        name = self.names[column]
        if name == "place":
            return ShownCell("\u2013" if team in self.out else self.places[team], True, column="place")
        is_known = name in KNOWN_COLUMNS and (name != "team" or team in self.teams)
        return replace(standings_cell(row[column]), column=name if is_known else "")
