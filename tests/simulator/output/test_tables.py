from __future__ import annotations

import csv
import io
import json
import warnings

import pytest
from tests.engine.attack import ATTACK, assert_harmless

from tiltyard_engine.errors import NotFoundError
from tiltyard_simulator.output.tables import FORMATS, Cell, Table, check_format, render, render_all, render_lines

HEADERS = ("name", "points")
ROWS: list[tuple[Cell, ...]] = [("1e5", 3), ("a, b", 12)]


@pytest.mark.parametrize("style", FORMATS)
@pytest.mark.parametrize("rows", [ROWS, []])
def test_every_format_shows_every_row(style: str, rows: list[tuple[Cell, ...]]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = render(HEADERS, rows, style)
    assert isinstance(text, str)
    for row in rows:
        assert str(row[1]) in text


def test_names_stay_names_and_numbers_stand_right() -> None:
    assert render(HEADERS, ROWS, "plain").splitlines() == ["name      points", "1e5            3", "a, b          12"]


def test_csv_and_json_can_be_read_back() -> None:
    assert list(csv.reader(io.StringIO(render(HEADERS, ROWS, "csv")))) == [["name", "points"], ["1e5", "3"], ["a, b", "12"]]
    assert json.loads(render(HEADERS, ROWS, "json")) == [{"name": "1e5", "points": 3}, {"name": "a, b", "points": 12}]


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"])
@pytest.mark.parametrize("style", ["csv", "tsv"])
def test_no_text_is_a_formula_for_a_spreadsheet(style: str, begin: str) -> None:
    evil = f"{begin}cmd|' /C calc'!A0"
    table = Table(evil, (evil, "-n", "n"), ((evil, "a=b", -1), ("-5", "'", -0.5)))
    text = render(table.headers, table.rows, style)
    cells = [
        cell.strip(" ")
        for row in csv.reader(io.StringIO(text, newline=""), delimiter="," if style == "csv" else "\t")
        for cell in row
    ]
    assert len(cells) == 9
    assert {cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d"))} == {"-1", "-0.5"}
    assert {"'-n", "'-5", "a=b", "n", "'"} <= set(cells)
    assert sum("cmd|' /C calc'!A0" in cell for cell in cells) == 2
    assert len(text.splitlines()) == 3
    assert "=" not in {line[:1] for line in render_all([Table("=1+1", ("a",), ())], style).splitlines()}


def test_a_wrong_format_is_named() -> None:
    with pytest.raises(NotFoundError, match="no table format is called 'githb'; did you mean github"):
        check_format("githb")


def test_numbers_with_gaps_stand_right() -> None:
    assert render(("n",), [(1,), ("",), (100,)], "plain").splitlines() == ["  n", "  1", "", "100"]


EVIL = "<b onclick='x'>\x1b[31m|`*[a](b)\\\u202e"


def test_html_is_escaped_in_cells_headers_and_titles() -> None:
    text = render_all([Table(EVIL, (EVIL, "n"), ((EVIL, 1),))], "html")
    assert text.count("&lt;b onclick=") == 3
    assert "<b" not in text
    assert "unsafehtml" not in FORMATS


@pytest.mark.parametrize("style", ["markdown", "github", "pipe"])
def test_markdown_is_escaped(style: str) -> None:
    lines = render_all([Table(EVIL, (EVIL, "n"), (("a\nb", 1),))], style).splitlines()
    assert lines[2].startswith(r"| &lt;b onclick='x'>" + "\N{REPLACEMENT CHARACTER}" + r"\[31m\|\`\*\[a](b)\\")
    assert len({line.replace(r"\|", "").count("|") for line in lines[2:]}) == 1
    assert "a b" in lines[4]


@pytest.mark.parametrize("style", FORMATS)
def test_no_table_commands_a_terminal_nor_forges_a_line(style: str) -> None:
    evil = ATTACK if style != "json" else ATTACK[:100]
    rows = ((EVIL, evil),)
    assert_harmless(render_all([Table(EVIL, (EVIL, evil), rows)], style))
    assert_harmless("".join(render_lines((EVIL, evil), lambda: rows, style)))


def test_json_holds_texts_as_they_were() -> None:
    evil = f"{ATTACK}\ud800\U000e0001"
    assert json.loads(render(("a",), [(evil,)], "json")) == [{"a": evil}]


def test_all_tables_in_one_json_object() -> None:
    tables = [Table("One", HEADERS, tuple(ROWS)), Table("Two", ("x",), ())]
    assert json.loads(render_all(tables, "json")) == {"One": [dict(zip(HEADERS, row)) for row in ROWS], "Two": []}


def test_a_note_stands_below_its_table_whole_and_harmless() -> None:
    note = "=a" + " and so on" * 50
    tables = [Table("One", HEADERS, tuple(ROWS), f"{note} <b>"), Table("Two", HEADERS, ())]
    texts = {style: render_all(tables, style) for style in ("simple", "csv", "html", "markdown", "json")}
    assert f"12\n\n{note} <b>\n\nTwo\n\n" in texts["simple"]
    assert f"\n\n'{note} <b>\n\nTwo\n\n" in texts["csv"]
    assert f"</table>\n\n<p>{note} &lt;b&gt;</p>\n\n<h2>Two" in texts["html"]
    assert f"\n\n{note} &lt;b>\n\n## Two" in texts["markdown"]
    assert json.loads(texts["json"])["notes"] == [f"{note} <b>"]


def test_titles_stand_above() -> None:
    table = Table("One & two", ("x",), ((1,),))
    heads = {style: render_all([table, table], style).splitlines()[0] for style in ("simple", "csv", "markdown", "html")}
    assert heads == {"simple": "One & two", "csv": "One & two", "markdown": "## One &amp; two", "html": "<h2>One &amp; two</h2>"}
