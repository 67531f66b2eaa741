"""Names as people compare them: one name whatever the system that wrote it, and names that only look the same."""

from __future__ import annotations

import hashlib
import os
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from tiltyard_engine.texts.sanitize import LONGEST_NAME, one_line

LONGEST_FILE_NAME: Final = 255
"""Bytes, on the usual file systems."""
_DRAWN_ALIKE: Final = {
    "A": "\u0391\u0410",
    "B": "\u0392\u0412",
    "C": "\u03f9\u0421",
    "E": "\u0395\u0415",
    "H": "\u0397\u041d",
    "J": "\u037f\u0408",
    "K": "\u039a\u041a",
    "M": "\u039c\u041c",
    "N": "\u039d",
    "O": "0\u039f\u041e\u0555",
    "P": "\u03a1\u0420",
    "Q": "\u051a",
    "S": "\u0405\u054f",
    "T": "\u03a4\u0422",
    "U": "\u054d",
    "V": "\u0474",
    "W": "\u051c",
    "X": "\u03a7\u0425",
    "Y": "\u03a5\u0423\u04ae",
    "Z": "\u0396",
    "a": "\u0251\u03b1\u0430",
    "c": "\u03f2\u0441",
    "d": "\u0501",
    "e": "\u0435",
    "g": "\u0261\u0581",
    "h": "\u04bb\u0570",
    "i": "\u0131\u03b9\u0456",
    "j": "\u03f3\u0458",
    "l": "I1|\u0399\u0406\u04c0\u01c0",
    "n": "\u0578",
    "o": "\u03bf\u03c3\u043e\u0585",
    "p": "\u03c1\u0440",
    "q": "\u051b\u0563",
    "r": "\u0433",
    "s": "\u0455",
    "u": "\u03c5\u057d",
    "v": "\u03bd\u0475",
    "w": "\u0461\u051d",
    "x": "\u0445",
    "y": "\u03b3\u0443\u04af",
}
"""Letters, and what looks like them in Latin, Greek, Cyrillic and Armenian. Source: confusables.txt of UTS #39, the usual ones."""
_LETTERS: Final = {ord(sign): letter for letter, signs in _DRAWN_ALIKE.items() for sign in signs}
_BLANK: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What shows nothing and is no format character: joiners and fillers of scripts."""
_MOST_SIGNS: Final = 3
"""So many signs in which two names differ are named."""


def normal(name: str) -> str:
    """The name in the form that names are compared in (NFC): macOS may write an accent as a sign of its own."""
    return unicodedata.normalize("NFC", name)


def is_same(one: str, other: str) -> bool:
    """Whether two names are one."""
    return one == other or normal(one) == normal(other)


def as_it_lies(path: Path) -> Path:
    """The path of a file or folder whose name the disk has in another form; else the path as it is."""
    if not path.name.isascii() and not path.exists() and path.parent.is_dir():
        return next((other for other in sorted(path.parent.iterdir()) if is_same(other.name, path.name)), path)
    return path


def file_name(stem: str, suffix: str = "", room: int = 0) -> str:
    """A file's name; of a stem that is too long the start, with a digest of all of it, so that two never become one.

    Args:
        stem: of any length.
        suffix: what the name ends with.
        room: bytes that must stay free for what is added later.
    """
    most = LONGEST_FILE_NAME - len(os.fsencode(suffix)) - room
    data = stem.encode("utf-8", "surrogateescape")
    if len(data) <= most:
        return stem + suffix
    digest = hashlib.sha256(data).hexdigest()[:12]
    return f"{data[: most - len(digest) - 1].decode('utf-8', 'ignore')}-{digest}{suffix}"


def alike(names: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Pairs of names that differ but look alike, and in what they differ. A name comes in one pair with one before it."""
    first_by_key: dict[str, str] = {}
    for name in dict.fromkeys(map(normal, names)):
        keys = _keys(name)
        other = next((first_by_key[key] for key in keys if key in first_by_key), None)
        if other is not None:
            yield other, name, _difference(other, name)
        for key in keys:
            first_by_key.setdefault(key, name)


def _keys(name: str) -> tuple[str, str]:
    """How it reads without regard to capitals, and how it looks."""
    signs = unicodedata.normalize("NFKD", name)
    visible = " ".join("".join(sign for sign in signs if not _is_invisible(sign)).split())
    return f"read {visible.casefold()}", f"look {visible.translate(_LETTERS).casefold().replace('rn', 'm')}"


def _is_invisible(sign: str) -> bool:
    kind = unicodedata.category(sign)
    is_variation = kind == "Mn" and "VARIATION SELECTOR" in unicodedata.name(sign, "")
    return kind in ("Cf", "Cc") or sign in _BLANK or is_variation


def _difference(one: str, other: str) -> str:
    if one.casefold() == other.casefold():
        return "in capital letters alone"
    signs = sorted(set(one) ^ set(other), key=lambda sign: (sign.isascii(), sign))
    names = [unicodedata.name(sign, f"U+{ord(sign):04X}") for sign in signs if not sign.isascii()] or [
        f"'{sign}'" for sign in signs
    ]
    return f"in {', '.join(names[:_MOST_SIGNS]) or 'spaces'}"


def looks_like(one: str, other: str, difference: str) -> str:
    """A sentence on two names of ``alike``."""
    return f"'{one_line(one, LONGEST_NAME)}' and '{one_line(other, LONGEST_NAME)}' look alike and differ {difference}"
