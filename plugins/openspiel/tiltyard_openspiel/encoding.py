"""OpenSpiel's own numbers, for agents in training: its tensors, and its actions as they are."""

from __future__ import annotations

import math
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.learning import Observation, Spaces, TurnEncoding
from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.map_files import SpielMap
from tiltyard_openspiel.playing import load_game
from tiltyard_openspiel.positions import SpielPosition


def spaces(start: SpielMap) -> Spaces:
    """The shape of the game's observation tensor, or of its information state tensor if it has no other.

    Raises:
        UserError: the game has no tensor at all.
    """
    game = load_game(listings()[start.game], dict(start.parameters))
    kind = game.get_type()
    if kind.provides_observation_tensor:
        shape = game.observation_tensor_shape()
    elif kind.provides_information_state_tensor:
        shape = game.information_state_tensor_shape()
    else:
        raise UserError(f"OpenSpiel gives no tensors for {start.game}, so agents can't be trained in it")
    return Spaces(shape=tuple(shape), actions=game.num_distinct_actions(), low=-math.inf, high=math.inf, fractions=True)


def observe(position: SpielPosition) -> Observation:
    """The tensor, and the legal actions."""
    shape, values = position.observation_shape, position.observation_tensor
    if not shape:
        shape, values = position.information_state_shape, position.information_state_tensor
    return Observation(shape, values, position.distinct_actions, position.actions)


def answer(_position: SpielPosition, action: int) -> int:
    """The action as the answer to a position: OpenSpiel's numbers are used as they are."""
    return action


ENCODING: Final = TurnEncoding(spaces=spaces, observe=observe, answer=answer)
