"""How publishing a site, and serving it live, grow with the number of games; and how large its first page is.

    .venv/bin/python benchmarks/sites.py [GAMES ...] [--teams 150]

Plays a simulated tournament (see benchmarks/coordinator.py), publishes it twice, and makes its pages as ``tiltyard serve`` does.
Times are CPU seconds. Each number of games is measured in a process of its own.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass
from functools import partial
from io import StringIO
from pathlib import Path

from coordinator import most_megabytes, real_matches, tournament_of
from measuring import command_line, with_cpu_seconds
from simulated_cluster import Cores, SimulatedWorkers, Stopwatch

from tiltyard_engine.publishing import Publication
from tiltyard_simulator.output.tables import render
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.store_session import open_store, store_for_run
from tiltyard_tournaments.running.tournament import Tournament

GAMES = (1_000, 10_000)


@dataclass(frozen=True)
class Figures:
    """What a site takes, in CPU seconds and bytes."""

    published: float
    again: float
    live: float
    """The first edition of a live site."""
    news: float
    """To hear of one more game."""
    games_page: float
    """To make the list of games with it, where somebody looks at that."""
    first_page: float
    """To make the first page with it."""
    index: int
    nodes: int
    """Elements of the first page."""
    largest: tuple[int, str]
    megabytes: float


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _publish(tournament: Tournament) -> None:
    with open_store(tournament) as store, redirect_stdout(StringIO()):
        publish_site(tournament_results(tournament, follow(tournament, store.ended_as), lambda: nullcontext(store)))


def measured(games: int, teams: int) -> Figures:
    """Play, publish and serve in this process."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-site-") as folder:
        tournament = tournament_of(games, teams, Path(folder), replays=True, publication=Publication(folder=Path("site")))
        executor = SimulatedWorkers(Cores(count=100, seconds=1.0, played=real_matches(tournament)), Stopwatch())
        with store_for_run(tournament) as store:
            schedule = run_tournament(tournament, store, executor, lambda event: None)
            published, again = (_seconds(partial(_publish, tournament)) for _ in range(2))
            last = schedule.matches[-1]
            stored = store.match(last.key)
            assert stored is not None
            store.remove(last.key)
            live_site: list[LiveSite] = []
            live = _seconds(lambda: live_site.append(LiveSite(lambda: tournament)))
            store.add(last.key, stored.spec, stored.record)
            site = live_site[0]
            news = _seconds(site.bring_up_to_date)
            # Pages would hear of it after the edition before has rested.
            site._edition = site._newest
            games_page = _seconds(lambda: site.file("data/games.js"))
            first_page = _seconds(lambda: site.file("index.html"))
        pages = {path.name: path.stat().st_size for path in Path(folder, "site").glob("*.html")}
        page = Path(folder, "site", "index.html").read_text(encoding="utf-8")
        nodes = len(re.findall(r"<[a-z]", page))
        largest = max((size, name) for name, size in pages.items())
        return Figures(published, again, live, news, games_page, first_page, pages["index.html"], nodes, largest, most_megabytes())


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("games", type=int, nargs="*", help=f"numbers of games (default: {GAMES})")
    parser.add_argument("--teams", type=int, default=150, help="how many teams play them (150)")
    chosen = parser.parse_args()
    rows: list[tuple[str | int, ...]] = []
    for games in chosen.games or GAMES:
        found, _ = with_cpu_seconds(partial(measured, games, chosen.teams))
        live = found.live, found.news, found.games_page, found.first_page
        times = [f"{seconds:.2f}" for seconds in (found.published, found.again, *live)]
        first = f"{found.index / 1000:.0f} kB, {found.nodes} elements"
        rows.append((games, *times, first, f"{found.largest[0] / 1000:.0f} kB, {found.largest[1]}", f"{found.megabytes:.0f}"))
    live_headers = ("serve s", "one more game s", "its list s", "its page s")
    headers = ("games", "publish s", "again s", *live_headers, "first page", "largest page", "MB")
    print(render(headers, rows))


if __name__ == "__main__":
    main()
