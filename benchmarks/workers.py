"""How much faster two match workers are than one, on many short matches; start-up of the workers is counted.

    .venv/bin/python benchmarks/workers.py [MATCHES]

Prints, for teams held inline and in cells, the seconds of both and their ratio, measured in turns so that a machine that
slows down slows both: the median of three rounds.
"""

from __future__ import annotations

from dataclasses import replace

from measuring import command_line, medians_and_ratio, wall_seconds

from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executors import local_executor
from tiltyard_simulator.play.lookup import choose_map, game_reference
from tiltyard_simulator.play.tables import render

MATCHES = 200
ROUNDS = 3
MAPS = ("back-yard", "narrow-pass", "open-field")
TEAMS = (("coyote", "bramble"), ("bramble", "acorn"), ("acorn", "coyote"))


def schedule(count: int, isolation: Isolation) -> list[MatchSpec]:
    """So many matches of the sample teams on the smaller shipped maps."""
    registry = Registry.installed()
    manager = registry.find(MANAGER, "reference").reference
    game = game_reference(registry, manager.game)
    maps = [choose_map(name, registry, game.name) for name in MAPS]
    specs = [
        MatchSpec(
            game=game,
            manager=manager,
            map=source,
            algorithms=(registry.find(ALGORITHM, one).reference, registry.find(ALGORITHM, two).reference),
        )
        for source in maps
        for one, two in TEAMS
    ]
    held = [replace(spec, isolations=(isolation, isolation)) for spec in specs]
    return [held[number % len(held)] for number in range(count)]


def seconds(specs: list[MatchSpec], workers: int) -> float:
    """The wall time of the whole schedule. One worker is the runner's own process."""

    def play() -> None:
        with local_executor(workers) as executor:
            for _ in executor.play(replace(spec, place=place) for place, spec in enumerate(specs)):
                pass

    return wall_seconds(play)


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("matches", type=int, nargs="?", default=MATCHES)
    count = parser.parse_args().matches
    rows: list[tuple[str, float, float, float]] = []
    for isolation in (Isolation.INLINE, Isolation.SANDBOX):
        specs = schedule(count, isolation)
        pairs = [(seconds(specs, 1), seconds(specs, 2)) for _ in range(ROUNDS)]
        one, two, ratio = medians_and_ratio(pairs)
        rows.append((isolation.value, round(one, 2), round(two, 2), round(ratio, 2)))
    print(f"{count} matches, the median of {ROUNDS} rounds\n")
    print(render(("held", "1 worker s", "2 workers s", "ratio"), rows))


if __name__ == "__main__":
    main()
