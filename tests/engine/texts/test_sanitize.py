from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tiltyard_engine.texts.sanitize import escaped, lines, one_line, printable, quoted, shortened, with_own_options

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


@given(ANYTHING)
def test_quoted_lines_cannot_be_taken_for_ours(text: str) -> None:
    shown = quoted(text).split("\n")
    assert len(shown) == text.rstrip("\n").count("\n") + 1
    assert all(line.startswith("  |") for line in shown)
    assert all(line.replace("\t", "").isprintable() for line in shown)


def test_a_quote_is_of_a_length_that_people_read() -> None:
    assert quoted("a\n\nb\x07\r\n", "> ") == "> a\n>\n> b\\x07\\r"
    shown = quoted("\n".join(f"line {number} {'x' * 1_500}" for number in range(10_000)))
    lines_shown = shown.split("\n")
    assert len(lines_shown) == 401
    assert lines_shown[200] == "  | ... 9600 lines ..."
    assert lines_shown[-1].startswith("  | line 9999 xxx")
    assert max(map(len, lines_shown)) < 1_020


def test_a_long_line_of_escapes_is_cut_as_all_others() -> None:
    text = "".join(f"\x07{number}" for number in range(2_000))
    assert quoted(text, "") == shortened(escaped(text), 1_000)
    assert quoted(text[:999], "") == shortened(escaped(text[:999]), 1_000)
    assert one_line(text) == printable(shortened(text, 2_000))
    assert quoted(10_000_000 * "x", "") == f"{500 * 'x'} ... {500 * 'x'}"


def test_what_is_too_long_is_cut_in_the_middle() -> None:
    assert one_line("a" * 50 + "b" * 50, 10) == "aaaaa ... bbbbb"
    assert len(lines("x\n" * 10**6)) < 10**5


def test_plain_words_stay_as_they_are() -> None:
    assert one_line("caf\u00e9: cannot be read") == "caf\u00e9: cannot be read"
    assert lines("Traceback\n\tat 3\n") == "Traceback\n\tat 3\n"


def test_messages_of_limits_name_the_option_that_the_command_has() -> None:
    seconds = {"move_seconds": "--seconds", "wall_factor": "--seconds"}
    told = "choose used 1 s (limit move_seconds=1: seconds of CPU time a call; --limit move_seconds=N allows more)"
    assert with_own_options(told, seconds).endswith("(limit move_seconds=1: seconds of CPU time a call; --seconds N allows more)")
    told = "out of memory (limit memory_bytes=9: memory; --limit manager:memory_bytes=N allows more)"
    assert with_own_options(told, seconds) == "out of memory (limit memory_bytes=9: memory)"
    assert (
        with_own_options("more than 3 processes: killed (--limit processes=N allows more)", seconds)
        == "more than 3 processes: killed"
    )
    assert with_own_options("its own words: --limit is none", seconds) == "its own words: --limit is none"
