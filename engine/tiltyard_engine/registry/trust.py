"""Which plugins a user lets run code in the runner's own process, besides those that the host itself trusts."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.sources import NOBODY, PLUGIN_SUFFIXES, Origin, Source, is_of, normal_name, path_sources, place_of

TRUST_VARIABLE: Final = "TILTYARD_TRUST"
GAME_NAME: Final = re.compile(r"\w[\w.-]{0,63}")
STATED_GAME: Final = re.compile(r"\b(Game|game_hooks)\(")
MOST_FILES: Final = 50
MOST_CHARACTERS: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class Trust:
    """The distributions and paths that a user trusts.

    An installed plugin is trusted by its distribution's name, everything else by its path: the names of entry points,
    files and projects are chosen by their authors, so that anybody could take a trusted one.
    """

    distributions: frozenset[str] = frozenset()
    paths: frozenset[str] = frozenset()

    @classmethod
    def of(cls, names: Iterable[str]) -> Trust:
        """From what people write: what holds a ``/``, ends in ``.py`` or ``.so``, or is dots is a path, all else a distribution."""
        words = {name.strip() for name in names if name.strip()}
        paths = {name for name in words if "/" in name or name.lower().endswith(PLUGIN_SUFFIXES) or not name.strip(".")}
        return cls(
            frozenset(normal_name(name) for name in words - paths),
            frozenset(str(Path(path).expanduser().resolve()) for path in paths),
        )

    @classmethod
    def from_environment(cls, names: Iterable[str] = ()) -> Trust:
        """The given names and those of the environment variable TILTYARD_TRUST (comma-separated).

        Raises:
            UserError: nothing that was given has one of the names. The variable may name what is on another machine.
        """
        words = list(names)
        problems = list(filter(None, map(nothing_to_trust, words)))
        if problems:
            raise UserError("; ".join(problems))
        return cls.of([*words, *trusted_in_environment()])

    def sources(self, own: frozenset[str] = NOBODY, group: str = PROJECT) -> list[Source]:
        """The plugins in Python at the trusted paths, sorted by path.

        A path that doesn't exist is passed over: the environment may name one that is on another machine. So is what is no plugin.
        """
        sources: dict[Source, None] = {}
        for path in sorted(self.paths):
            with contextlib.suppress(UserError):
                sources |= dict.fromkeys(path_sources(Path(path), own, group))
        return [source for source in sources if source.origin not in (Origin.PROGRAM, Origin.LIBRARY)]

    def covers(self, source: Source) -> bool:
        """Whether the user lets the code of ``source`` run in the runner's own process."""
        if source.origin is Origin.INSTALLED:
            return is_of(source, self.distributions)
        if source.origin is Origin.GIVEN:
            # It is loaded here already, by the program itself.
            return True
        # Whoever trusts a file trusts what it imports from beside itself.
        places = [Path(source.folder or source.value), *([Path(source.value)] if source.origin is Origin.FILE else [])]
        return any(place.is_relative_to(path) for place in places for path in self.paths)


def trusted_in_environment() -> list[str]:
    """The names in the variable TILTYARD_TRUST."""
    return os.environ.get(TRUST_VARIABLE, "").split(",")


def nothing_to_trust(name: str) -> str:
    """Why there is nothing of a name to trust; empty if there is something."""
    trust = Trust.of([name])
    for path in trust.paths:
        # A link that leads nowhere is nothing, too.
        return "" if Path(path).exists() else f"{name}: no such file or folder, so that it can't be trusted"
    for distribution in trust.distributions:
        # Here, because the zygote of all cells never comes here: they are smaller without it.
        from importlib import metadata

        try:
            metadata.distribution(distribution)
        except metadata.PackageNotFoundError:
            here = next((each for each in (name, f"{name}.py") if Path(each).exists()), "")
            hint = f"; for the one in this folder, write ./{here}" if here else ""
            return f"{name}: no such distribution is installed, so that it can't be trusted{hint}"
    return ""


def game_to_trust(name: str, folder: Path) -> str:
    """What to name so that there is a game of that name: a file or folder that has its name, as paths in ``folder`` are written.

    Only the text of Python files is looked at. Empty if there is nothing.
    """
    if not GAME_NAME.fullmatch(name):
        return ""
    for each in dict.fromkeys((name, f"{name}.py", f"{name.replace('-', '_')}.py")):
        path = folder / each
        files = [path] if path.is_file() else [file for depth in ("", "*/", "src/*/") for file in path.glob(f"{depth}*.py")]
        if any(states_game(file) for file in files[:MOST_FILES]):
            return f"./{each}"
    return ""


def states_game(file: Path) -> bool:
    """Whether the text of a Python file looks as if it had a game."""
    try:
        with file.open(encoding="utf-8", errors="replace") as text:
            return STATED_GAME.search(text.read(MOST_CHARACTERS)) is not None
    except OSError:
        return False


def how_to_trust(source: Source) -> str:
    """What to name so that ``source`` is trusted; a path below the current folder is relative to it."""
    if source.origin is Origin.INSTALLED:
        return source.distribution
    path, here = place_of(source), Path.cwd()
    if path == here:
        return "."
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
