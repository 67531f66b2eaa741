"""Tables line by line: the same text as all at once."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tiltyard_engine.errors import NotFoundError
from tiltyard_simulator.output.tables import FORMATS, render, render_lines

HEADERS = ("match", "stage", "a long header", "x")
TEXTS = st.sampled_from(("", "round 1", "=1+1", "a|b*c", "{0}", "<b>", "wide 漢字", "tab\tline\nend", " a much longer name"))
CELLS = st.one_of(st.integers(-(10**6), 10**6), TEXTS)
ROWS = st.lists(st.tuples(CELLS, TEXTS, st.sampled_from(("", 7, 12.5)), TEXTS), max_size=6)


@pytest.mark.parametrize("style", FORMATS)
@given(rows=ROWS)
@settings(deadline=None, max_examples=25)
def test_the_same_as_all_at_once(style: str, rows: list[tuple[int | float | str, ...]]) -> None:
    assert "".join(render_lines(HEADERS, lambda: rows, style)) == f"{render(HEADERS, rows, style)}\n"


def test_no_row_is_kept() -> None:
    given = 0

    def rows() -> object:
        nonlocal given
        for number in range(100):
            given += 1
            yield number, "round 1", 1, "x"

    lines = render_lines(HEADERS, rows, "simple")  # type: ignore[arg-type]
    next(lines)
    assert given == 100
    for _ in range(11):
        next(lines)
    assert given < 120


def test_an_unknown_format() -> None:
    with pytest.raises(NotFoundError):
        list(render_lines(HEADERS, list, "nonsense"))
