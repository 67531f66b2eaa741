"""One thing that somebody handed in: where it lies, and how its owner called it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True, slots=True)
class Source:
    """A file, a folder or an archive.

    Exports put the names of students and numbers before the names of files. The tree of a team has the names that its members gave.
    """

    path: Path
    name: str
    """Such as ``Tank.h`` for ``smith_17_23_Tank.h``. Empty for a folder that the export made: what counts is in it."""
