"""What was found out about files and folders, so that finding a game and then its teams doesn't import their code twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Description, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.match.code_digest import code_files

MOST: Final = 1_000
"""How many descriptions are kept: a league sees new files all day."""
State: TypeAlias = tuple[tuple[str, int, int], ...]
"""The files of a source: name, size in bytes, and when each was changed, in nanoseconds."""


class DescriptionCache:
    """Descriptions of sources, for as long as their files stay as they are.

    Those with problems aren't kept: the machine may have caused them.
    """

    def __init__(self) -> None:
        self._cached: dict[Source, tuple[State, Description]] = {}

    def describe(
        self, sources: Sequence[Source], describe: Callable[[Sequence[Source]], Sequence[Description]]
    ) -> list[Description]:
        """The description of each source; ``describe`` is called for those that aren't known, if there are any."""
        # Before they are described: who changes a file meanwhile makes it unknown.
        states = {source: _state_of(source) for source in sources}
        new = [source for source, state in states.items() if state is None or self._cached.get(source, ((), None))[0] != state]
        fresh = dict(zip(new, describe(new), strict=True)) if new else {}
        described = [fresh[source] if source in fresh else copy_of(self._cached[source][1]) for source in sources]
        for source, description in fresh.items():
            self._keep(source, states[source], description)
        return described

    def _keep(self, source: Source, state: State | None, description: Description) -> None:
        self._cached.pop(source, None)
        # Maps are large, and nobody asks for them twice.
        if state is None or description.problems or any(contribution.data for contribution in description.contributions):
            return
        if len(self._cached) >= MOST:
            del self._cached[next(iter(self._cached))]
        self._cached[source] = state, copy_of(description)


def _state_of(source: Source) -> State | None:
    """None: what its files are isn't known, or there are too many to look at them all."""
    if source.origin in (Origin.INSTALLED, Origin.GIVEN):
        return None
    try:
        files = [(name, file.stat()) for _, name, file in code_files(source)]
    except (OSError, UserError):
        return None
    return tuple((name, status.st_size, status.st_mtime_ns) for name, status in files)


def copy_of(description: Description) -> Description:
    """The same description, whose lists are for whoever gets it."""
    return Description(description.file, [*description.contributions], [*description.problems])
