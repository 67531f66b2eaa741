"""Texts of strangers made fit for a page, and file names made from them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from textwrap import shorten
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts import quantities
from tiltyard_engine.texts.public_text import public_text

LONGEST_NAME: Final = 200
LONGEST_TEXT: Final = 20_000
KEPT: Final = "\n\t"


def harmless(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text without paths of a machine, and without what is no text: controls, marks that turn writing around, halves of pairs.

    It still has to be escaped for the page.
    """
    text = public_text(text)
    if text.isprintable():
        cleaned = text
    else:
        cleaned = "".join(
            "\ufffd" if unicodedata.category(character) == "Cs" else character
            for character in text
            if character in KEPT or unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cn")
        )
    return cleaned if len(cleaned) <= longest else cleaned[: longest - 1] + "…"


def line(text: str, longest: int = LONGEST_NAME) -> str:
    """The text as one harmless line."""
    return " ".join(harmless(text).split())[:longest]


def sentence(text: str, longest: int = LONGEST_NAME) -> str:
    """The text as one harmless line of at most so many characters, which ends with a whole word."""
    whole = line(text, LONGEST_TEXT)
    if len(whole) <= longest:
        return whole
    return shorten(whole, longest, placeholder=" …") if " " in whole[:longest] else f"{whole[: longest - 1]}…"


def slugs(names: Iterable[str]) -> dict[str, str]:
    """A part of a file name for each name: lower-case ASCII letters, digits and hyphens; all different."""
    slug_of: dict[str, str] = {}
    in_use: set[str] = set()
    for name in names:
        if name in slug_of:
            continue
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
        stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "team"
        slug, number = stem, 1
        while slug in in_use:
            number += 1
            slug = f"{stem}-{number}"
        in_use.add(slug)
        slug_of[name] = slug
    return slug_of


def safe_address(address: str) -> str:
    """The address of a link, if a browser cannot run it.

    Raises:
        UserError: it has a scheme other than http, https and mailto.
    """
    # Browsers drop blanks and controls within a scheme, so they must not hide one here.
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", re.sub(r"[\x00-\x20]", "", address).lower())
    if scheme and scheme[1] not in ("http", "https", "mailto"):
        raise UserError(f"the link {address!r} has the scheme '{scheme[1]}': expected http, https, mailto or a relative address")
    return address


def counted(number: int, one: str, several: str = "") -> str:
    """A number with its noun, for a page."""
    return quantities.counted(number, one, several).replace(",", "\u202f")
