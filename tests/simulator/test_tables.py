from __future__ import annotations

import csv
import io
import json
import warnings

import pytest

from tiltyard_engine.errors import NotFoundError
from tiltyard_simulator.tables import FORMATS, Cell, check_format, render

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


def test_a_wrong_format_is_named() -> None:
    with pytest.raises(NotFoundError, match="no table format is called 'githb'; did you mean github"):
        check_format("githb")
