"""The fingerprints of a work: a sample of all its passages, chosen so that equal passages give equal fingerprints.

Source: S. Schleimer, D. S. Wilkerson, A. Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD 2003.
"""

from __future__ import annotations

import hashlib
import re
import zlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, repeat
from typing import Final, NamedTuple

import msgspec

from tiltyard_intake.similarity.tokens import lexer_of, text_of, tokens_of

VERSION: Final = 1
"""Changes with what makes other fingerprints of the same sources."""
PASSAGE: Final = 16
"""Tokens of a passage that has a fingerprint; what is shorter is never called the same."""
WINDOW: Final = 12
"""Of so many passages that begin one after the other, one is chosen: so equal code of 27 tokens is always noticed."""
FEWEST_KINDS: Final = 6
"""Different tokens in a passage: tables of numbers are alike in all programs."""
MOST_BYTES: Final = 1 << 20
"""Of one work. Its smallest files come first: libraries that were copied whole are large."""
PRIME: Final = (1 << 61) - 1
BASE: Final = 1_000_003


class SourceFile(NamedTuple):
    """A file of a work."""

    name: str
    size: int
    read: Callable[[], bytes]


class Fingerprints(msgspec.Struct, frozen=True, kw_only=True):
    """The fingerprints of one work, file by file."""

    files: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Of each file."""
    digests: tuple[bytes, ...] = ()
    """Of all tokens of each file. A work without sources has those of what lies there."""
    tokens: int = 0
    hashes: bytes = b""
    """A number of 64 bits for each fingerprint."""
    places: bytes = b""
    """Four numbers of 32 bits for each: the file, its first token there, its first line, its last line."""
    left_out: tuple[str, ...] = ()
    """Source files that are too large to be compared."""
    failure: str = ""
    """Why it couldn't be read within the bounds."""


def fingerprints_of(files: Iterable[SourceFile], most_bytes: int = MOST_BYTES) -> Fingerprints:
    """Take the fingerprints of a work.

    Args:
        files: its source files.
        most_bytes: of them together; more are left out.
    """
    names: list[str] = []
    languages: list[str] = []
    digests: list[bytes] = []
    left_out: list[str] = []
    hashes, places = array("Q"), array("i")
    count = bytes_read = 0
    for file in sorted(files, key=lambda each: (each.size, each.name)):
        lexer = lexer_of(file.name, file.read)
        if lexer is None:
            continue
        bytes_read += file.size
        if bytes_read > most_bytes:
            left_out.append(file.name)
            continue
        text = text_of(file.name, file.read())
        tokens = tokens_of(text, lexer)
        seed = zlib.crc32(lexer.name.encode())
        number_of = {word: zlib.crc32(word.encode("utf-8", "replace"), seed) for word in set(tokens.words)}
        numbers = array("Q", map(number_of.__getitem__, tokens.words))
        ends = [match.start() for match in re.finditer("\n", text)]
        for at, value in winnowed(numbers):
            first, last = (bisect_left(ends, tokens.places[place]) + 1 for place in (at, at + PASSAGE - 1))
            hashes.append(value)
            places.extend((len(names), at, first, last))
        count += len(numbers)
        names.append(file.name)
        languages.append(lexer.name)
        digests.append(hashlib.sha256(numbers.tobytes()).digest())
    return Fingerprints(
        files=tuple(names),
        languages=tuple(languages),
        digests=tuple(digests),
        tokens=count,
        hashes=hashes.tobytes(),
        places=places.tobytes(),
        left_out=tuple(left_out),
    )


def winnowed(tokens: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The fingerprints of a file: where each begins, and its number. Of each window it is the least, of equal ones the last."""
    values = _hashes(tokens)
    position, least = -1, 0
    for end, value in enumerate(values):
        if end < WINDOW - 1 and end < len(values) - 1:
            continue
        start = max(0, end - WINDOW + 1)
        if position < start:
            window = values[start : end + 1]
            least = min(window)
            position = max(place for place, each in enumerate(window, start) if each == least)
        elif value <= least:
            position, least = end, value
        else:
            continue
        if len(set(tokens[position : position + PASSAGE])) >= FEWEST_KINDS:
            yield position, least


def _hashes(tokens: Sequence[int]) -> list[int]:
    """A number of 61 bits for each passage, from that of the one before."""
    top = pow(BASE, PASSAGE, PRIME)
    value = 0
    values: list[int] = []
    for token, leaving in zip(tokens, chain(repeat(0, PASSAGE), tokens)):
        value = (value * BASE + token - leaving * top) % PRIME
        values.append(value)
    return values[PASSAGE - 1 :]
