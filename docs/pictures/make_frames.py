"""Makes the pictures of docs/reference/frames.md: all shapes in all colours, in both looks, and a board with a legend.

Run as ``.venv/bin/python docs/pictures/make_frames.py``. With ``--check`` it only says whether they are up to date: status 0 or 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.replay import SHAPES, Replay, SquareStyle, Theme
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.pictures import DARK, LIGHT, Picture, svg_picture

FOLDER = Path(__file__).resolve().parent
CONNECT_FOUR = FOLDER.parent / "examples" / "games" / "connect_four.py"
ORANGE, BLUE = "#d55e00", "#0072b2"
ROWS: Mapping[str, Mapping[str, Any]] = {
    "1": {"seat": 1},
    "2": {"seat": 2},
    "3": {"foreground": "#2f9e6e"},
    "4": {"background": "#7f3c8d"},
    "5": {"seat": 1, "mark": "K"},
    "6": {"seat": 1, "turn": 1},
    "7": {"seat": 1, "floor": "#b08d2e"},
    "8": {"seat": 2, "ring": "#c40000"},
    "9": {"seat": 2, "dot": "#2f9e6e"},
}
"""What the styles of each row give, besides a shape."""


def main() -> int:
    """Draw, and write what is new, or name it."""
    stale = 0
    for name, drawn in pictures():
        picture = FOLDER / name
        if picture.exists() and picture.read_text(encoding="utf-8") == drawn:
            continue
        if "--check" in sys.argv[1:]:
            print(f"{picture} is out of date: run {Path(__file__).name}", file=sys.stderr)
            stale = 1
        else:
            picture.write_text(drawn, encoding="utf-8")
    return stale


def pictures() -> Iterator[tuple[str, str]]:
    """Their names and what is in them."""
    shapes = [*SHAPES, ""]
    styles = {
        f"{row}{shape}": SquareStyle(glyph="♞ ", plain="N ", shape=shape, **given)
        for row, given in ROWS.items()
        for shape in shapes
    }
    theme = Theme(
        styles=styles,
        seat_colors=(ORANGE, BLUE),
        column_names=tuple("abcdefghij"[: len(shapes)]),
        row_names=tuple(ROWS),
    )
    replay = Replay(game="shapes", width=len(shapes), height=len(ROWS), squares=tuple(styles))
    for look, scheme in (("light", LIGHT), ("dark", DARK)):
        yield f"shapes-{look}.svg", svg_picture(Picture(replay, theme, scheme=scheme), 0)
    match, match_theme = connect_four()
    yield "legend.svg", svg_picture(Picture(match, match_theme, scheme=LIGHT, legend=True), len(match.frames))


def connect_four() -> tuple[Replay, Theme]:
    """A match of the example."""
    found = Registry.from_paths([CONNECT_FOUR])
    game = found.all(GAME)[0].reference
    theme = game.load_as(Game).display.theme
    replay = play_match(
        MatchSpec(
            game=game,
            manager=found.all(MANAGER)[0].reference,
            map=MapSource("standard", b"7 6"),
            algorithms=(found.find(ALGORITHM, "four-random").reference, found.find(ALGORITHM, "four-careful").reference),
            isolations=(Isolation.INLINE,) * 2,
            record=True,
        )
    ).replay
    assert replay is not None
    assert theme is not None
    return replay, theme


if __name__ == "__main__":
    sys.exit(main())
