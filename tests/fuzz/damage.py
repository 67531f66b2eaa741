"""Damage: from inputs that readers take, inputs that somebody may hand in by mistake, after an accident, or to do harm."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, Final, TypeAlias

import msgspec
from tests.fuzz.archive_fields import packed_fields, tar_fields, zip_fields

NUMBERS: Final = (
    0,
    1,
    -1,
    2,
    99,
    1 << 31,
    (1 << 63) - 1,
    -(1 << 63),
    1 << 63,
    1 << 64,
    10**30,
    0.5,
    1e308,
    float("inf"),
    float("nan"),
)
DIGITS: Final = (
    *(str(number).encode() for number in NUMBERS),
    b"9" * 5000,
    b"1e999",
    b"0x10",
    b"007",
    b"1_0",
    *("²１٣".encode().split()),
)
TEXTS: Final = (
    "",
    " ",
    "\0",
    "a\0b",
    "\r",
    "\u2028",
    "\x85",
    "\x1b[2J",
    "\ufeff",
    "\ud800",
    "İ",
    "²",
    "é" * 300,
    "../..",
    "/",
    "-",
    "'",
    "a" * 70_000,
)
ODD: Final = (
    *(text.encode("utf-8", "surrogatepass") for text in TEXTS),
    b"\xff",
    b"\r\n",
    b"\n\n",
    b'"',
    b"[",
    b"{",
    b"&a",
    b"*a",
    b"%00",
    b"$",
    b"#!/\0",
)
NESTED: Final = ((b"[", b"]"), (b'{"a":', b"}"), (b"{a: ", b"}"), (b"(", b")"), (b"\x91", b""), (b"- ", b""), (b"a.", b""))
DEPTHS: Final = (20, 300, 700, 990, 20_000)
LARGEST: Final = 1 << 22
"""Bytes of an input."""


class Form(Enum):
    """What samples are made of; values within them are damaged too, so that what is read stays of that form."""

    BYTES = auto()
    JSON = auto()
    JSON_LINES = auto()
    MSGPACK = auto()
    ZIP = auto()
    TAR = auto()
    PACKED = auto()
    """A tar or a file that is compressed."""


Change: TypeAlias = Callable[[random.Random, bytes, Sequence[bytes]], bytes]


def damaged(chance: random.Random, samples: Sequence[bytes], form: Form) -> bytes:
    """One of the samples, damaged in one or a few ways; now and then as it is."""
    data = chance.choice(samples)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        by_value = _VALUES.get(form) if chance.random() < 0.6 else None
        data = (by_value or chance.choice(_CHANGES))(chance, data, samples)[:LARGEST]
    return data


def _flip(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    changed = bytearray(data)
    for _time in range(chance.choice((1, 1, 4, 40)) if data else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _noise(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start = chance.randint(0, len(data))
    size = chance.choice((1, 4, 8, 600))
    return data[:start] + chance.choice((chance.randbytes(size), bytes(size), b"\xff" * size)) + data[start + size :]


def _cut(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _range(chance, data)
    return data[:start] + (b"" if chance.random() < 0.3 else data[end:])


def _repeat(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    start, end = _range(chance, data)
    times = chance.choice((2, 3, 200, 100_000 // (end - start + 1) + 1))
    # More would be cut off again, and might not fit into the memory that the reader has.
    return data[:start] + data[start:end] * min(times, LARGEST // (end - start + 1) + 1) + data[end:]


def _splice(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    other = chance.choice(samples)
    start, end = _range(chance, other)
    place = chance.randint(0, len(data))
    return data[:place] + other[start:end] + data[place if chance.random() < 0.5 else place + end - start :]


def _insert(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place = chance.randint(0, len(data))
    odd = chance.choice(ODD)
    return data[:place] + odd * min(chance.choice((1, 1, 1, 3, 2000)), LARGEST // (len(odd) + 1) + 1) + data[place:]


def _nest(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    place, (begin, end), depth = chance.randint(0, len(data)), chance.choice(NESTED), chance.choice(DEPTHS)
    return data[:place] + begin * depth + b"1" + end * depth + data[place:]


def _number(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return _one(chance, rb"-?\d+", data, chance.choice(DIGITS))


def _word(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    words = re.findall(rb"[\w.-]+", chance.choice(samples)[:20_000]) or [b""]
    return _one(chance, rb"[\w.-]+", data, chance.choice((*ODD, *(chance.choice(words) for _ in ODD))))


def _lines(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one] = lines[other]
    return chance.choice((b"\n", b"\n", b"\r\n", b"\r")).join(lines)


def _nothing_left(chance: random.Random, data: bytes, _: Sequence[bytes]) -> bytes:
    return chance.choice((b"", b"\n", b"\0", data[:1] * 1_000_000, data + b" " * 100_000))


def _one(chance: random.Random, pattern: bytes, data: bytes, new: bytes) -> bytes:
    """One of the places that a pattern finds, replaced."""
    found = list(re.finditer(pattern, data[:50_000]))
    if not found:
        return data + new
    place = chance.choice(found)
    return data[: place.start()] + new + data[place.end() :]


def _range(chance: random.Random, data: bytes) -> tuple[int, int]:
    start = chance.randint(0, len(data))
    return start, min(len(data), start + chance.choice((1, 2, 10, 100, len(data))))


def _json(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    try:
        # A lone surrogate stays an escape, as JSON has it.
        return json.dumps(_damaged_value(chance, json.loads(data))).encode()
    except (TypeError, ValueError, RecursionError):
        return chance.choice(_CHANGES)(chance, data, samples)


def _json_lines(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    lines = data.split(b"\n")
    number = chance.randrange(len(lines))
    lines[number] = _json(chance, lines[number], samples)
    return b"\n".join(lines)


def _msgpack(chance: random.Random, data: bytes, samples: Sequence[bytes]) -> bytes:
    try:
        return msgspec.msgpack.encode(_damaged_value(chance, msgspec.msgpack.decode(data, strict=False)))
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError, TypeError):
        return chance.choice(_CHANGES)(chance, data, samples)


def _damaged_value(chance: random.Random, value: Any) -> Any:
    """The value with one part of it changed: the deeper ones as likely as the others."""
    parts: list[Any] = list(value) if isinstance(value, list | dict) else []
    if parts and chance.random() < 0.85:
        key: Any = chance.choice(parts) if isinstance(value, dict) else chance.randrange(len(parts))
        if chance.random() < 0.15:
            del value[key]
        else:
            value[key] = _damaged_value(chance, value[key])
        return value
    if isinstance(value, list) and chance.random() < 0.7:
        return chance.choice((value * 2, value[::-1], [*value, *value[:1] * 1000], [value]))
    if isinstance(value, str) and chance.random() < 0.5:
        return _flip(chance, value.encode("utf-8", "replace"), ()).decode("utf-8", "replace") + chance.choice(TEXTS)
    kinds: tuple[Any, ...] = (chance.choice(NUMBERS), chance.choice(TEXTS), None, True, [], {}, [value], {"a": value})
    deep: Any = value
    for _ in range(chance.choice(DEPTHS[:4]) if chance.random() < 0.1 else 0):
        deep = [deep]
    return chance.choice((*kinds, deep, b"\xff"))


_VALUES: Final[dict[Form, Change]] = {
    Form.JSON: _json,
    Form.JSON_LINES: _json_lines,
    Form.MSGPACK: _msgpack,
    Form.ZIP: zip_fields,
    Form.TAR: tar_fields,
    Form.PACKED: packed_fields,
}
_CHANGES: Final[tuple[Change, ...]] = (
    *(_flip, _flip, _noise, _noise, _cut, _repeat, _splice, _insert, _insert, _nest, _number, _number, _word, _word, _lines),
    _nothing_left,
)
