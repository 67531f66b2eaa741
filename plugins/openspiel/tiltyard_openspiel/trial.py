"""Whether OpenSpiel can play with some parameters: ``python -m tiltyard_openspiel.trial GAME JSON`` plays one game at random.

It says what is wrong on standard output, and is a process of its own: it may crash.
"""

from __future__ import annotations

import json
import random
import sys
from typing import Final

from tiltyard_openspiel.catalogue import listings
from tiltyard_openspiel.playing import Chance, import_openspiel, load_game, play_at_random

MOST_MOVES: Final = 1_000


def play_once(game: str, parameters: str) -> None:
    """Play a game at random, or its first thousand moves.

    Raises:
        pyspiel.SpielError: something is wrong with the parameters.
    """
    chance, generator = Chance(1), random.Random(1)
    state = load_game(listings()[game], json.loads(parameters), 1).new_initial_state()
    for _ in range(MOST_MOVES):
        chance.play(state)
        if state.is_terminal():
            return
        play_at_random(state, generator)


def main() -> None:
    """Play, or say what is wrong and end with status 1."""
    game, parameters = sys.argv[1:]
    try:
        play_once(game, parameters)
    except (import_openspiel().SpielError, ValueError, IndexError) as error:
        sys.stdout.write(f"{error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
