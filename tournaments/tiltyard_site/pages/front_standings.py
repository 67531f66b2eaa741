"""The standings of the first page: place, team, rating, results and points in one row, without what is zero for everybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiltyard_simulator.output.tables import Cell
from tiltyard_site.pages.bracket import Bracket, ended_in
from tiltyard_site.pages.data import SiteData
from tiltyard_site.pages.shown_cells import ShownCell
from tiltyard_site.pages.template_environment import whole_number

RATING, RESULT = -1, -2
"""Columns that the first page adds: the rating, and in a knockout how far a team has come."""
ALWAYS_SHOWN: Final = frozenset({"place", "team", "points"})
"""Other columns are left out where they are zero for everybody."""
IN_KNOCKOUTS: Final = frozenset({"place", "team", "games", "wins", "ties", "losses", "faults", "forfeits"})
KNOWN_COLUMNS: Final = ALWAYS_SHOWN | IN_KNOCKOUTS
"""Those that the style sheet knows by name."""


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
    return {str(row[team]): str(row[place]) for row in data.standings.rows}


class FrontStandings:
    """The rows; ``bracket`` is a knockout's, where it decides and points don't."""

    def __init__(self, data: SiteData, bracket: Bracket | None) -> None:
        self.data, self.bracket = data, bracket
        self.names = [header_word(header) for header in data.standings.headers]
        self.teams = frozenset(data.teams)
        self.ratings = {rating.team: rating for rating in data.ratings}
        self.columns = self._columns()

    def headers(self) -> list[ShownCell]:
        """The words above the columns."""
        own = {RATING: ShownCell("rating", True), RESULT: ShownCell("result")}
        return [own.get(column) or ShownCell(self.names[column], self._is_numeric(column)) for column in self.columns]

    def row(self, row: Sequence[Cell]) -> list[ShownCell]:
        """The cells of a row of the table."""
        team = next((str(cell) for cell, name in zip(row, self.names, strict=True) if name == "team"), "")
        return [self._cell(row, column, team) for column in self.columns]

    def _columns(self) -> list[int]:
        rows, names = self.data.standings.rows, self.names
        shown = [
            number for number, name in enumerate(names) if name in ALWAYS_SHOWN or any(row[number] not in (0, "") for row in rows)
        ]
        if self.bracket is not None:
            shown = [number for number in shown if names[number] in IN_KNOCKOUTS]
        first = [number for number in shown if names[number] in ("place", "team")]
        results = [number for number in shown if names[number] in ("games", "wins", "ties", "losses")]
        last = [number for number in shown if names[number] in ("faults", "forfeits")]
        rest = [number for number in shown if number not in (*first, *results, *last)]
        own = [*([RESULT] if self.bracket is not None else []), *([RATING] if self.ratings else [])]
        return [*first, *own, *results, *rest, *last]

    def _is_numeric(self, column: int) -> bool:
        return all(isinstance(row[column], int | float) or not row[column] for row in self.data.standings.rows)

    def _cell(self, row: Sequence[Cell], column: int, team: str) -> ShownCell:
        if column == RESULT:
            return ShownCell(ended_in(self.bracket, team) if self.bracket else "", column="result")
        if column == RATING:
            rating = self.ratings.get(team)
            if rating is None:
                return ShownCell("", True)
            error = f"\u00b1\u202f{(rating.high - rating.low) / 2:.0f}"
            return ShownCell(whole_number(rating.value), True, small=error, column="rating")
        name = self.names[column]
        is_known = name in KNOWN_COLUMNS and (name != "team" or team in self.teams)
        return replace(standings_cell(row[column]), column=name if is_known else "")
