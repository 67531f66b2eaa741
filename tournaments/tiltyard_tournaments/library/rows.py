"""Rows of plain values: lists of dicts that data frames take as they are, and that show themselves as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeAlias

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import Termination
from tiltyard_simulator.output.tables import Table, render
from tiltyard_tournaments.publishers.pages import pages
from tiltyard_tournaments.standings.scoring import Scoring, finishes, points

Value: TypeAlias = str | int | float | bool | None
Row: TypeAlias = dict[str, Value]
"""Plain values under the names of columns."""
MOST_TEXT_ROWS: Final = 10
"""Of a table as text. All rows are there."""
MOST_TEXT_WIDTH: Final = 100
"""Columns of characters that a table as text may take."""


class Rows(list[Row]):
    """A list of dicts with the same keys. ``pandas.DataFrame`` and ``polars.DataFrame`` take it as it is.

    Args:
        rows: what it holds.
        title: what it is about.
        html: how a notebook shows it; None: as a plain table.
    """

    def __init__(self, rows: Iterable[Row] = (), title: str = "", html: Callable[[], str] | None = None) -> None:
        super().__init__(rows)
        self.title = title
        self._html = html

    def __repr__(self) -> str:
        """The first rows as a table, and how many more there are."""
        if not self:
            return f"no rows{f' of {self.title}' if self.title else ''}"
        text_rows = _fitting(list(self[0]), self[:MOST_TEXT_ROWS])
        text = render(text_rows.headers, text_rows.rows)
        more = len(self) - MOST_TEXT_ROWS
        return f"{text}\n... {more} more row{'' if more == 1 else 's'}" if more > 0 else text

    def _repr_html_(self) -> str:
        if self._html is not None:
            return self._html()
        headers = _shown_order(list(self[0])) if self else []
        return pages().table_html(self.title, headers, [[row[header] for header in headers] for row in self])


def rows_of(table: Table, html: Callable[[], str] | None = None) -> Rows:
    """The rows of a table."""
    return Rows((dict(zip(table.headers, row)) for row in table.rows), table.title, html)


SHOWN_LAST: Final = ("key", "stage", "game", "seed")
"""Columns that few people look at. In the rows themselves they stand further to the front."""


def _fitting(headers: list[str], rows: list[Row]) -> Table:
    """As many columns as fit; ``...`` stands for the others."""
    headers = _shown_order(headers)
    cells = [[_text(row[header]) for header in headers] for row in rows]
    widths = [max(len(header), *(len(row[column]) for row in cells)) for column, header in enumerate(headers)]
    count = len(headers)
    while count > 1 and sum(widths[:count]) + 2 * count > MOST_TEXT_WIDTH:
        count -= 1
    rest = ["..."] if count < len(headers) else []
    values = [tuple(_cell(row[header]) for header in headers[:count]) for row in rows]
    return Table("", (*headers[:count], *rest), tuple((*row, *rest) for row in values))


def _shown_order(headers: list[str]) -> list[str]:
    return sorted(headers, key=lambda header: header in SHOWN_LAST)


def _cell(value: Value) -> str | int | float:
    if isinstance(value, float):
        return round(value, 2)
    return value if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _text(value: Value) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def match_row(match: Outcome) -> Row:
    """One match; ``winner`` is None for a tie and where there is no result, ``counts`` tells which."""
    row: Row = _where(match)
    row |= {f"player_{seat}": team for seat, team in enumerate(match.teams, start=1)}
    row |= {"winner": match.teams[match.winner - 1] if match.winner else None}
    row |= {f"rank_{seat}": rank for seat, rank in enumerate(match.ranks, start=1)}
    row |= {f"score_{seat}": float(score) for seat, score in enumerate(match.scores, start=1)}
    return row | {
        "reason": match.reason,
        "message": match.message,
        "rounds": match.rounds,
        "faults": len(match.faults),
        "counts": match.counts,
        "seconds": float(match.seconds),
    }


def seat_rows(match: Outcome, scoring: Scoring) -> list[Row]:
    """A row for each seat of a match; ``result`` is win, tie, loss, or none where the match does not count."""
    match_points = points(match, scoring)
    rows: list[Row] = []
    for seat, finish in enumerate(finishes(match), start=1):
        result = "win" if finish.place == 1 and finish.sharing == 1 else "tie" if finish.place == 1 else "loss"
        fault = next((fault for fault in match.faults if fault.seat == seat), None)
        rows.append(
            _where(match)
            | {
                "seat": seat,
                "team": match.teams[seat - 1],
                "opponents": ", ".join(team for other, team in enumerate(match.teams, start=1) if other != seat),
                "result": result if match.counts else "none",
                "rank": match.ranks[seat - 1],
                "points": float(match_points[seat - 1]),
                "score": float(match.scores[seat - 1]) if match.scores else None,
                "fault": fault.termination.value if fault else Termination.FORFEIT.value if seat in match.forfeits else None,
                "fault_message": fault.message if fault else match.message if seat in match.forfeits else None,
                "rounds": match.rounds,
                "held": match.held[seat - 1] if match.held else None,
            }
        )
    return rows


def _where(match: Outcome) -> Row:
    """Which match it is; numbers count from 1, as they do everywhere that people read them."""
    return {
        "number": match.place + 1,
        "key": match.key,
        "stage": match.stage,
        "map": match.map,
        "game": match.game + 1,
        "seed": match.seed,
    }
