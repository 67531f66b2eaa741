"""OpenSpiel itself: a game by its parameters, what a player is shown of a state, what chance does."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_openspiel.catalogue import SEED_PARAMETER, Listing, Parameter
from tiltyard_openspiel.positions import SpielPosition

COLORED_TEXT: Final = "ansi_color_output"
"""Some games write their boards with the codes that colour a terminal, which neither teams nor viewers want."""
LARGEST_SEED: Final = 2**31 - 1


def import_openspiel() -> Any:
    """The module ``pyspiel``, which is imported when a game of it is played and not before.

    Raises:
        UserError: it is not installed.
    """
    try:
        import pyspiel
    except ImportError as error:
        raise UserError(f"OpenSpiel can't be imported ({error}): install it with 'pip install open_spiel'") from error
    return pyspiel


def load_game(listing: Listing, parameters: Mapping[str, Parameter], seed: int | None = None) -> Any:
    """An OpenSpiel game.

    Args:
        listing: which.
        parameters: those that are not the default.
        seed: of a match; chance that the game keeps to itself comes from it.

    Raises:
        pyspiel.SpielError: OpenSpiel does not take the parameters.
    """
    all_parameters = dict(parameters)
    if COLORED_TEXT in listing.parameters:
        all_parameters.setdefault(COLORED_TEXT, False)
    if seed is not None and SEED_PARAMETER in listing.parameters:
        all_parameters.setdefault(SEED_PARAMETER, seed % LARGEST_SEED)
    return import_openspiel().load_game(listing.name, all_parameters)


class Chance:
    """What chance nodes do, drawn from the match's seed, or from what is left of it."""

    def __init__(self, chance: int | random.Random) -> None:
        self._generator = random.Random(chance) if isinstance(chance, int) else chance

    def play(self, state: Any) -> list[str]:
        """Let chance act until a player has to, or the game is over; say what happened."""
        happened: list[str] = []
        while state.is_chance_node():
            action = self._draw(state.chance_outcomes())
            happened.append(state.action_to_string(action))
            state.apply_action(action)
        return happened

    def _draw(self, outcomes: list[tuple[int, float]]) -> int:
        """The first outcome at which the sum of the probabilities is above a number from 0 to the whole sum."""
        point, reached = self._generator.random() * sum(probability for _, probability in outcomes), 0.0
        for action, probability in outcomes:
            reached += probability
            if point < reached:
                return action
        # Rounding may leave a little.
        return outcomes[-1][0]


class Views:
    """What players are shown of the states of one game, with what the game has to show."""

    def __init__(self, game: Any, shown_as: str) -> None:
        spiel, kind = import_openspiel(), game.get_type()
        self._game = shown_as
        self._actions = game.num_distinct_actions()
        self._is_open = kind.information != spiel.GameType.Information.IMPERFECT_INFORMATION
        # Asking for what a game has not makes OpenSpiel write to standard error.
        self._observes, self._observes_numbers = kind.provides_observation_string, kind.provides_observation_tensor
        self._informs, self._informs_numbers = kind.provides_information_state_string, kind.provides_information_state_tensor
        self._shape = tuple(game.observation_tensor_shape()) if self._observes_numbers else ()
        self._information_shape = tuple(game.information_state_tensor_shape()) if self._informs_numbers else ()

    def of(self, state: Any, player: int) -> SpielPosition:
        """What a player, from 0, is shown of a state in which somebody has to move."""
        actions = legal_actions(state, player)
        return SpielPosition(
            game=self._game,
            player=player,
            actions=tuple(actions),
            action_strings=tuple(state.action_to_string(player, action) for action in actions),
            distinct_actions=self._actions,
            observation=state.observation_string(player) if self._observes else "",
            observation_tensor=tuple(state.observation_tensor(player)) if self._observes_numbers else (),
            observation_shape=self._shape,
            information_state=state.information_state_string(player) if self._informs else "",
            information_state_tensor=tuple(state.information_state_tensor(player)) if self._informs_numbers else (),
            information_state_shape=self._information_shape,
            history=tuple(state.history()) if self._is_open else None,
        )


def legal_actions(state: Any, player: int) -> list[int]:
    """What a player may do now; nothing if others have to move."""
    legal: list[int] = state.legal_actions(player)
    return legal


def play_at_random(state: Any, generator: random.Random) -> None:
    """A move of whoever has to move: any legal one."""
    if state.is_simultaneous_node():
        choices = [legal_actions(state, player) for player in range(state.num_players())]
        state.apply_actions([generator.choice(legal) if legal else 0 for legal in choices])
    else:
        state.apply_action(generator.choice(legal_actions(state, state.current_player())))


def apply_history(state: Any, history: tuple[int, ...]) -> None:
    """Bring a state forward by what was done: an action at a time, or one a player where all move at once."""
    position = 0
    while position < len(history):
        if state.is_simultaneous_node():
            step = state.num_players()
            state.apply_actions(list(history[position : position + step]))
        else:
            step = 1
            state.apply_action(history[position])
        position += step
