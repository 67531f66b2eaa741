from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.wording import escaped, lines, one_line, printable

ANYTHING = st.text(st.characters(), max_size=60)
"""Surrogates too."""


@given(ANYTHING)
def test_one_line_can_be_printed_anywhere(text: str) -> None:
    assert one_line(text).isprintable()
    one_line(text).encode()


@given(ANYTHING)
def test_lines_keep_their_ends(text: str) -> None:
    shown = lines(text)
    assert shown.count("\n") == text.count("\n")
    assert shown.replace("\n", "").replace("\t", "").isprintable()


@given(ANYTHING)
def test_printable_text_is_as_long_as_it_was(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert len(shown) == len(text)
    assert all(new == old for new, old in zip(shown, text) if old.isprintable())


@given(ANYTHING)
def test_escapes_say_what_was_there(text: str) -> None:
    shown = escaped(text)
    assert shown.replace("\t", "").isprintable()
    if "\\" not in text and text.isascii():
        assert shown.encode().decode("unicode_escape") == text


def test_escapes() -> None:
    assert escaped("a\tb\x1b[2J\r\u202e\u00e9") == "a\tb\\x1b[2J\\r\\u202e\u00e9"


def test_what_is_too_long_is_cut_in_the_middle() -> None:
    assert one_line("a" * 50 + "b" * 50, 10) == "aaaaa ... bbbbb"
    assert len(lines("x\n" * 10**6)) < 10**5


def test_plain_words_stay_as_they_are() -> None:
    assert one_line("caf\u00e9: cannot be read") == "caf\u00e9: cannot be read"
    assert lines("Traceback\n\tat 3\n") == "Traceback\n\tat 3\n"
