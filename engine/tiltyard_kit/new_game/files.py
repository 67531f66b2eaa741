"""Fills in the templates of a new game."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from importlib import resources
from importlib.resources.abc import Traversable
from string import Template
from typing import Final

PACKAGE: Final = "PACKAGE"
"""Stands for the package's name in the paths of the templates."""
SUFFIX: Final = ".template"
SHARED: Final = "shared"
"""The folder of the files that games of all kinds have."""


class GameKind(StrEnum):
    """What a new game shows its author how to do."""

    TURNS = "turns"
    SIMULTANEOUS = "simultaneous"
    HIDDEN = "hidden"
    NO_BOARD = "no-board"
    MANY = "many"
    CHANCE = "chance"


@dataclass(frozen=True, slots=True)
class AboutKind:
    """What differs between the games besides their code."""

    help: str
    """For the command's help."""
    summary: str
    """The game in one line, such as for ``tiltyard plugins``."""
    second: str = "greedy"
    """The name of the better of the two algorithms; the other one is called ``random``."""


KINDS: Final[Mapping[GameKind, AboutKind]] = {
    GameKind.TURNS: AboutKind(
        "players move in turn on a board that all see",
        "put stones on a board in turn; the first to have enough in a line wins",
    ),
    GameKind.SIMULTANEOUS: AboutKind(
        "all players move at once",
        "steer a trail over a board, both at once; a player who runs into something loses",
        second="roomy",
    ),
    GameKind.HIDDEN: AboutKind(
        "players see different things",
        "put stones on a board without seeing the opponent's; the first to have enough in a line wins",
        second="line",
    ),
    GameKind.NO_BOARD: AboutKind(
        "no board: cards, texts, tables",
        "play cards onto a common sum in turn; the player who reaches the goal exactly wins",
        second="exact",
    ),
    GameKind.MANY: AboutKind(
        "2 to 9 players, with scores and ranks",
        "take free squares next to your own in turn; the most squares win",
    ),
    GameKind.CHANCE: AboutKind(
        "dice, from the seed of the match",
        "roll a die and move one of two runners; the first with both at the goal wins",
        second="hunter",
    ),
}


def package_of(name: str) -> str:
    """The name of a game's package: ``Connect-Four`` has ``connect_four``."""
    return "_".join(word for word in re.split(r"[^A-Za-z0-9]+", name) if word).lower()


def game_template(name: str, kind: GameKind) -> dict[str, str]:
    """The files of a game: path to text.

    Args:
        name: a letter, then letters and digits with single ``-``, ``_`` or ``.`` between them.
        kind: what it shows.
    """
    about, package = KINDS[kind], package_of(name)
    places = {
        "name": name,
        "package": package,
        "summary": about.summary,
        "first": "random",
        "second": about.second,
        "map": "small",
    }
    folder = resources.files("tiltyard_kit.new_game") / "templates"
    templates = [*_files(folder / SHARED), *_files(folder / str(kind))]
    return {
        path.removesuffix(SUFFIX).replace(PACKAGE, package): Template(file.read_text(encoding="utf-8")).substitute(places)
        for path, file in sorted(templates, key=lambda pair: pair[0])
    }


def _files(folder: Traversable, path: str = "") -> Iterator[tuple[str, Traversable]]:
    """The templates below a folder, and their paths in it."""
    for entry in folder.iterdir():
        if entry.is_dir():
            yield from _files(entry, f"{path}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield path + entry.name, entry
