"""tiltyard beside other Python packages: games a CPU second.

    python3 -m venv peers && peers/bin/pip install axelrod kaggle-environments pettingzoo pygame-ce
    .venv/bin/python benchmarks/peers.py --python peers/bin/python

Nothing is compared that was not measured here. The peers are measured in the environment that is named, which tiltyard's own
packages needn't share. One that is missing there is left out, with a note. All play with the same players: random ones in connect
four, tit-for-tat against itself in 200 rounds of the prisoner's dilemma. Times are CPU seconds of all processes, start-up left out,
so they mean something on a busy machine too. The peers hold their players in the same process. tiltyard does that inline; in a
sandbox, each player has a confined process for each game.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Final

from measuring import run, with_cpu_seconds
from short_matches import held

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME, MAP
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.play.local_matches import run_matches
from tiltyard_simulator.registry.finder import Finder

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
    finder = Finder(Registry.from_paths([GAMES / file]))
    (record,) = finder.registry.all(GAME)
    shipped = finder.registry.all(MAP)[0].name
    spec = held(finder.match(names, shipped, None, record.name), isolation)
    spec = replace(spec, input=replace(spec.input, map=board))
    # So many games as fill the time: of the first ones it is seen how long they take.
    count, (_, first) = 20, with_cpu_seconds(partial(play, spec, 20))
    count = max(count, int(20 * seconds / max(first, 0.01)))
    _, once = with_cpu_seconds(partial(play, spec, count))
    _, twice = with_cpu_seconds(partial(play, spec, 2 * count))
    return count / max(twice - once, 1e-6)


def play(spec: MatchSpec, count: int) -> None:
    """So many games with other seeds, by the runner's own process."""
    run_matches([replace(spec, input=replace(spec.input, seed=number)) for number in range(count)], 1)


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


def main(*, python: Path = Path(sys.executable), seconds: float = 3.0) -> None:
    """Measure and print."""
    begun = time.monotonic()
    rows = measured(python, seconds)
    print(render(("game", "played by", "version", "games a CPU second"), rows, align=("left", "left", "left", "right")))
    print(f"\nmeasured in {time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    run(__doc__, main=main)
