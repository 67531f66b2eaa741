from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_viewer.drawing.text import clean, cut, fit, visible_width


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07bob", "]0;titlebob"),
        ("\x1b[2J\x1b[Hgone", "gone"),
        ("\x9b31mred", "red"),
        ("\x1b\x1b[m[31mnested", "[31mnested"),
        ("two\r\nlines\tand tab", "two  lines and tab"),
        ("\u202eright to left", "right to left"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("a" + "\u0301" * 50, "\xe1\u0301\u0301"),
        ("a\u200d\u0301", "\xe1"),
        ("\ud800", ""),
    ],
)
def test_text_can_do_nothing_but_be_seen(hostile: str, harmless: str) -> None:
    assert clean(hostile) == harmless


def test_without_unicode_only_ascii_is_left() -> None:
    assert clean("Дэвид é", unicode=False) == "????? ?"


@given(st.text())
def test_clean_text_has_no_control_characters_and_stays_as_it_is(text: str) -> None:
    once = clean(text)
    assert not [character for character in once if unicodedata.category(character)[0] == "C"]
    assert clean(once) == once
    assert clean(text, unicode=False).isascii()


@given(st.text(), st.integers(0, 30))
def test_fitted_text_is_exactly_as_wide_as_asked(text: str, columns: int) -> None:
    assert visible_width(fit(clean(text), columns, "…")) == columns


def test_cut_text_says_that_it_was_cut() -> None:
    assert cut("a long name", 6, "…") == "a lon…"
    assert cut("short", 6, "…") == "short"
    assert cut("東京東京", 6, "...") == "東..."
    assert cut("anything", 2, "...") == ".."
