"""How long the replay viewer takes to draw a round in the browser: 200 x 200 squares, 100 tanks that move, turn and shoot.

Run as ``.venv/bin/python benchmarks/viewer.py``; needs Debian's chromium. A round has 33 ms at 30 rounds a second.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from pathlib import Path
from typing import Any

from measuring import command_line
from playwright.sync_api import sync_playwright

from tiltyard_engine.match_record import Outcome
from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import GAME
from tiltyard_engine.replay import Frame, Replay
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.standings import standings

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


def main() -> None:
    """Measure and print."""
    command_line(__doc__).parse_args()
    program = shutil.which("chromium")
    if program is None:
        raise SystemExit("needs chromium: apt install chromium")
    theme = Registry.installed().find(GAME, "tanks").reference.load_as(Game).display.theme
    match = Outcome(
        teams=("one", "two"),
        map="large",
        winner=0,
        ranks=(1, 1),
        key="large",
        rounds=ROUNDS,
    )
    names = ["one", "two"]
    replay = make_replay()
    changed = sum(len(frame.changes) for frame in replay.frames) / ROUNDS
    data = SiteData(
        title="x",
        teams=names,
        matches=[match],
        standings=standings(names, [match]),
        replay=lambda key: replay,
        theme=theme,
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


if __name__ == "__main__":
    main()
