"""Write the catalogue of games from the installed OpenSpiel: ``python -m tiltyard_openspiel.make_catalogue``."""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyspiel

from tiltyard_openspiel.catalogue import FILE

MOST_SEATS: Final = 9
PLAYERS: Final = ("players", "num_players", "numPlayers")
"""What games call the parameter that says how many play."""
STEPS_PER_MOVE: Final = 20_000
"""MCTS plays about so many random moves for each of its own, in few long games or many short ones."""
FEWEST_SIMULATIONS: Final = 50
MOST_SIMULATIONS: Final = 1_000


def catalogue() -> dict[str, Any]:
    """The content of the file."""
    games = filter(None, (_row(kind) for kind in pyspiel.registered_games() if _is_playable(kind)))
    return {"games": sorted(games, key=lambda row: str(row["name"]))}


def _is_playable(kind: Any) -> bool:
    """Whether 2 to 9 can play it with its default parameters, one after the other or at once."""
    is_for_players = kind.dynamics != pyspiel.GameType.Dynamics.MEAN_FIELD
    return bool(kind.default_loadable and is_for_players and kind.max_num_players >= 2 and kind.min_num_players <= MOST_SEATS)


def _row(kind: Any) -> dict[str, Any] | None:
    """What the catalogue says about a game; None if two or more cannot play it as it is."""
    specification = kind.parameter_specification
    parameter = next((name for name in PLAYERS if name in specification), "")
    seats = _numbers_of_players(kind, parameter)
    if not seats:
        return None
    return {
        "name": kind.short_name,
        "title": kind.long_name,
        "least": min(seats),
        "most": max(seats),
        "players": parameter,
        "parameters": {name: value for name, value in sorted(specification.items()) if isinstance(value, bool | int | float | str)},
        "simulations": _simulations(kind),
        "about": ", ".join(_about(kind)),
    }


def _numbers_of_players(kind: Any, parameter: str) -> list[int]:
    """How many can play it with no other parameter given."""
    if not parameter:
        return [pyspiel.load_game(kind.short_name).num_players()]
    numbers = range(max(2, kind.min_num_players), min(MOST_SEATS, kind.max_num_players) + 1)
    return [number for number in numbers if _can_begin(kind.short_name, parameter, number)]


def _can_begin(name: str, parameter: str, players: int) -> bool:
    """Found out in another process: OpenSpiel crashes on some parameters that do not fit each other."""
    trial = multiprocessing.get_context("fork").Process(target=_begin, args=(name, parameter, players))
    trial.start()
    trial.join()
    return trial.exitcode == 0


def _begin(name: str, parameter: str, players: int) -> None:
    try:
        game = pyspiel.load_game(name, {parameter: players})
        _random_length(game)
    except (pyspiel.SpielError, ValueError):
        sys.exit(1)
    sys.exit(game.num_players() != players)


def _simulations(kind: Any) -> int:
    """MCTS needs the whole state, turns, and a result that comes at the end."""
    types = pyspiel.GameType
    is_suitable = (
        kind.information == types.Information.PERFECT_INFORMATION
        and kind.dynamics == types.Dynamics.SEQUENTIAL
        and kind.reward_model == types.RewardModel.TERMINAL
    )
    if not is_suitable:
        return 0
    return max(FEWEST_SIMULATIONS, min(MOST_SIMULATIONS, STEPS_PER_MOVE // _random_length(pyspiel.load_game(kind.short_name))))


def _random_length(game: Any) -> int:
    """How many moves and chance outcomes one game at random has."""
    state, generator, length = game.new_initial_state(), random.Random(1), 0
    while not state.is_terminal():
        if state.is_simultaneous_node():
            choices = [state.legal_actions(player) for player in range(game.num_players())]
            state.apply_actions([generator.choice(legal) if legal else 0 for legal in choices])
        else:
            state.apply_action(generator.choice(state.legal_actions()))
        length += 1
    return length


def _about(kind: Any) -> Iterator[str]:
    types = pyspiel.GameType
    if kind.dynamics == types.Dynamics.SIMULTANEOUS:
        yield "simultaneous moves"
    if kind.information == types.Information.IMPERFECT_INFORMATION:
        yield "hidden information"
    if kind.chance_mode != types.ChanceMode.DETERMINISTIC:
        yield "chance"
    if kind.utility == types.Utility.IDENTICAL:
        yield "all players win or lose together"


def main() -> None:
    """Write the file beside this module."""
    file = Path(__file__).with_name(FILE)
    rows = ",\n".join(json.dumps(row, ensure_ascii=False) for row in catalogue()["games"])
    file.write_text(f'{{"games": [\n{rows}\n]}}\n', encoding="utf-8")


if __name__ == "__main__":
    main()
