"""Which plugins a user lets run code in the runner's own process, besides those that the host itself trusts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.sources import NOBODY, PLUGIN_SUFFIXES, Origin, Source, is_of, normal_name, path_sources

TRUST_VARIABLE: Final = "TILTYARD_TRUST"


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
        """From what people write: what holds a ``/`` or ends in ``.py`` or ``.so`` is a path, all else a distribution."""
        given = {name.strip() for name in names if name.strip()}
        paths = {name for name in given if "/" in name or name.lower().endswith(PLUGIN_SUFFIXES)}
        return cls(
            frozenset(normal_name(name) for name in given - paths),
            frozenset(str(Path(path).expanduser().resolve()) for path in paths),
        )

    @classmethod
    def from_environment(cls, names: Iterable[str] = ()) -> Trust:
        """The given names and those of the environment variable TILTYARD_TRUST (comma-separated)."""
        return cls.of([*names, *os.environ.get(TRUST_VARIABLE, "").split(",")])

    def sources(self, own: frozenset[str] = NOBODY, group: str = PROJECT) -> list[Source]:
        """The plugins in Python at the trusted paths, sorted by path.

        A path that doesn't exist is passed over: the environment may name one that is on another machine. So is what is no plugin.
        """
        found: dict[Source, None] = {}
        for path in sorted(self.paths):
            with contextlib.suppress(UserError):
                found |= dict.fromkeys(path_sources(Path(path), own, group))
        return [source for source in found if source.origin not in (Origin.PROGRAM, Origin.LIBRARY)]

    def covers(self, source: Source) -> bool:
        """Whether the user lets the code of ``source`` run in the runner's own process."""
        if source.origin is Origin.INSTALLED:
            return is_of(source, self.distributions)
        if source.origin is Origin.GIVEN:
            # It is loaded here already, by the program itself.
            return True
        place = Path(source.folder or source.value)
        return any(place.is_relative_to(path) for path in self.paths)


def how_to_trust(source: Source) -> str:
    """What to name so that ``source`` is trusted."""
    return source.distribution if source.origin is Origin.INSTALLED else source.folder or source.value
