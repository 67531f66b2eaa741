"""What a tournament's site costs: to publish and serve it, however many games there are.

    .venv/bin/python benchmarks/sites.py [GAMES ...] [--teams 150] [--turns 200]

It plays a simulated tournament, publishes it twice, and makes its pages as ``tiltyard serve`` does: how these grow with the number
of games, how large the first page is, and how large the site is beside the store. With ``--turns`` the replays are of made games
with so many turns, a board, notes and a panel. Times are CPU seconds. Each number is measured in a process of its own; the ratio is
that of the time for a game to the first number's.
"""

from __future__ import annotations

import io
import random
import re
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

from measuring import command_line, most_megabytes, with_cpu_seconds
from simulated_cluster import Cores, SimulatedWorkers, Stopwatch, real_matches, tournament_of

from tiltyard_engine.lifecycle import Publication
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import TextPanel
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.replays.files import pack
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament, open_store, store_for_run

GAMES: Final = (1_000, 10_000)
TIMES: Final = ("publish s", "again s", "serve s", "one more game s", "its list s", "its page s")
"""To publish, and to publish again; of a live site to make its first edition, to hear of one more game, and to make the list of
games and the first page with it, where somebody looks at them."""


def made_replay(number: int, turns: int, side: int = 20) -> Replay:
    """A game in which two players paint the squares that they walk over; each of its turns has notes and a panel."""
    chance = random.Random(number)
    seats = ("team 01", "team 02")
    replay = Replay(game="paint", width=side, height=side, squares=(" ",) * side**2, seats=seats, title="a field")
    steps = {"right": 1, "left": -1, "down": side, "up": -side}
    places, scores = [0, side**2 - 1], [0, 0]
    for turn in range(1, turns + 1):
        changes: dict[int, str] = {}
        actions, notes = [], []
        for seat in (0, 1):
            action = chance.choice(list(steps))
            changes[places[seat]] = "ab"[seat]
            places[seat] = (places[seat] + steps[action]) % side**2
            changes[places[seat]] = "AB"[seat]
            scores[seat] += chance.random() < 0.3
            actions.append(action)
            notes.append(f"player {seat + 1} goes {action} to {places[seat]} and has {scores[seat]} points")
        lines = [f"{name}  {score:4} points  {turn:4} turns" for name, score in zip(seats, scores, strict=True)]
        frame = Frame(
            tuple(sorted(changes.items())), tuple(actions), tuple(map(float, scores)), tuple(notes), (TextPanel("Table", lines),)
        )
        replay.frames.append(frame)
    return replay


def with_made_replays(records: list[MatchRecord], turns: int) -> list[MatchRecord]:
    """Many records with replays of so many turns, so that hardly two games of a site have the same."""
    return [
        replace(record, evidence=replace(record.evidence, replay=pack(made_replay(number, turns))))
        for number, record in enumerate(records * 10)
    ]


def publish(tournament: Tournament) -> None:
    """Write the site of what was played."""
    with open_store(tournament) as store, redirect_stdout(io.StringIO()):
        publish_site(tournament_results(tournament, follow(tournament, store.ended_as), lambda: nullcontext(store)))


def cpu_of(work: Callable[[], object]) -> float:
    """CPU seconds that this process takes for it."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def measure(games: int, teams: int, turns: int) -> tuple[dict[str, float], list[str]]:
    """Play, publish and serve in this process: the TIMES, and sizes in words."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-site-") as folder:
        tournament = tournament_of(games, teams, Path(folder), publication=Publication(folder=Path("site")))
        played = real_matches(tournament)
        played = with_made_replays(played, turns) if turns else played
        executor = SimulatedWorkers(Cores(count=100, seconds=1.0, played=played), Stopwatch())
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


def main() -> None:
    """Measure and print."""
    parser = command_line(__doc__)
    parser.add_argument("numbers", type=int, nargs="*", metavar="NUMBER", help=f"numbers of games (default: {GAMES})")
    parser.add_argument("--teams", type=int, default=150, help="how many teams play them (150)")
    parser.add_argument("--turns", type=int, default=0, help="made replays with so many turns (those of sample games)")
    options = parser.parse_args()
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for games in options.numbers or GAMES:
        (times, words), _ = with_cpu_seconds(partial(measure, games, options.teams, options.turns))
        base = base or times["publish s"] / games
        rows.append((games, f"{times['publish s'] / games / base:.2f}", *(f"{each:.2f}" for each in times.values()), *words))
    print(render(("games", "a game, ratio", *TIMES, "first page", "largest page", "site", "of the store", "MB"), rows))


if __name__ == "__main__":
    main()
