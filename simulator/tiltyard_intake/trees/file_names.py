"""Names of files: what a browser made of one, and what a team's file may be called."""

from __future__ import annotations

import re
from typing import Final

_COPY: Final = re.compile(r"(?P<stem>.+?) ?\((?P<number>\d{1,3})\)", re.DOTALL)


def copied(stem: str) -> tuple[str, int]:
    """A name without a browser's number for a further download of it, and that number: ``bot (1)`` is ``bot`` and 1."""
    match = _COPY.fullmatch(stem)
    return (match["stem"], int(match["number"])) if match else (stem, 0)


def file_stem(team: str) -> str:
    """A team's name as files can be called in commands without quotes."""
    return re.sub(r"[^\w.+-]+", "_", team).strip("._-") or "team"
