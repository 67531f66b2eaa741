"""tiltyard beside other Python packages: games a CPU second, and steps a second of its environments for training.

    python3 -m venv peers && peers/bin/pip install axelrod kaggle-environments pettingzoo pygame-ce
    .venv/bin/python benchmarks/peers.py --python peers/bin/python
    .venv/bin/pip install pygame-ce chess
    .venv/bin/python benchmarks/peers.py environments

Nothing is compared that was not measured here. In the first, the peers are measured in the environment that is named, which
tiltyard's own packages needn't share. One that is missing there is left out, with a note. All play with the same players: random
ones in connect four, tit-for-tat against itself in 200 rounds of the prisoner's dilemma. Times are CPU seconds of all processes,
start-up left out, so they mean something on a busy machine too. The peers hold their players in the same process. tiltyard does
that inline; in a sandbox, each player has a confined process for each game.

In ``environments``, PettingZoo's own classic ones stand beside those of tiltyard. Agents choose any legal action; choosing is
part of the time, and the same for all. Each environment is measured several times, in turns with the others, and its best time
counts. Below the table stands what a question from the match's thread to the caller's costs by itself; it is part of each step of
ours. The last line compares the sparring partner mcts with a bare loop. Classic environments whose packages aren't installed are
left out.
"""

from __future__ import annotations

import argparse
import importlib
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from random import Random
from typing import Any, Final

from measuring import command_line, wall_seconds, with_cpu_seconds, words_with_part

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.key import players_of
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.executor import play_all
from tiltyard_simulator.play.local_matches import local_executor

GAMES: Final = Path(__file__).resolve().parent.parent / "docs" / "examples" / "games"
LOOP: Final = """
import sys, time
play = prepared()
play()
begun, games = time.process_time(), 0
while time.process_time() - begun < float(sys.argv[1]):
    play()
    games += 1
print(games / (time.process_time() - begun))
"""
CONNECT_FOUR, DILEMMA = "connect four, random players", "prisoner's dilemma, 200 rounds, tit-for-tat twice"
OURS: Final = {
    CONNECT_FOUR: ("connect_four.py", MapSource("standard", b"7 6"), ("four-random", "four-random")),
    DILEMMA: ("dilemma.py", MapSource("long", b"200"), ("tit-for-tat", "tit-for-tat")),
}
ENVIRONMENTS: Final = (
    ("openspiel/tic_tac_toe", ""),
    ("openspiel/connect_four", ""),
    ("openspiel/chess", ""),
    ("tanks", "back-yard"),
    ("filler", "map00"),
    ("penguins", "small-bay"),
    ("advance", ""),
)
CLASSIC: Final = ("rps_v2", "tictactoe_v3", "connect_four_v3", "chess_v6")
REFERENCE: Final = "connect_four_v3"
"""What all others are compared with."""
QUESTIONS: Final = 20_000
PLAYOUTS: Final = 1_000


@dataclass(frozen=True)
class Peer:
    """A package that plays one of the games."""

    game: str
    package: str
    prepared: str
    """Defines ``prepared()``, which returns a function that plays one game."""


PEERS: Final = (
    Peer(
        CONNECT_FOUR,
        "kaggle-environments",
        """
def prepared():
    from kaggle_environments import make
    environment = make("connectx", configuration={"rows": 6, "columns": 7, "inarow": 4})
    return lambda: environment.run(["random", "random"])
""",
    ),
    Peer(
        CONNECT_FOUR,
        "pettingzoo",
        """
def prepared():
    import random
    from pettingzoo.classic import connect_four_v3
    environment = connect_four_v3.env()
    def play():
        environment.reset()
        for agent in environment.agent_iter():
            observation, _, ended, cut, _ = environment.last()
            legal = [action for action, may in enumerate(observation["action_mask"]) if may]
            environment.step(None if ended or cut else random.choice(legal))
    return play
""",
    ),
    Peer(
        DILEMMA,
        "axelrod",
        """
def prepared():
    import axelrod
    return lambda: axelrod.Match((axelrod.TitForTat(), axelrod.TitForTat()), turns=200).play()
""",
    ),
)


def of_peer(peer: Peer, python: Path, seconds: float) -> tuple[str, float | str]:
    """The package's version, and its games a CPU second; or why there is none."""
    asked = [str(python), "-c", f"import importlib.metadata as m; print(m.version('{peer.package}'))"]
    release = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    if not release:
        return "", "not installed"
    words = [str(python), "-c", peer.prepared + LOOP, str(seconds)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    last = (done.stdout.splitlines() or done.stderr.splitlines() or ["no output"])[-1]
    return release, float(last) if done.returncode == 0 else f"failed: {last[:60]}"


def of_tiltyard(game: str, isolation: Isolation, seconds: float) -> float:
    """Games a CPU second of one worker."""
    file, board, names = OURS[game]
    registry = Registry.from_paths([GAMES / file])
    spec = MatchSpec(
        MatchInput(
            game=registry.all(GAME)[0].reference,
            manager=registry.all(MANAGER)[0].reference,
            map=board,
            teams=tuple(registry.find(ALGORITHM, name).reference for name in names),
        ),
        holding=Holding(isolations=(isolation, isolation)),
    )
    # So many games as fill the time: of the first ones it is seen how long they take.
    count, (_, first) = 20, with_cpu_seconds(partial(play, spec, 20))
    count = max(count, int(20 * seconds / max(first, 0.01)))
    _, once = with_cpu_seconds(partial(play, spec, count))
    _, twice = with_cpu_seconds(partial(play, spec, 2 * count))
    return count / max(twice - once, 1e-6)


def play(spec: MatchSpec, count: int) -> None:
    """So many games with other seeds, by the runner's own process."""
    specs = [
        replace(spec, input=replace(spec.input, seed=number), place=replace(spec.place, number=number)) for number in range(count)
    ]
    with local_executor(1) as executor:
        for _ in play_all(iter(specs), executor, preload=players_of(specs)):
            pass


def measured(python: Path, seconds: float) -> Sequence[Sequence[str]]:
    """The rows of the table."""
    rows: list[list[str]] = []
    for game in OURS:
        ours = {isolation: of_tiltyard(game, isolation, seconds) for isolation in (Isolation.INLINE, Isolation.SANDBOX)}
        rows += [[game, f"tiltyard, {isolation}", version("tiltyard"), f"{found:,.0f}"] for isolation, found in ours.items()]
        for peer in (one for one in PEERS if one.game == game):
            release, found = of_peer(peer, python, seconds)
            rows.append([game, peer.package, release, found if isinstance(found, str) else f"{found:,.0f}"])
    return rows


def show_games(options: argparse.Namespace) -> None:
    """Print games a CPU second."""
    begun = time.monotonic()
    rows = measured(options.python, options.seconds)
    print(render(("game", "played by", "version", "games a CPU second"), rows, align=("left", "left", "left", "right")))
    print(f"\nmeasured in {time.monotonic() - begun:.0f} s")


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
    for name in CLASSIC:
        try:
            made[name] = importlib.import_module(f"pettingzoo.classic.{name}").env()
        except ImportError as error:
            print(f"{name} is left out: {error}", file=sys.stderr)
    return made | {f"tiltyard {game} {board}".rstrip(): tiltyard_gym.env(game, board) for game, board in ENVIRONMENTS}


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

    sys.path.insert(0, str(GAMES))
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


def show_environments(options: argparse.Namespace) -> None:
    """Print steps a second."""
    os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
    made = environments()
    rates = dict.fromkeys(made, 0.0)
    for _ in range(options.rounds):
        for name, environment in made.items():
            rates[name] = max(rates[name], steps_a_second(environment, options.seconds))
    compared = rates.get(REFERENCE, 0.0)
    rows = [
        (name, f"{rate:,.0f}", f"{1e6 / rate:.0f}", f"{rate / compared:.2f}" if compared else "") for name, rate in rates.items()
    ]
    headings = ("environment", "steps a second", "µs a step", f"of {REFERENCE}")
    print(render(headings, rows, align=("left", "right", "right", "right")))
    question = min(seconds_a_question() for _ in range(options.rounds))
    print(f"\na question to the caller's thread and its answer: {1e6 * question:.1f} µs")
    print(f"a move of mcts, of one of a bare loop over the same rules: {min(mcts_ratio() for _ in range(options.rounds)):.2f}")


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    games = parts.add_parser("games", help="games a CPU second")
    games.add_argument("--python", type=Path, default=Path(sys.executable), help="the Python that has the peers (this one)")
    games.add_argument("--seconds", type=float, default=3.0, help="CPU seconds of each measurement (3)")
    games.set_defaults(show=show_games)
    part = parts.add_parser("environments", help="steps a second of environments for training")
    part.add_argument("--seconds", type=float, default=1.0, help="of each measurement (1)")
    part.add_argument("--rounds", type=int, default=3, help="measurements of each environment (3)")
    part.set_defaults(show=show_environments)
    options = parser.parse_args(words_with_part(parts.choices, "games"))
    options.show(options)


if __name__ == "__main__":
    main()
