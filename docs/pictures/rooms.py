"""The project's rooms and who imports whom, out of the source's own imports.

An import that a longer way implies is left out. A room must stand above all that it imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from pictures.svg_drawing import Drawing

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
ROOMS: Mapping[str, tuple[str, float, int]] = {
    "tiltyard_league": ("league: checks, chooses, plays all term", 2.17, 0),
    "tiltyard_pictures": ("pictures: drawings, films", 0.3, 2),
    "tiltyard_whatif": ("whatif: other answers, why a team lost", 3.7, 2),
    "tiltyard_intake": ("intake: from what is handed in to teams", 2.75, 2),
    "tiltyard_alike": ("alike: copies by behaviour, for staff", 3.3, 1),
    "tiltyard_kit_commands": ("kit commands: check-game, new game", 4.9, 0),
    "tiltyard_fairness": ("fairness: maps and their seats", 5.0, 4),
    "tiltyard_web_play": ("web play: a person in a seat", 4.3, 1),
    "tiltyard_site": ("site: pages, replays, serve", 1.5, 3),
    "tiltyard_matchups": ("matchups: comparative, competition", 1.6, 4),
    "tiltyard_checks": ("checks: check, verify, debug, doctor", 1.9, 5),
    "tiltyard_viewer": ("viewer: matches in a terminal, watch", 1.2, 6),
    "tiltyard_contest": ("contest: stages, decisions, FIDE's file", 1.65, 2),
    "tiltyard_cycles": ("cycles: does one number fit", 3.3, 3),
    "tiltyard_tournaments": ("tournaments: formats, standings, tiltyard", 1.3, 7),
    "tiltyard_cluster": ("cluster: many machines", 2.8, 8),
    "tiltyard_simulator.play": ("play: the arena, workers, registry", 1.5, 9),
    "tiltyard_simulator.guard": ("guard: cells, confinement, programs", 1, 10),
    "tiltyard_simulator.replays": ("replays: bytes, files", 2, 10),
    "tiltyard_simulator.match": ("match: values, limits, verdicts, keys", 1, 11),
    "plugins": ("plugins: games and teams", 2.5, 11),
    "tiltyard_kit": ("kit: for authors of games", 4.3, 12),
    "tiltyard_engine": ("engine: the contract, hooks, registry, seats", 1.5, 13),
}
"""A package: its name with what is in it, and its place as column and row. The plugins are one room."""
OLD_NAMES = (
    *(ROOT / "engine" / "tiltyard_engine" / name for name in ("conformance.py", "terminal", "testing.py")),
    ROOT / "tournaments" / "tiltyard_tournaments" / "site.py",
)
"""These only lead to the kit and the site, for programs that import them by the names of before."""
MODULE = re.compile(r"tiltyard_[\w.]+")
WIDTH, HEIGHT, GAP, RISE, MARGIN = 236, 48, 20, 100, 20
"""Pixels: a box, the gap between two boxes, the step from one row to the next, the border."""


def sources(room: str) -> Iterator[Path]:
    """The room's files of Python."""
    parents = {"plugins": "plugins/*/tiltyard_*", "tiltyard_engine": "engine/tiltyard_engine"}
    for package in ROOT.glob(parents.get(room, f"*/{room.replace('.', '/')}")):
        yield from (file for file in package.rglob("*.py") if not any(file.is_relative_to(old) for old in OLD_NAMES))


def room_of(module: str) -> str | None:
    """The room that a module lies in; None if it isn't the project's."""
    return next((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), None)


def imports_of(room: str) -> set[str]:
    """The other rooms that a room imports, lazy imports included."""
    found: set[str | None] = {None, room}
    for path in sources(room):
        text = path.read_text(encoding="utf-8")
        # Only what names a room that is not known yet is parsed: that takes most of the time.
        if {room_of(name) for name in set(MODULE.findall(text))} <= found:
            continue
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(room_of(node.module))
            elif isinstance(node, ast.Import):
                found.update(room_of(alias.name) for alias in node.names)
    return {other for other in found if other and other != room}


def files() -> Mapping[Path, str]:
    """The picture."""
    return {FOLDER / "rooms.svg": drawing().svg()}


def drawing() -> Drawing:
    """The rooms from top to bottom, with an arrow for each import."""
    graph = {room: imports_of(room) for room in ROOMS}

    @cache
    def below(room: str) -> frozenset[str]:
        return frozenset(graph[room]).union(*(below(other) for other in graph[room]))

    def corner(room: str) -> tuple[float, float]:
        _, column, row = ROOMS[room]
        return MARGIN + column * (WIDTH + GAP), MARGIN + row * RISE

    right, bottom = (max(corner(room)[side] for room in ROOMS) for side in (0, 1))
    made = Drawing(int(right) + WIDTH + MARGIN, int(bottom) + HEIGHT + MARGIN, "The project's rooms; each arrow is an import")
    for room, others in graph.items():
        implied = frozenset[str]().union(*(below(other) for other in others))
        for other in sorted(others - implied):
            (x, y), (there, under) = corner(room), corner(other)
            if under <= y:
                raise SystemExit(f"{room} imports {other}, which does not stand below it")
            made.fall((x + WIDTH / 2, y + HEIGHT), (there + WIDTH / 2, under))
    for room, (text, _, _) in ROOMS.items():
        made.box((*corner(room), WIDTH, HEIGHT), text.split(": "))
    return made
