"""A board of each game that comes from a course, beside each other: some rounds after the start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_pictures.marks import LIGHT
from tiltyard_pictures.picture import MatchPicture
from tiltyard_pictures.svg import svg_picture
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import Holding, MatchInput, MatchSpec, Recording
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.replays.files import record_replay

FOLDER = Path(__file__).resolve().parent
GAMES = {
    "Tanks": ("reference", "narrow-pass", ("acorn", "bramble"), 12),
    "Advance": ("advance", "advance-start", ("advance-level-5", "advance-level-6"), 16),
    "Filler": ("filler", "map00", ("nearest", "heat"), 48),
    "Penguins": ("penguins", "small-bay", ("penguins-greedy", "penguins-champion"), 14),
}
"""By the name that people know: the GameManager, the map, the teams, and the round that is shown."""
SIZE, GAP, LINE = 280, 20, 28


def files() -> Mapping[Path, str]:
    """The picture."""
    parts = [part for number, name in enumerate(GAMES) for part in board(name, number)]
    width, height = len(GAMES) * (SIZE + GAP) - GAP, SIZE + LINE
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
    paper = f'<rect width="{width}" height="{height}" fill="{LIGHT.paper}"/>'
    title = f"<title>A board of each game: {', '.join(GAMES)}</title>"
    return {FOLDER / "courses.svg": "\n".join([begin, title, paper, *parts, "</svg>", ""])}


def board(name: str, number: int) -> Iterator[str]:
    """The board alone, scaled to its square, below the name of its game."""
    picture = played(name)
    layout = picture.layout
    left, height = number * (SIZE + GAP), SIZE * layout.board_height / layout.board_width
    yield f'<text x="{left}" y="18" font-family="system-ui, sans-serif" font-size="16" font-weight="bold">{name}</text>'
    place = f'x="{left}" y="{LINE + (SIZE - height) / 2:g}" width="{SIZE}" height="{height:g}"'
    box = f"{layout.board_x} {layout.board_y} {layout.board_width} {layout.board_height}"
    _, _, drawn = svg_picture(picture, GAMES[name][3]).partition("</title>")
    # The names of one board's tokens are those of the next one's.
    for mark in ('id="', 'href="#', "url(#"):
        drawn = drawn.replace(mark, f"{mark}g{number}-")
    yield f'<svg {place} viewBox="{box}">{drawn.rstrip()}'


def played(name: str) -> MatchPicture:
    """The picture of a match."""
    manager, game_map, teams, _ = GAMES[name]
    registry = Registry.installed()
    referee = registry.find(MANAGER, manager).reference
    finder = Finder(registry)
    game = finder.game(referee.game)
    spec = MatchSpec(
        MatchInput(
            game=game,
            manager=referee,
            map=finder.map(game_map, game.name),
            teams=tuple(registry.find(ALGORITHM, team).reference for team in teams),
        ),
        holding=Holding(isolations=(Isolation.INLINE,) * len(teams)),
        recording=Recording(replay=True),
    )
    replay = record_replay(play_match(spec))
    assert replay is not None
    return MatchPicture(replay, game.load_as(Game).display.theme, scheme=LIGHT)
