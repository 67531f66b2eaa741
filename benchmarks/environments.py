"""Steps a second of tiltyard's PettingZoo environments, beside PettingZoo's own classic ones.

    .venv/bin/pip install pygame-ce chess
    .venv/bin/python benchmarks/environments.py

Agents choose any legal action; choosing is part of the time, and the same for all. Each environment is measured several times, in
turns with the others, and its best time counts. Three of the games are in both collections. Below the table stands what a question
from the match's thread to the caller's costs by itself; it is part of each step of ours. The last line compares the sparring
partner mcts with a bare loop. Classic environments whose packages aren't installed are left out.
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from pathlib import Path
from random import Random
from typing import Any, Final

from measuring import command_line, wall_seconds

from tiltyard_simulator.output.tables import render

OURS: Final = (
    ("openspiel/tic_tac_toe", ""),
    ("openspiel/connect_four", ""),
    ("openspiel/chess", ""),
    ("tanks", "back-yard"),
    ("filler", "map00"),
    ("penguins", "small-bay"),
    ("advance", ""),
)
THEIRS: Final = ("rps_v2", "tictactoe_v3", "connect_four_v3", "chess_v6")
REFERENCE: Final = "connect_four_v3"
"""What all others are compared with."""
QUESTIONS: Final = 20_000
PLAYOUTS: Final = 1_000
EXAMPLES: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "games"


def steps_a_second(environment: Any, seconds: float) -> float:
    """Play matches with random legal actions for so long."""
    import numpy as np

    chance, steps = np.random.default_rng(1), 0
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds:
        environment.reset(seed=steps)
        for agent in environment.agent_iter():
            observation, _, terminated, truncated, info = environment.last()
            if terminated or truncated:
                environment.step(None)
                continue
            mask = observation.get("action_mask") if isinstance(observation, dict) else info.get("action_mask")
            legal = np.flatnonzero(mask) if mask is not None else range(environment.action_space(agent).n)
            environment.step(int(legal[int(chance.integers(len(legal)))]))
            steps += 1
    return steps / (time.perf_counter() - begun)


def environments() -> dict[str, Any]:
    """All that can be made here, by name."""
    import tiltyard_gym

    made: dict[str, Any] = {}
    for name in THEIRS:
        try:
            made[name] = importlib.import_module(f"pettingzoo.classic.{name}").env()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return made | {f"tiltyard {game} {board}".rstrip(): tiltyard_gym.env(game, board) for game, board in OURS}


def seconds_a_question() -> float:
    """From asking to the answer and back, without any match."""
    from tiltyard_engine.match_record import PlayedMatch
    from tiltyard_gym.match_thread import MatchThread

    thread = MatchThread(_nothing)

    def play() -> PlayedMatch:
        for number in range(QUESTIONS):
            thread.ask(number)
        return PlayedMatch()

    begun = time.perf_counter()
    thread.begin(play)
    for number in range(QUESTIONS):
        thread.answer(number)
    taken = time.perf_counter() - begun
    thread.stop()
    return taken / QUESTIONS


def mcts_ratio() -> float:
    """How much longer a move takes in 1,000 playouts of mcts than in 1,000 of a bare loop: connect four, from its start."""
    from tiltyard_engine.rules.sparring import TreePlayer

    sys.path.insert(0, str(EXAMPLES))
    rules = importlib.import_module("connect_four").ConnectFour()
    start, chance, moves = rules.start((7, 6), 2, Random(1)), Random(1), [0, 0]
    player = TreePlayer(rules, 1)
    player.playouts = PLAYOUTS

    def bare() -> None:
        for _ in range(PLAYOUTS):
            state = start
            while rules.outcome(state) is None:
                state = rules.play(state, {seat: chance.choice(rules.legal(state, seat)) for seat in rules.to_move(state)}, chance)
                moves[0] += 1

    play = rules.play

    def counted(*arguments: Any) -> Any:
        moves[1] += 1
        return play(*arguments)

    seconds = [wall_seconds(bare), wall_seconds(lambda: player.choose(start))]
    rules.play, player.chance = counted, Random(1)
    player.choose(start)
    return (seconds[1] / moves[1]) / (seconds[0] / moves[0])


def _nothing() -> None:
    pass


def main() -> None:
    """Measure, and print the table."""
    parser = command_line(__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each environment")
    chosen = parser.parse_args()
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    made = environments()
    rates = dict.fromkeys(made, 0.0)
    for _ in range(chosen.rounds):
        for name, environment in made.items():
            rates[name] = max(rates[name], steps_a_second(environment, chosen.seconds))
    compared = rates.get(REFERENCE, 0.0)
    rows = [
        (name, f"{rate:,.0f}", f"{1e6 / rate:.0f}", f"{rate / compared:.2f}" if compared else "") for name, rate in rates.items()
    ]
    headings = ("environment", "steps a second", "µs a step", f"of {REFERENCE}")
    print(render(headings, rows, align=("left", "right", "right", "right")))
    question = min(seconds_a_question() for _ in range(chosen.rounds))
    print(f"\na question to the caller's thread and its answer: {1e6 * question:.1f} µs")
    print(f"a move of mcts, of one of a bare loop over the same rules: {min(mcts_ratio() for _ in range(chosen.rounds)):.2f}")


if __name__ == "__main__":
    main()
