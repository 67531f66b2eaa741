"""Positions and answers as bytes, and what a GameManager does wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tiltyard_simulator.guard.seats.values import ANY_VALUE, ARRAY_TYPES, VALUES, value_decoder, value_text


@dataclass(frozen=True, eq=False)
class Sensors:
    field: npt.NDArray[np.float32]
    counts: np.ndarray[Any, Any]
    scale: float


@given(st.sampled_from(sorted(ARRAY_TYPES)).flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0))))
def test_arrays_arrive_as_they_were_sent(array: npt.NDArray[Any]) -> None:
    for sent in (array, array.T):
        found = value_decoder(np.ndarray).decode(VALUES.encode(sent))
        assert (found.dtype, found.shape) == (sent.dtype, sent.shape)
        assert np.array_equal(found, sent, equal_nan=True)
        assert not found.flags.writeable


def test_arrays_in_a_dataclass() -> None:
    sent = Sensors(np.array([[1, 2], [3, 4]], "f4"), np.array([5, 6], ">i4"), np.float64(0.5))
    found = value_decoder(Sensors).decode(VALUES.encode(sent))
    assert found.field.tolist() == [[1, 2], [3, 4]]
    assert found.counts.tolist() == [5, 6]
    assert value_text(found) == value_text(sent) == '{"field":[[1.0,2.0],[3.0,4.0]],"counts":[5,6],"scale":0.5}'


@pytest.mark.parametrize("value", [np.array(["text"]), np.array([None]), np.zeros(1, complex), np.zeros(1, "M8[s]"), object()])
def test_what_is_no_plain_value_is_not_sent(value: object) -> None:
    with pytest.raises(TypeError):
        VALUES.encode(value)


@pytest.mark.parametrize(
    ("code", "array"),
    [
        (1, ("O", (1,), b"12345678")),
        (1, ("f8", (2,), b"12345678")),
        (1, ("f8", (-1, -1), b"12345678")),
        (1, ("f8", (2**40, 2**40), b"")),
        (1, ("f8", (1,) * 40, b"12345678")),
        (1, ("f8,f8", (1,), b"12345678" * 2)),
        (1, 5),
        (7, ("f8", (1,), b"12345678")),
    ],
)
def test_bytes_that_are_no_array_are_refused(code: int, array: object) -> None:
    data = msgspec.msgpack.encode(msgspec.msgpack.Ext(code, msgspec.msgpack.encode(array)))
    for decoder in (ANY_VALUE, value_decoder(np.ndarray)):
        with pytest.raises((ValueError, msgspec.ValidationError)):
            decoder.decode(data)


@pytest.mark.parametrize("value", [5, "text", [1.0, 2.0], None])
def test_a_list_is_no_array(value: object) -> None:
    with pytest.raises(msgspec.ValidationError, match=r"Expected `numpy.ndarray`"):
        value_decoder(np.ndarray).decode(VALUES.encode(value))
