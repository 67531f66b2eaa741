"""Which plugins a user lets run code in the runner's own process, besides those that the host itself trusts."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.errors.named_paths import near_path
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.sources import NOBODY, PLUGIN_SUFFIXES, Origin, Source, is_of, normal_name, path_sources, place_of

TRUST_VARIABLE: Final = "TILTYARD_TRUST"
GAME_NAME: Final = re.compile(r"\w[\w.-]{0,63}")
GAME_CALL: Final = re.compile(r"\b(Game|game_hooks)\(")
MOST_FILES: Final = 50


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
        return "" if Path(path).exists() else f"{name}: no such file or folder, so that it can't be trusted{near_path(Path(path))}"
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
    """The file or folder with a game in ``folder`` that has that name, as it is to be named; empty if there is none."""
    for each in (name, f"{name}.py", f"{name.replace('-', '_')}.py") if GAME_NAME.fullmatch(name) else ():
        path = folder / each
        files = [path] if path.is_file() else [file for depth in ("", "*/", "src/*/") for file in path.glob(f"{depth}*.py")]
        if any(states_game(file) for file in files[:MOST_FILES]):
            return f"./{each}"
    return ""


def states_game(file: Path) -> bool:
    """Whether the text of a Python file looks as if it had a game. Nothing is imported."""
    with contextlib.suppress(OSError):
        return file.is_file() and GAME_CALL.search(file.read_text(encoding="utf-8", errors="replace")) is not None
    return False


def how_to_trust(source: Source) -> str:
    """What to name so that ``source`` is trusted; a path below the current folder is relative to it."""
    if source.origin is Origin.INSTALLED:
        return source.distribution
    path = os.path.relpath(place_of(source))
    return str(place_of(source)) if path.startswith("..") else f"./{path}".removesuffix("/.")
