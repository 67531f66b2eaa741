"""Which tensors agents see."""

from __future__ import annotations

from dataclasses import replace

import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: there is no wheel for this Python")

from tiltyard_engine.errors import UserError
from tiltyard_openspiel.encoding import ENCODING
from tiltyard_openspiel.map_files import DEFAULT_MAP, read_map
from tiltyard_openspiel.positions import SpielPosition

SEEN = SpielPosition(game="a", player=0, actions=(1, 3), action_strings=("b", "d"), distinct_actions=4)


def test_the_observation_comes_first() -> None:
    form = ENCODING.spaces(read_map("tic_tac_toe", "default", DEFAULT_MAP, 2))
    assert (form.shape, form.actions, form.fractions) == ((3, 3, 3), 9, True)


def test_a_game_without_any_is_refused() -> None:
    with pytest.raises(UserError, match=r"^OpenSpiel gives no tensors for cribbage, so agents can't be trained in it$"):
        ENCODING.spaces(read_map("cribbage", "default", DEFAULT_MAP, 2))


def test_a_game_without_it_shows_the_information_state() -> None:
    seen = replace(SEEN, information_state_tensor=(0.5, 1.0), information_state_shape=(2,))
    observation = ENCODING.observe(seen)
    assert (observation.shape, observation.values, observation.legal) == ((2,), (0.5, 1.0), (1, 3))
    both = ENCODING.observe(replace(seen, observation_tensor=(1.0,), observation_shape=(1,)))
    assert both.shape == (1,)
    assert ENCODING.answer(seen, 3) == 3
