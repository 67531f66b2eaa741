"""What a tournament's site costs: to publish and serve it, however many games there are.

    .venv/bin/python benchmarks/sites.py [GAMES ...] [--teams 150]

It plays a simulated tournament, publishes it twice, and makes its pages as ``tiltyard serve`` does: how these grow with the number
of games, how large the first page is, and how large the site is beside the store. Times are CPU seconds. Each number is measured in
a process of its own; the ratio is that of the time for a game to the first number's.
"""

from __future__ import annotations

import io
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from functools import partial
from pathlib import Path
from typing import Final

from measuring import most_megabytes, run, with_cpu_seconds
from simulated_cluster import Cores, SimulatedWorkers, Stopwatch, real_matches, tournament_of

from tiltyard_engine.lifecycle import Publication
from tiltyard_simulator.output.tables import render
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament, open_store, store_for_run

TIMES: Final = ("publish s", "again s", "serve s", "one more game s", "its list s", "its page s")
"""To publish, and to publish again; of a live site to make its first edition, to hear of one more game, and to make the list of
games and the first page with it, where somebody looks at them."""


def publish(tournament: Tournament) -> None:
    """Write the site of what was played."""
    with open_store(tournament) as store, redirect_stdout(io.StringIO()):
        publish_site(tournament_results(tournament, follow(tournament, store.ended_as), lambda: nullcontext(store)))


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds that this process takes for it."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(games: int, teams: int) -> tuple[dict[str, float], list[str]]:
    """Play, publish and serve in this process: the TIMES, and sizes in words."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-site-") as folder:
        tournament = tournament_of(games, teams, Path(folder), publication=Publication(folder=Path("site")))
        executor = SimulatedWorkers(Cores(count=100, seconds=1.0, played=real_matches(tournament)), Stopwatch())
        with store_for_run(tournament) as store:
            schedule = run_tournament(tournament, store, executor, lambda event: None)
            times = [cpu_of(partial(publish, tournament)) for _ in range(2)]
            last = schedule.matches[-1]
            stored = store.match(last.place.key)
            assert stored is not None
            store.remove(last.place.key)
            live: list[LiveSite] = []
            times.append(cpu_of(lambda: live.append(LiveSite(lambda: tournament))))
            store.add(last.place.key, stored.spec, stored.record)
            (site,) = live
            times.append(cpu_of(site.bring_up_to_date))
            # Pages would hear of it after the edition before has rested.
            site._edition = site._newest
            times += [cpu_of(partial(site.file, name)) for name in ("data/games.js", "index.html")]
        sizes = {path.name: path.stat().st_size for path in Path(folder, "site").glob("*.html")}
        all_sizes = [path.stat().st_size for path in Path(folder, "site").rglob("*") if path.is_file()]
        store_size = sum(path.stat().st_size for path in Path(folder).glob("*") if path.is_file())
        nodes = len(re.findall(r"<[a-z]", Path(folder, "site", "index.html").read_text(encoding="utf-8")))
        largest = max(sizes, key=lambda name: sizes[name])
        words = [
            f"{sizes['index.html'] / 1000:.0f} kB, {nodes} elements",
            f"{sizes[largest] / 1000:.0f} kB, {largest}",
            f"{sum(all_sizes) / 1e6:.1f} MB in {len(all_sizes)} files",
            f"{sum(all_sizes) / store_size:.2f} of {store_size / 1e6:.1f} MB",
            f"{most_megabytes():.0f}",
        ]
        return dict(zip(TIMES, times, strict=True)), words


def main(numbers: tuple[int, ...] = (1_000, 10_000), *, teams: int = 150) -> None:
    """Measure and print."""
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for games in numbers:
        (times, words), _ = with_cpu_seconds(partial(measure, games, teams))
        base = base or times["publish s"] / games
        rows.append((games, f"{times['publish s'] / games / base:.2f}", *(f"{each:.2f}" for each in times.values()), *words))
    print(render(("games", "a game, ratio", *TIMES, "first page", "largest page", "site", "of the store", "MB"), rows))


if __name__ == "__main__":
    run(__doc__, main=main)
