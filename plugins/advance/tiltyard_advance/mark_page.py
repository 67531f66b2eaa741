"""The report as pages: one for a bot, and for a class a table with a page for each. Each page stands alone. Needs jinja2."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from tiltyard_advance.board_files import rows_of
from tiltyard_advance.mark_report import SAID_LINES, MarkSheet, differing, games_line
from tiltyard_advance.marks import SPANS, Answer, BotMark
from tiltyard_advance.positions import SIDES
from tiltyard_engine.texts.sanitize import lines, quoted

PAGES: Final = "mark_pages"
CLASS_PAGE: Final = "report.html"
BOT_FOLDER: Final = "bots"


def write_pages(sheet: MarkSheet, folder: Path) -> Path:
    """Write the pages; returns the one to begin with.

    Raises:
        OSError: they cannot be written.
    """
    start = folder / CLASS_PAGE
    if len(sheet.marks) == 1:
        start.write_text(bot_page(sheet, sheet.marks[0]), encoding="utf-8")
        return start
    files = page_names([mark.label for mark in sheet.marks])
    (folder / BOT_FOLDER).mkdir(exist_ok=True)
    for mark, file in zip(sheet.marks, files, strict=True):
        (folder / BOT_FOLDER / file).write_text(bot_page(sheet, mark, f"../{CLASS_PAGE}"), encoding="utf-8")
    start.write_text(class_page(sheet, [f"{BOT_FOLDER}/{file}" for file in files]), encoding="utf-8")
    return start


def page_names(labels: Sequence[str]) -> list[str]:
    """A file name for each label; all different."""
    names: list[str] = []
    for label in labels:
        stem = re.sub(r"[^A-Za-z0-9]+", "-", label).strip("-").lower()[:60] or "bot"
        name, number = f"{stem}.html", 1
        while name in names:
            number += 1
            name = f"{stem}-{number}.html"
        names.append(name)
    return names


def bot_page(sheet: MarkSheet, mark: BotMark, back: str = "") -> str:
    """All that is known of one bot; ``back`` is the address of the class's page."""
    failures = [_failure(answer) for result in mark.levels for answer in result.failures]
    return _render(
        "bot.html.jinja",
        sheet=sheet,
        mark=mark,
        percent=f"{mark.percent(sheet.per_win):g}",
        steps=_steps(mark),
        games=games_line(mark) if mark.games else "",
        sides=SIDES,
        failures=failures,
        back=back,
    )


def class_page(sheet: MarkSheet, addresses: Sequence[str]) -> str:
    """The table of a class."""
    rows = [
        {
            "mark": mark,
            "percent": f"{mark.percent(sheet.per_win):.1f}",
            "steps": _steps(mark),
            "address": address,
            "flags": mark.flags(),
        }
        for mark, address in zip(sheet.marks, addresses, strict=True)
    ]
    return _render("class.html.jinja", sheet=sheet, rows=rows, levels=list(SPANS))


def _steps(mark: BotMark) -> list[dict[str, Any]]:
    """The results level by level, with the levels that were not asked."""
    results = {result.level: result for result in mark.levels}
    hidden = {result.level: result for result in mark.hidden}
    return [
        {"level": level, "result": results.get(level), "hidden": hidden.get(level), "low": low, "high": high}
        for level, (low, high) in SPANS.items()
    ]


def _failure(answer: Answer) -> dict[str, Any]:
    test = answer.test
    marked = differing(answer)
    boards = [("board", rows_of(test.board), frozenset()), ("expected", rows_of(test.expected), marked)]
    if answer.got:
        boards.append(("got", rows_of(answer.got), marked))
    return {"answer": answer, "side": SIDES[test.side], "boards": boards, "said": quoted(answer.stderr, "", SAID_LINES)}


def _render(name: str, **values: Any) -> str:
    environment = Environment(
        loader=FunctionLoader(_template),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_as_markup,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name).render(**values)


def _as_markup(value: Any) -> Any:
    """A value as a template shows it. Texts may be a bot's own, so they are made harmless."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    return lines(value)


def _template(name: str) -> str:
    return resources.files("tiltyard_advance").joinpath(PAGES, name).read_text(encoding="utf-8")
