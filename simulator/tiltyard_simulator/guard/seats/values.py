"""Positions and answers as bytes. Besides plain values these may have numpy arrays in them, as type, shape and bytes.

numpy is imported only where an array arrives, so that processes whose game has none never load it.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Final

import msgspec

ARRAY_CODE: Final = 1
"""msgpack's extension type for an array."""
ARRAY_TYPES: Final = frozenset(["b1", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8"])
"""numpy's names of the types that may be sent: truth values, whole numbers and floats. Never objects."""
MOST_DIMENSIONS: Final = 32


class _Array(msgspec.Struct, frozen=True, array_like=True):
    """The numbers row by row, in little-endian order."""

    kind: str
    shape: tuple[int, ...]
    data: bytes


_ARRAYS: Final = msgspec.msgpack.Decoder(_Array)


def _to_ext(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.generic):
        return value.item()
    if numpy is None or not isinstance(value, numpy.ndarray):
        raise TypeError(f"{type(value).__name__} is neither a plain value nor a numpy array")
    if value.dtype.str[1:] not in ARRAY_TYPES:
        raise TypeError(f"an array of {value.dtype} cannot be sent: use truth values, whole numbers or floats")
    # Not ascontiguousarray, which makes an array without dimensions one with one.
    data = value.astype(value.dtype.newbyteorder("<"), copy=False).tobytes()
    return msgspec.msgpack.Ext(ARRAY_CODE, msgspec.msgpack.encode(_Array(value.dtype.str[1:], value.shape, data)))


def _from_ext(code: int, data: memoryview) -> Any:
    """An array that can only be read, as a position or an answer is.

    Raises:
        ValueError: the bytes are no array.
    """
    if code != ARRAY_CODE:
        raise ValueError(f"the extension {code} is unknown")
    import numpy

    array = _ARRAYS.decode(data)
    if array.kind not in ARRAY_TYPES:
        raise ValueError("not a type that an array may have")
    kind = numpy.dtype(f"<{array.kind}")
    if len(array.shape) > MOST_DIMENSIONS or min(array.shape, default=0) < 0:
        raise ValueError("not a shape that an array may have")
    if math.prod(array.shape) * kind.itemsize != len(array.data):
        raise ValueError(f"an array has {len(array.data)} bytes, which its shape and type contradict")
    return numpy.frombuffer(array.data, kind).reshape(array.shape)


def _to_type(kind: Any, value: Any) -> Any:
    # Called for types that msgspec doesn't know, such as ndarray; it checks what is returned against them.
    return value


VALUES: Final = msgspec.msgpack.Encoder(enc_hook=_to_ext)


def value_decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    """A decoder for a game's values of this type; of any type if it is None."""
    return msgspec.msgpack.Decoder(Any if kind is None else kind, dec_hook=_to_type, ext_hook=_from_ext)


ANY_VALUE: Final = value_decoder(None)


def _to_list(value: Any) -> Any:
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, numpy.ndarray | numpy.generic):
        return value.tolist()
    raise TypeError(type(value).__name__)


def value_text(value: Any) -> str:
    """A game's value as a text. Equal values have equal texts."""
    try:
        return msgspec.json.encode(value, order="deterministic", enc_hook=_to_list).decode()
    except (TypeError, ValueError, OverflowError):
        return repr(value)
