"""Players for every game: one at random, and OpenSpiel's own Monte Carlo tree search where it can play."""

from __future__ import annotations

import random
from typing import Any, Final

from tiltyard_engine.turns import TurnAlgorithm
from tiltyard_openspiel.playing import apply_history, import_openspiel
from tiltyard_openspiel.positions import SpielPosition

EXPLORATION: Final = 2.0
"""How much MCTS tries what it knows little of: OpenSpiel's usual constant for UCT."""
MEMORY_MEGABYTES: Final = 100


class RandomPlayer(TurnAlgorithm[SpielPosition, int]):
    """Any legal action, each as likely as the others, as OpenSpiel's ``uniform_random``.

    What it draws depends on what it has seen, so that a match played again goes the same way.
    """

    def __init__(self, seat: int) -> None:
        self._seat = seat
        self._turns = 0

    def choose(self, position: SpielPosition) -> int:
        """Draw a legal action; equal positions at equal turns give equal draws."""
        self._turns += 1
        seed = f"{self._seat} {self._turns} {position.observation} {position.information_state} {position.history}"
        return random.Random(seed).choice(position.actions)


class MctsPlayer(TurnAlgorithm[SpielPosition, int]):
    """OpenSpiel's MCTS, which values positions by a random game from each. For games that hide nothing."""

    def __init__(self, simulations: int, seat: int) -> None:
        self._simulations = simulations
        self._seat = seat
        self._bot: Any = None
        self._state: Any = None
        self._moves_applied = 0
        """How much of the history the state has."""

    def start(self, position: SpielPosition) -> None:
        """Load the game, and begin a search of its own for it."""
        spiel = import_openspiel()
        game = spiel.load_game(position.game)
        evaluator = spiel.RandomRolloutEvaluator(1, self._seat)
        self._bot = spiel.MCTSBot(game, evaluator, EXPLORATION, self._simulations, MEMORY_MEGABYTES, True, self._seat, False)
        self._state = game.new_initial_state()

    def choose(self, position: SpielPosition) -> int:
        """Bring its own state up to date, and search."""
        if position.history is None:
            raise ValueError("MCTS plays only games that hide nothing; these parameters make the game hide something")
        apply_history(self._state, position.history[self._moves_applied :])
        self._moves_applied = len(position.history)
        action: int = self._bot.step(self._state)
        return action
