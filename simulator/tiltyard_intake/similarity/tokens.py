"""Source code as what stays of it when comments, layout and names are changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from enum import Enum, auto
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from pygments.lexer import Lexer
from pygments.lexers import find_lexer_class_for_filename, get_lexer_by_name
from pygments.token import Comment, Error, Keyword, Literal, Name, Operator, _TokenType, is_token_subtype
from pygments.util import ClassNotFound

NOTEBOOK: Final = ".ipynb"
C_FAMILY: Final = frozenset(".c .h .cc .hh .cpp .hpp .cxx .hxx .c++ .inl .ipp".split())  # noqa: SIM905
"""Endings read as C++: a file of C that is now called ``.cpp`` stays the same."""
NAME: Final = "n"
"""Stands for every name ..."""
TEXT: Final = "s"
"""... and this for every text in quotes."""
LONGEST_KEYWORD: Final = 30
PARTS: Final = re.compile(r"\w+|[^\w\s]")


class Use(Enum):
    """What becomes of the tokens of a lexer."""

    IGNORED = auto()
    TEXT = auto()
    NUMBER = auto()
    OTHER = auto()


@lru_cache(maxsize=64)
def _lexer(ending: str) -> Lexer | None:
    if ending in C_FAMILY:
        ending = ".cpp"
    if ending == NOTEBOOK:
        ending = ".py"
    kind: type[Lexer] | None = find_lexer_class_for_filename(f"x{ending}")
    return kind() if kind is not None else None


@lru_cache(maxsize=64)
def _lexer_of_script(program: str) -> Lexer | None:
    try:
        lexer: Lexer = get_lexer_by_name(program.rstrip("0123456789."))
    except ClassNotFound:
        return None
    return lexer


def lexer_of(name: str, read: Callable[[], bytes]) -> Lexer | None:
    """What takes a source file apart; None if its language isn't known.

    Args:
        name: of the file.
        read: gives what is in it. That is asked only without an ending: a script says in its first line what runs it.
    """
    ending = PurePosixPath(name).suffix.lower()
    if ending:
        return _lexer(ending)
    data = read()
    if not data.startswith(b"#!"):
        return None
    words = data[2:200].partition(b"\n")[0].decode("ascii", "ignore").split()
    return _lexer_of_script(words[-1].rpartition("/")[2]) if words else None


def text_of(name: str, data: bytes) -> str:
    """The text of a source file, with the lines that people count. Of a notebook it is that of all its code cells."""
    text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n")
    if PurePosixPath(name).suffix.lower() != NOTEBOOK:
        return text
    try:
        cells = json.loads(text)["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""
    return "\n".join(codes)


class Tokens(NamedTuple):
    """The tokens of a file, and where in its text each begins."""

    words: list[str]
    places: list[int]


def tokens_of(text: str, lexer: Lexer) -> Tokens:
    """What a text consists of.

    Left out: comments, documentation, layout, and lines for a preprocessor. Names are all the same, and so are texts in quotes.
    The lexer only tells where texts and comments are. Whether a word is a name is told from the word, and signs come one by one:
    what lexers make of words and signs depends on the layout.
    """
    words: list[str] = []
    places: list[int] = []
    was_text = False
    parts: dict[str, tuple[str, ...]] = {}
    for place, kind, piece in lexer.get_tokens_unprocessed(text):
        use = _use(kind)
        if use is Use.IGNORED or piece.isspace() or not piece:
            continue
        if use is Use.TEXT:
            # It comes in pieces.
            if not was_text:
                words.append(TEXT)
                places.append(place)
            was_text = True
            continue
        was_text = False
        if use is Use.NUMBER:
            words.append(piece)
            places.append(place)
            continue
        inside = parts.get(piece)
        if inside is None:
            inside = parts[piece] = tuple(NAME if _is_name(part, lexer) else part for part in PARTS.findall(piece))
        words += inside
        places += (place,) * len(inside)
    return Tokens(words, places)


@lru_cache(maxsize=1024)
def _use(kind: _TokenType) -> Use:
    if any(is_token_subtype(kind, each) for each in (Comment, Literal.String.Doc, Error)):
        return Use.IGNORED
    if is_token_subtype(kind, Literal.String) and not is_token_subtype(kind, Literal.String.Interpol):
        return Use.TEXT
    return Use.NUMBER if is_token_subtype(kind, Literal.Number) else Use.OTHER


@lru_cache(maxsize=1 << 16)
def _is_name(part: str, lexer: Lexer) -> bool:
    """Whether a word is a name: the lexer takes it for no word of the language where it stands alone."""
    if not part.isidentifier():
        return False
    if len(part) > LONGEST_KEYWORD:
        return True
    kind = next((kind for _, kind, piece in lexer.get_tokens_unprocessed(part) if piece == part), Name)
    return not (is_token_subtype(kind, Keyword) or is_token_subtype(kind, Operator))
