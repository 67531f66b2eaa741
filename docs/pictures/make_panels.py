"""Makes the picture of a game without a board: plays the card game of the examples and draws the replay.

Run as ``.venv/bin/python docs/pictures/make_panels.py``. With ``--check`` it only says whether the picture is up to date: status 0
or 1.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.pictures import LIGHT, Picture, svg_picture

FOLDER = Path(__file__).resolve().parent
GAME_FILE = FOLDER.parent / "examples" / "games" / "high_card.py"
TEAMS = ("lowest", "beats")
ROUND = 2


def main() -> int:
    """Play, draw, and write what is new, or name it."""
    registry = Registry.from_paths([GAME_FILE])
    game = registry.all(GAME)[0].reference
    spec = MatchSpec(
        game=game,
        manager=registry.all(MANAGER)[0].reference,
        map=MapSource("five", b"5"),
        algorithms=tuple(registry.find(ALGORITHM, name).reference for name in TEAMS),
        isolations=(Isolation.INLINE,) * len(TEAMS),
        record=True,
    )
    replay = play_match(spec).replay
    assert replay is not None
    drawn = svg_picture(Picture(replay, game.load_as(Game).display.theme, scheme=LIGHT), ROUND)
    picture = FOLDER / "panels.svg"
    if picture.exists() and picture.read_text(encoding="utf-8") == drawn:
        return 0
    if "--check" in sys.argv[1:]:
        print(f"{picture} is out of date: run {Path(__file__).name}", file=sys.stderr)
        return 1
    picture.write_text(drawn, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
