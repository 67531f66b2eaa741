"""The limit on open files: cells keep their pipes at numbers far above those of ordinary files."""

from __future__ import annotations

import resource
from typing import Final

from tiltyard_engine.errors import UserError

HIGHEST_PRIVATE: Final = 512
"""Above all numbers that ``zygote_main`` gives to pipes: it begins between 200 and 500."""


def allow_open_files(needed: int = HIGHEST_PRIVATE) -> None:
    """Raise this process's own limit as far as it must be; children inherit it.

    Raises:
        UserError: the machine does not allow it.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise UserError(
            f"the limit on open files is {hard} (ulimit -n), but cells need {needed}; "
            f"raise it, for example with 'ulimit -n {needed}'",
            see="open-files",
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
