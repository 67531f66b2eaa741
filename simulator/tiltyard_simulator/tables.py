"""Tables for people and for pipes, by tabulate; CSV and JSON by the standard library."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Final

from tabulate import tabulate, tabulate_formats

from tiltyard_engine.errors import NotFoundError

FORMATS: Final = ("csv", "json", *tabulate_formats)
"""Names of table formats."""

PROGRAM_FORMATS: Final = ("csv", "json", "tsv")
"""Those that programs read: nothing else may stand beside them."""

Cell = str | int | float


def render(headers: Sequence[str], rows: Sequence[Sequence[Cell]], style: str = "simple") -> str:
    """A table as text; ``style`` is one of FORMATS.

    Raises:
        NotFoundError: there is no such format.
    """
    if style == "csv":
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(headers)
        writer.writerows(rows)
        return text.getvalue().rstrip("\n")
    if style == "json":
        return json.dumps([dict(zip(headers, row)) for row in rows], indent=2, ensure_ascii=False)
    check_format(style)
    # Names such as "1e5" are names: numbers are only what is a number already.
    return tabulate([list(row) for row in rows], list(headers), tablefmt=style, disable_numparse=True, colalign=_align(rows))


def check_format(style: str) -> None:
    """Raise NotFoundError for a format that does not exist, before anything is played."""
    if style not in FORMATS:
        raise NotFoundError("table format", style, FORMATS)


def _align(rows: Sequence[Sequence[Cell]]) -> list[str] | None:
    if not rows:
        return None
    return ["right" if all(isinstance(row[column], int | float) for row in rows) else "left" for column in range(len(rows[0]))]
