"""The project's rooms and who imports whom, out of the source's own imports.

An import that a longer way implies is left out. A room must stand above all that it imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
ROOMS: Mapping[str, tuple[str, float, int]] = {
    "tiltyard_league": ("league: checks, chooses, plays all term", 1, 0),
    "tiltyard_tournaments": ("tournaments: formats, standings, site, tiltyard", 1, 1),
    "tiltyard_simulator.matchups": ("matchups: comparative, competition", 0, 2),
    "tiltyard_simulator.check": ("check: check, verify, rerun, debug", 1, 2),
    "tiltyard_simulator.cluster": ("cluster: many machines", 2, 2),
    "tiltyard_simulator.intake": ("intake: from what is handed in to teams", 3, 2),
    "tiltyard_simulator.play": ("play: the arena, workers, registry", 1, 3),
    "tiltyard_simulator.guard": ("guard: cells, confinement, programs", 0.5, 4),
    "tiltyard_simulator.replays": ("replays: files, viewer, pictures", 1.5, 4),
    "tiltyard_simulator.match": ("match: values, limits, verdicts, keys", 0.5, 5),
    "plugins": ("plugins: games and teams", 2, 5),
    "tiltyard_engine": ("engine: the contract, hooks, registry, seats", 1, 6),
}
"""A package: its name with what is in it, and its place as column and row. The plugins are one room."""
WIDTH, HEIGHT, GAP, RISE, MARGIN = 330, 46, 30, 100, 20
"""Pixels: a box, the gap between two boxes, the step from one row to the next, the border."""

STYLE = """\
<style>
rect { fill: #eef2f7; stroke: #56708f }
text { fill: #1b2733; font-size: 13px }
path { fill: none; stroke: #56708f }
.tip { fill: #56708f }
@media (prefers-color-scheme: dark) {
  rect { fill: #22303f; stroke: #8aa4c2 }
  text { fill: #e6edf5 }
  path { stroke: #8aa4c2 }
  .tip { fill: #8aa4c2 }
}
</style>
<defs>
<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
<path class="tip" d="M0 0L8 4L0 8z"/>
</marker>
</defs>"""


def sources(room: str) -> Iterator[Path]:
    """The room's files of Python."""
    parents = {"plugins": "plugins/*/tiltyard_*", "tiltyard_engine": "engine/tiltyard_engine"}
    default = f"{'simulator' if '.' in room else 'tournaments'}/{room.replace('.', '/')}"
    for package in ROOT.glob(parents.get(room, default)):
        yield from package.rglob("*.py")


def room_of(module: str) -> str | None:
    """The room that a module lies in; None if it isn't the project's."""
    return next((room for room in ROOMS if f"{module}.".startswith(f"{room}.")), None)


def imports_of(room: str) -> set[str]:
    """The other rooms that a room imports, lazy imports included."""
    found: set[str | None] = set()
    for path in sources(room):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.ImportFrom) and node.module:
                found.add(room_of(node.module))
            elif isinstance(node, ast.Import):
                found.update(room_of(alias.name) for alias in node.names)
    return {other for other in found if other and other != room}


def drawing() -> str:
    """The picture as SVG. It follows the reader's light or dark look."""
    graph = {room: imports_of(room) for room in ROOMS}

    @cache
    def below(room: str) -> frozenset[str]:
        return frozenset(graph[room]).union(*(below(other) for other in graph[room]))

    def corner(room: str) -> tuple[float, float]:
        _, column, row = ROOMS[room]
        return MARGIN + column * (WIDTH + GAP), MARGIN + row * RISE

    width, height = 3 * (WIDTH + GAP) - GAP + 2 * MARGIN, 6 * RISE + HEIGHT + 2 * MARGIN
    size = f'viewBox="0 0 {width} {height}" width="{width}"'
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif">', STYLE]
    for room, others in graph.items():
        implied = frozenset[str]().union(*(below(other) for other in others))
        for other in sorted(others - implied):
            (x, y), (there, under) = corner(room), corner(other)
            if under <= y:
                raise SystemExit(f"{room} imports {other}, which does not stand below it")
            start, end = f"{x + WIDTH / 2:g} {y + HEIGHT:g}", f"{there + WIDTH / 2:g} {under:g}"
            middle = (y + HEIGHT + under) / 2
            curve = f"{x + WIDTH / 2:g} {middle:g} {there + WIDTH / 2:g} {middle:g}"
            parts.append(f'<path d="M{start}C{curve} {end}" marker-end="url(#tip)"/>')
    for room, (text, _, _) in ROOMS.items():
        x, y = corner(room)
        name, _, rest = text.partition(":")
        parts.append(f'<rect x="{x:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="6"/>')
        label = f'<tspan font-weight="bold">{escape(name)}</tspan>{escape(rest)}'
        parts.append(f'<text x="{x + WIDTH / 2:g}" y="{y + HEIGHT / 2 + 5:g}" text-anchor="middle">{label}</text>')
    return "\n".join([*parts, "</svg>", ""])


def files() -> Mapping[Path, str]:
    """The picture."""
    return {FOLDER / "rooms.svg": drawing()}
