"""Whether a team's code mentions a module, so that importing it once for all its cells pays."""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.code_digest import code_files

MOST_FILES: Final = 200
MOST_BYTES: Final = 1 << 20
"""Of a file. A larger one is data, whatever its name says."""


@cache
def mentions(source: Source, module: str) -> bool:
    """Whether a module's name stands in one of the source's Python files. Remembered by this process."""
    if source.origin in (Origin.PROGRAM, Origin.LIBRARY) or source.error:
        return False
    try:
        for _, _, file in islice(code_files(source), MOST_FILES):
            if file.suffix.lower() == ".py" and file.stat().st_size <= MOST_BYTES and module.encode() in file.read_bytes():
                return True
    except (OSError, UserError):
        # What cannot be read is told when it is loaded.
        pass
    return False
