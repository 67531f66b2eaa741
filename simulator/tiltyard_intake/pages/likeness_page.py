"""The page for the organiser with works that are alike: both places side by side, and no judgement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import BadZipFile, ZipFile

from tiltyard_engine.errors import file_errors
from tiltyard_intake.pages.whole_page import whole_page
from tiltyard_intake.report.team_report import IntakeReport
from tiltyard_intake.similarity.comparison import LEAST_SHARE
from tiltyard_intake.similarity.fingerprints import MOST_BYTES
from tiltyard_intake.similarity.likeness import Likeness, Pair, percent
from tiltyard_intake.similarity.tokens import text_of
from tiltyard_simulator.output.result_files import write_over

LIKENESS_PAGE: Final = "alike.html"
MOST_LINES: Final = 80
"""Of one passage that are shown."""
MOST_LINES_OF_PAGE: Final = 30_000
"""Passages behind them are only named."""
LONGEST_LINE: Final = 300
HALF: Final = 0.5
"""Works of which more was left out are named."""


@dataclass(frozen=True, slots=True)
class ExcerptPlace:
    """One side of a passage."""

    file: str
    first: int
    last: int
    lines: list[str]
    """Empty if they aren't shown."""
    more: int
    """How many more lines there are."""


def write_likeness_page(report: IntakeReport, folder: Path, name: str) -> None:
    """Write the page, or remove that of an earlier intake if no works are alike now.

    Args:
        report: of the whole class.
        folder: the folder of reports, with copies of the sources.
        name: of the class, for the page's title.

    Raises:
        UserError: it can't be written.
    """
    path = folder / LIKENESS_PAGE
    if report.likeness is not None and report.likeness.pairs:
        write_over(path, likeness_page(report, report.likeness, folder, name))
    else:
        with file_errors(path, "removed"):
            path.unlink(missing_ok=True)


def likeness_page(report: IntakeReport, likeness: Likeness, folder: Path, name: str) -> str:
    """The page as HTML."""
    sources = _Sources({team.team: folder / team.sources for team in report.teams if team.sources})
    largely_left_out = sorted(((share, team) for team, share in likeness.left_out.items() if share > HALF), reverse=True)
    return whole_page(
        "alike.html",
        name=name,
        game=report.game,
        likeness=likeness,
        labels={team.team: team.label for team in report.teams},
        pairs=[(pair, list(sources.places(pair))) for pair in likeness.pairs],
        largely_left_out=largely_left_out,
        least=percent(LEAST_SHARE),
    )


class _Sources:
    """What is shown of the works."""

    def __init__(self, zips: Mapping[str, Path]) -> None:
        self._zips = zips
        self._left = MOST_LINES_OF_PAGE

    def places(self, pair: Pair) -> Iterator[tuple[ExcerptPlace, ExcerptPlace]]:
        """The passages of a pair, each with its two sides."""
        texts: dict[tuple[str, str], list[str]] = {}
        for each in pair.passages:
            sides = (
                (pair.team, each.file, each.first, each.last),
                (pair.other, each.other_file, each.other_first, each.other_last),
            )
            for team, file, *_ in sides:
                if (team, file) not in texts:
                    texts[team, file] = self._text(team, file)
            one, other = (self._place(texts[team, file], file, first, last) for team, file, first, last in sides)
            yield one, other

    def _place(self, text: list[str], file: str, first: int, last: int) -> ExcerptPlace:
        excerpt = text[first - 1 : min(last, first - 1 + MOST_LINES)] if self._left > 0 else []
        self._left -= len(excerpt)
        cut = [line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…" for line in excerpt]
        return ExcerptPlace(file, first, last, cut, last - first + 1 - len(excerpt))

    def _text(self, team: str, file: str) -> list[str]:
        """The lines of a file; none if the copy is gone."""
        try:
            with ZipFile(self._zips[team]) as archive:
                if archive.getinfo(file).file_size > MOST_BYTES:
                    return []
                return text_of(file, archive.read(file)).split("\n")
        except (OSError, BadZipFile, KeyError):
            return []
