"""Which game is played, where people only name algorithms and maps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from tiltyard_engine.errors import MapError, UserError
from tiltyard_engine.errors.named_paths import near_path
from tiltyard_engine.records import Game, usual_players
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.lookup import split_given_name
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MAP
from tiltyard_engine.texts.names import is_same
from tiltyard_simulator.match.map_reading import read_map
from tiltyard_simulator.match.own_distributions import GAME_EXTRAS
from tiltyard_simulator.registry.map_files import map_files_in, read_map_file
from tiltyard_simulator.registry.plugin_list import INSTALLED, path_from_here

MOST_READ: Final = 20
"""Files of a folder in which a map is looked for."""


def fitting_game(registry: Registry, algorithms: Sequence[str] = (), maps: Sequence[str] = ()) -> str:
    """The name of the one game that fits the algorithms and the maps. Those that fit any game are ignored.

    Where names and algorithms don't tell, map files are read: which game can read them.

    Raises:
        UserError: no game fits, or several do. The message says what to write.
    """
    installed = [entry.name for entry in registry.all(GAME)]
    fitting = set(installed)
    games_of: dict[str, set[str]] = {}
    for kind, texts in ((ALGORITHM, algorithms), (MAP, maps)):
        for text in (split_given_name(text)[1] if kind == ALGORITHM else text for text in texts):
            games = {entry.reference.game for entry in registry.all(kind) if is_same(entry.name, text)}
            if not games and kind == ALGORITHM:
                games = _games_at(text, registry)
            if games:
                games_of[text] = games
                fitting &= games
    for text in maps:
        if len(fitting) > 1 and text not in games_of and (games := _games_that_read(text, registry, fitting)):
            fitting = games
    if len(fitting) == 1:
        return fitting.pop()
    if fitting:
        offered = fitting.intersection(registry.games_to_offer()) or fitting
        names = sorted({re.sub("/.*", "/...", name) for name in offered})
        choice = " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        missing = [text for text in (*algorithms, *maps) if _is_missing(text)]
        hint = f"; no such file or folder: {', '.join(missing)}{near_path(Path(missing[0]))}" if missing else ""
        unknown, broken = _unknown_names(registry, algorithms, maps), _broken_games(registry)
        if unknown and broken:
            raise UserError(broken, see="which-game")
        cause = "can't tell which game to play from the algorithms and maps"
        raise UserError(f"{cause}: name the game, {choice}, or a GameManager{hint}{unknown}", see="which-game")
    if installed:
        in_words = {text: " or ".join(sorted(games)) for text, games in games_of.items()}
        if absent := [text for text, games in games_of.items() if games.isdisjoint(installed)]:
            causes = [f"{text}: is for the game {in_words[text]}, which isn't installed" for text in absent]
            offer = sorted({re.sub("/.*", "/...", name) for name in registry.games_to_offer()})
            raise UserError("; ".join([*causes, f"installed: {', '.join(offer)}"]), see="which-game")
        games_in_words = "; ".join(f"{text} is for {names}" for text, names in in_words.items())
        raise UserError(f"the algorithms and maps aren't all for one game: {games_in_words}", see="which-game")
    to_install = f"no game is installed; install one of them: {', '.join(GAME_EXTRAS.values())}"
    raise UserError("; ".join(filter(None, [registry.failed_before(GAME), to_install])), see="no-game")


def _unknown_names(registry: Registry, algorithms: Sequence[str], maps: Sequence[str]) -> str:
    """A hint at words that are neither paths nor installed names, because they may be misspelt."""
    unknown: list[str] = []
    for kind, texts in ((ALGORITHM, algorithms), (MAP, maps)):
        names = {INSTALLED, *(entry.name for entry in registry.all(kind))}
        unknown += [text for text in texts if re.fullmatch(r"[\w-]+", text) and text not in names and not Path(text).exists()]
    words = [f"'{text}'" for text in dict.fromkeys(unknown)]
    near = next(filter(None, (near_path(Path(text)) for text in unknown)), "")
    # Such as 'pig-random', of the game 'pig'.
    to_trust = (registry.what_to_trust(GAME, name) for text in unknown for name in (text, text.rpartition("-")[0]) if name)
    if trust := next(filter(None, to_trust), ""):
        near = f"; {trust}"
    return f"; nothing installed is called {' or '.join(filter(None, (', '.join(words[:-1]), words[-1])))}{near}" if words else ""


def _broken_games(registry: Registry) -> str:
    """Why there are not more games: those that are trusted or installed, but have a mistake."""
    broken = [row for row in registry.failures() if row.kind == GAME or (row.kind == "plugin" and not row.distribution)]
    return "; ".join(f"the game '{row.name}' in {path_from_here(row.file)} can't be played: {row.reason}" for row in broken)


def _is_missing(text: str) -> bool:
    """Whether it can only be meant as the path of one file or folder, and there is none."""
    path = split_given_name(text)[1]
    is_path = "/" in path or Path(path).suffix != ""
    return is_path and not any(character in path for character in " *?[:") and not Path(path).exists()


def path_in(text: str) -> Path | None:
    """The file or folder that a word names, perhaps with the name of one plugin in it; None if there is none."""
    try:
        path = Path(text if Path(text).exists() else text.rpartition(":")[0] or text)
        return path if path.exists() else None
    except (OSError, ValueError):
        # No file has such a name: it is too long, or has a zero byte.
        return None


def _games_at(text: str, registry: Registry) -> set[str]:
    """The games that the plugins of a file or folder are for; empty if there is no such file."""
    path = path_in(text)
    if path is None:
        return set()
    try:
        return {entry.reference.game for entry in registry.of_paths([path]).entries if entry.reference.kind == ALGORITHM}
    except UserError:
        return set()


def _games_that_read(text: str, registry: Registry, names: Iterable[str]) -> set[str]:
    """Which of the games can read a map file, or the first file of a folder that any of them can read; empty if there is none."""
    path = Path(text)
    files = map_files_in(path) if path.is_dir() else [path]
    for file in files[:MOST_READ]:
        if file.is_file() and (games := {name for name in names if _can_read(file, registry.game(name))}):
            return games
    return set()


def _can_read(file: Path, game: Game[Any]) -> bool:
    try:
        read_map(game, str(file), read_map_file(file).data, usual_players(game))
    except (MapError, UserError):
        return False
    return True
