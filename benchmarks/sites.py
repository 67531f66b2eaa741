"""What a tournament's site costs: to publish and serve it, however many games there are, and to draw a round in the browser.

    .venv/bin/python benchmarks/sites.py [GAMES ...] [--teams 150] [--turns 200]
    .venv/bin/python benchmarks/sites.py viewer        # needs Debian's chromium

The first plays a simulated tournament, publishes it twice, and makes its pages as ``tiltyard serve`` does: how these grow with the
number of games, how large the first page is, and how large the site is beside the store. With ``--turns`` the replays are of made
games with so many turns, a board, notes and a panel. Times are CPU seconds. Each number is measured in a process of its own; the
ratio is that of the time for a game to the first number's.

``viewer`` draws 200 x 200 squares and 100 tanks that move, turn and shoot. A round has 33 ms at 30 rounds a second.
"""

from __future__ import annotations

import argparse
import io
import random
import re
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from coordinator import most_megabytes, real_matches, tournament_of
from measuring import command_line, with_cpu_seconds, words_with_part
from simulated_cluster import Cores, SimulatedWorkers, Stopwatch

from tiltyard_engine.lifecycle import Publication
from tiltyard_engine.match_record import MatchRecord, Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.replay.panels import TextPanel
from tiltyard_simulator.output.tables import render
from tiltyard_simulator.replays.files import pack
from tiltyard_site.live.live_site import LiveSite
from tiltyard_site.publication import SiteData, publish
from tiltyard_site.publication.publisher import publish_site
from tiltyard_tournaments.publishers.results import tournament_results
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.running.schedule import follow
from tiltyard_tournaments.running.tournament import Tournament, open_store, store_for_run
from tiltyard_tournaments.standings import standings

GAMES: Final = (1_000, 10_000)
SIZE, TANKS, ROUNDS = 200, 100, 1500
STEPS = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))
ACTIONS = ("MoveForward", "RotateLeft45", "RotateRight90", "Shoot", "GetBattleInfo", "DoNothing (ignored)")

MEASURE = """async (rounds) => {
  // Each round at once and to its end: the canvas is read back, so that no drawing is left in a queue.
  const seek = document.querySelector(".seek");
  const pen = document.querySelector("canvas.board").getContext("2d");
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
    pen.getImageData(0, 0, 1, 1);
    times.push(performance.now() - start);
  }
  const jumps = [];
  for (let number = 0; number < 50; number++) {
    const start = performance.now();
    seek.value = String((number * 617) % rounds);
    seek.dispatchEvent(new Event("input"));
    pen.getImageData(0, 0, 1, 1);
    jumps.push(performance.now() - start);
  }
  const at = (values, share) => values.sort((a, b) => a - b)[Math.floor(share * (values.length - 1))];
  return { median: at(times, 0.5), most: at(times, 0.99), jump: at(jumps, 0.5), worst: at(jumps, 0.99) };
}"""

PLAY = """async ([speed, milliseconds]) => {
  const select = document.querySelector(".controls select");
  select.value = String(speed);
  select.dispatchEvent(new Event("change"));
  const round = () => parseInt(document.querySelector(".counter").textContent);
  document.querySelector(".play").click();
  const [begun, from] = [performance.now(), round()];
  let frames = 0;
  await new Promise((done) => {
    const tick = (now) => {
      frames++;
      if (now - begun > milliseconds) done();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  });
  const seconds = (performance.now() - begun) / 1000;
  document.querySelector(".play").click();
  return { rounds: (round() - from) / seconds, frames: frames / seconds };
}"""


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


@dataclass(frozen=True)
class SiteFigures:
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
    size: int
    """Of all its files."""
    files: int
    store: int
    """Bytes of the store."""
    megabytes: float


def _seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def _publish(tournament: Tournament) -> None:
    with open_store(tournament) as store, redirect_stdout(io.StringIO()):
        publish_site(tournament_results(tournament, follow(tournament, store.ended_as), lambda: nullcontext(store)))


def measure_site(games: int, teams: int, turns: int) -> SiteFigures:
    """Play, publish and serve in this process."""
    with tempfile.TemporaryDirectory(prefix="tiltyard-site-") as folder:
        tournament = tournament_of(games, teams, Path(folder), replays=True, publication=Publication(folder=Path("site")))
        played = real_matches(tournament)
        played = with_made_replays(played, turns) if turns else played
        executor = SimulatedWorkers(Cores(count=100, seconds=1.0, played=played), Stopwatch())
        with store_for_run(tournament) as store:
            schedule = run_tournament(tournament, store, executor, lambda event: None)
            published, again = (_seconds(partial(_publish, tournament)) for _ in range(2))
            last = schedule.matches[-1]
            stored = store.match(last.place.key)
            assert stored is not None
            store.remove(last.place.key)
            live_site: list[LiveSite] = []
            live = _seconds(lambda: live_site.append(LiveSite(lambda: tournament)))
            store.add(last.place.key, stored.spec, stored.record)
            site = live_site[0]
            news = _seconds(site.bring_up_to_date)
            # Pages would hear of it after the edition before has rested.
            site._edition = site._newest
            games_page = _seconds(lambda: site.file("data/games.js"))
            first_page = _seconds(lambda: site.file("index.html"))
        sizes = [path.stat().st_size for path in Path(folder, "site").rglob("*") if path.is_file()]
        store_size = sum(path.stat().st_size for path in Path(folder).glob("*") if path.is_file())
        pages = {path.name: path.stat().st_size for path in Path(folder, "site").glob("*.html")}
        page = Path(folder, "site", "index.html").read_text(encoding="utf-8")
        nodes = len(re.findall(r"<[a-z]", page))
        largest = max((size, name) for name, size in pages.items())
        seconds = (published, again, live, news, games_page, first_page)
        return SiteFigures(*seconds, pages["index.html"], nodes, largest, sum(sizes), len(sizes), store_size, most_megabytes())


def show_sites(options: argparse.Namespace) -> None:
    """Print what sites take."""
    rows: list[tuple[str | int, ...]] = []
    base = 0.0
    for games in options.numbers or GAMES:
        site, _ = with_cpu_seconds(partial(measure_site, games, options.teams, options.turns))
        base = base or site.published / games
        times = [f"{each:.2f}" for each in (site.published, site.again, site.live, site.news, site.games_page, site.first_page)]
        times.insert(1, f"{site.published / games / base:.2f}")
        first = f"{site.index / 1000:.0f} kB, {site.nodes} elements"
        largest = f"{site.largest[0] / 1000:.0f} kB, {site.largest[1]}"
        whole = f"{site.size / 1e6:.1f} MB in {site.files} files"
        ratio = f"{site.size / site.store:.2f} of {site.store / 1e6:.1f} MB"
        rows.append((games, *times, first, largest, whole, ratio, f"{site.megabytes:.0f}"))
    live = ("serve s", "one more game s", "its list s", "its page s")
    print(
        render(
            ("games", "publish s", "a game, ratio", "again s", *live, "first page", "largest page", "site", "of the store", "MB"),
            rows,
        )
    )


def make_replay(seed: int = 1) -> Replay:
    """Tanks that walk at random, each with a shell in the air; walls on a fifth of the squares."""
    chance = random.Random(seed)
    squares = ["#" if chance.random() < 0.2 else " " for _ in range(SIZE * SIZE)]
    ground = list(squares)
    places = chance.sample(range(SIZE * SIZE), TANKS)
    headings = [chance.randrange(8) for _ in places]
    shells = [chance.randrange(SIZE * SIZE) for _ in places]
    for tank, place in enumerate(places):
        squares[place] = f"{tank % 2 + 1}{headings[tank]}"
    replay = Replay(game="tanks", width=SIZE, height=SIZE, squares=tuple(squares), seats=("one", "two"), title="large")
    for number in range(ROUNDS):
        before = [*places, *shells]
        for tank in range(TANKS):
            if chance.random() < 0.5:
                headings[tank] = chance.randrange(8)
            else:
                places[tank] = moved(places[tank], headings[tank])
            shells[tank] = moved(moved(shells[tank], headings[tank]), headings[tank])
        now = {square: ground[square] for square in before}
        now |= {square: f"*{headings[tank]}" for tank, square in enumerate(shells)}
        now |= {square: f"{tank % 2 + 1}{headings[tank]}" for tank, square in enumerate(places)}
        notes = (f"tank {number % TANKS + 1} of player 1 lost",) if number % 50 == 49 else ()
        actions = tuple(chance.choice(ACTIONS) for _ in range(TANKS))
        replay.frames.append(Frame(tuple(sorted(now.items())), actions, (50.0, 50.0), notes))
    return replay


def moved(square: int, heading: int) -> int:
    """One step, around the edges."""
    x, y = square % SIZE + STEPS[heading][0], square // SIZE + STEPS[heading][1]
    return y % SIZE * SIZE + x % SIZE


def show_viewer(options: argparse.Namespace) -> None:
    """Print how long the browser takes to draw a round."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("needs chromium: apt install chromium")
    theme = Registry.installed().find(GAME, "tanks").reference.load_as(Game).display.theme
    match = Outcome(teams=("one", "two"), map="large", winner=0, ranks=(1, 1), key="large", rounds=ROUNDS)
    names = ["one", "two"]
    replay = make_replay()
    changed = sum(len(frame.changes) for frame in replay.frames) / ROUNDS
    data = SiteData(
        title="x", teams=names, matches=[match], standings=standings(names, [match]), replay=lambda key: replay, theme=theme
    )
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        publish(data, Path(folder))
        size = (Path(folder) / "replays/large.js").stat().st_size
        print(f"{SIZE} x {SIZE}, {TANKS} tanks, {ROUNDS} rounds, {changed:.0f} squares change in a round; {size / 1e6:.1f} MB")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--headless=new"])
        for name, width, ratio in (("desktop 1280", 1280, 1), ("phone 390 at 3x", 390, 3)):
            page = browser.new_page(viewport={"width": width, "height": 844}, device_scale_factor=ratio)
            page.goto(f"{Path(folder).as_uri()}/match.html#match=1")
            page.wait_for_selector("#match:not(.loading)")
            ready = page.evaluate("performance.now()")
            report(name, ready, page)
            page.close()
        browser.close()


def report(name: str, ready: float, page: Any) -> None:
    """Print one device's times."""
    times = page.evaluate(MEASURE, ROUNDS - 1)
    print(f"{name}: shown after {ready:.0f} ms; a round {times['median']:.2f} ms (99 %: {times['most']:.1f});", end=" ")
    print(f"a jump {times['jump']:.1f} ms (99 %: {times['worst']:.1f})")
    for speed in (30, 120):
        page.keyboard.press("Home")
        played = page.evaluate(PLAY, [speed, 3000])
        print(f"    playing at {speed} a second: {played['rounds']:.1f} rounds, {played['frames']:.0f} frames a second")


def main() -> None:
    """Measure one part and print it."""
    parser = command_line(__doc__)
    parts = parser.add_subparsers(required=True)
    part = parts.add_parser("publish", help="publishing and serving")
    part.add_argument("numbers", type=int, nargs="*", metavar="NUMBER", help=f"numbers of games (default: {GAMES})")
    part.add_argument("--teams", type=int, default=150, help="how many teams play them (150)")
    part.add_argument("--turns", type=int, default=0, help="made replays with so many turns (those of sample games)")
    part.set_defaults(show=show_sites)
    parts.add_parser("viewer", help="drawing a round in the browser").set_defaults(show=show_viewer)
    options = parser.parse_args(words_with_part(parts.choices, "publish"))
    options.show(options)


if __name__ == "__main__":
    main()
