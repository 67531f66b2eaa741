"""Where text of strangers becomes text for people: safe for tables and terminals, of a length that people read.

What is stored and exported stays as it was; whatever prints it, or writes it for people, takes it through here. ``one_line`` is for
what stands in a sentence, ``quoted`` for what has lines of its own, such as a traceback, ``cell_text`` and ``spreadsheet_cell`` for
tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Final

LONGEST_NAME: Final = 100
LONGEST_REASON: Final = 2_000
LONGEST_DETAIL: Final = 80_000
LONGEST_LINE: Final = 1_000
MOST_LINES: Final = 400
FORMULA_SIGNS: Final = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""Signs at the start of a formula in a spreadsheet, with their wide forms."""
_OPTION: Final = re.compile(r"(; | \()--limit (?:manager:)?(\w+)=N allows more(\)?)")
_REPLACEMENT: Final = "\N{REPLACEMENT CHARACTER}"


def one_line(text: str, longest: int = LONGEST_REASON) -> str:
    """The text on one line, without control characters and what cannot be encoded; a text that is too long is cut in the middle."""
    if " " not in text and len(text) <= longest and text.isprintable():
        # Nearly all names and versions, of which a list of plugins has thousands.
        return text
    return printable(shortened(" ".join(text.split()), longest))


def printable(text: str) -> str:
    """The text, as long as it was, with each character that could control a terminal replaced, line breaks and tabs too."""
    return text if text.isprintable() else "".join(map(_safe, text))


def escaped(text: str) -> str:
    """The text with such characters as escapes, as in a Python string, for when it matters what they were; tabs stay."""
    if text.isprintable():
        return text
    return "".join(sign if sign.isprintable() or sign == "\t" else sign.encode("unicode_escape").decode() for sign in text)


def cell_text(text: str) -> str:
    """The text for a cell of a table: one line, no control characters, cut in the middle if it is too long."""
    return one_line(text, LONGEST_LINE) if "\n" in text or "\r" in text or len(text) > LONGEST_LINE else printable(text)


def whole_line(text: str) -> str:
    """The text on one line as ``one_line``, whole however long it is: for a reason that somebody has to act on."""
    return printable(" ".join(text.split()))


def spreadsheet_cell(text: str, *, is_whole: bool = False) -> str:
    """As ``cell_text`` or ``whole_line``, for CSV and TSV, with an apostrophe before what a spreadsheet would read as a formula.

    Source: OWASP, CSV injection.
    """
    safe = whole_line(text) if is_whole else cell_text(text).strip()
    return f"'{safe}" if safe.startswith(FORMULA_SIGNS) else safe


def json_escaped(text: str) -> str:
    """A text that is JSON, with all that could control a terminal as JSON's own escapes: it reads back as the same values."""
    return text if text.replace("\n", "").isprintable() else "".join(map(_json_escaped, text))


def _json_escaped(character: str) -> str:
    if character.isprintable() or character in "\n\t":
        return character
    return json.dumps(character)[1:-1]


def with_own_options(text: str, options: Mapping[str, str]) -> str:
    """A message about limits as a command says it that has no ``--limit``.

    Args:
        text: the message.
        options: by limit, the command's option for it. Where it has none, none is named.
    """

    def own(match: re.Match[str]) -> str:
        start, limit, end = match.groups()
        if limit in options:
            return f"{start}{options[limit]} N allows more{end}"
        return "" if start == " (" else end

    return _OPTION.sub(own, text)


def quoted(text: str, margin: str = "  | ", last: int = 0) -> str:
    """The lines of a text behind a margin, so that none can be taken for one of ours; if ``last`` isn't 0, only its last ones.

    Control characters become escapes, lines that are too long are cut in the middle, and so is a text of too many lines.
    """
    lines = text.rstrip("\n").split("\n")[-last:]
    if len(lines) > MOST_LINES:
        half = MOST_LINES // 2
        lines[half:-half] = [f"... {len(lines) - 2 * half} lines ..."]
    return "\n".join(f"{margin}{shortened(escaped(_ends(line)), LONGEST_LINE)}".rstrip() for line in lines)


def _ends(line: str) -> str:
    """What can be seen of a line that will be cut, before each character is looked at: a team may print one of any length."""
    return line if len(line) <= 2 * LONGEST_LINE else line[:LONGEST_LINE] + line[-LONGEST_LINE:]


def lines(text: str, longest: int = LONGEST_DETAIL) -> str:
    """The text with such characters replaced, but for line breaks and tabs; cut in the middle like ``one_line``."""
    return "".join(character if character in "\n\t" else _safe(character) for character in shortened(text, longest))


def _safe(character: str) -> str:
    return character if character.isprintable() else _REPLACEMENT


def shortened(text: str, longest: int) -> str:
    """The text, cut in the middle if it is too long."""
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 2 :]}"
