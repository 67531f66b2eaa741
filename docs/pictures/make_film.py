"""Makes the film of a game: really plays dragoon against coyote on the map herringbone and draws the replay.

Run as ``.venv/bin/python docs/pictures/make_film.py``. The sample teams play the same game every time.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_pictures.film import film_rounds, gif_film
from tiltyard_pictures.picture import MatchPicture
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.replays.files import record_replay

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from pictures.drawn_from import note  # noqa: E402 -- it lies beside this program

FOLDER = Path(__file__).resolve().parent
TEAMS = ("dragoon", "coyote")
MAP = "herringbone"
SPEED = 7.0
"""Rounds a second."""
LARGEST = 600_000
"""Bytes of the film."""


def main() -> int:
    """Play, draw, write."""
    registry = Registry.installed()
    referee = registry.find(MANAGER, "reference").reference
    game = Finder(registry).game(referee.game)
    teams = tuple(registry.find(ALGORITHM, name).reference for name in TEAMS)
    spec = MatchSpec(MatchInput(game=game, manager=referee, map=Finder(registry).map(MAP, game.name), teams=teams))
    replay = record_replay(play_match(replace(spec, recording=replace(spec.recording, replay=True))))
    assert replay is not None
    film = gif_film(MatchPicture(replay, game.load_as(Game).display.theme), film_rounds(replay, SPEED))
    if len(film) > LARGEST:
        raise SystemExit(f"game.gif has {len(film)} bytes: expected at most {LARGEST}")
    (FOLDER / "game.gif").write_bytes(film)
    note("game.gif", "make_film.py")
    print(f"game.gif: {len(replay.frames)} rounds, {len(film) / 1000:.0f} kB; {replay.message}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
