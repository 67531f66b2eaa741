"""A game's observations as arrays of numpy, and the masks of legal actions."""

from __future__ import annotations

from typing import Any, TypeAlias, TypedDict

import numpy as np
from numpy.typing import NDArray

from tiltyard_engine.learning import Observation

Array: TypeAlias = NDArray[Any]


class MaskedArray(TypedDict):
    """An observation with the legal actions, under the names that PettingZoo's classic environments use."""

    observation: Array
    action_mask: NDArray[np.int8]


def array_of(observation: Observation) -> Array:
    """The numbers in a new array: ``uint8`` if they are bytes, else ``float32``."""
    values = observation.values
    if isinstance(values, bytes):
        return np.frombuffer(values, np.uint8).reshape(observation.shape).copy()
    return np.array(values, np.float32).reshape(observation.shape)


def mask_of(observation: Observation) -> NDArray[np.int8]:
    """For each action, 1 if it is legal, else 0."""
    if observation.legal is None:
        return np.ones(observation.actions, np.int8)
    mask = np.zeros(observation.actions, np.int8)
    mask[list(observation.legal)] = 1
    return mask
