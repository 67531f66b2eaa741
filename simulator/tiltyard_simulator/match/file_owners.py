"""Which installed files belong to which distribution, where two or more claim the same.

A distribution lists its files itself, in RECORD, and nothing stops a team from listing those of another team or of a library. So
where claims meet, the claims with the right digest of a file hold: whoever knows the digest has the file already. What nobody can
prove belongs to nobody. Source: the packaging user guide, "Recording installed projects".
"""

from __future__ import annotations

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass

LIBRARY: Final = ""
"""Stands for all distributions that contribute nothing: everybody may read their files."""
NOBODY: Final[frozenset[str]] = frozenset()
_BYTECODE: Final = "__pycache__"


@dataclass(frozen=True, slots=True)
class Claim:
    """A line of a RECORD."""

    who: str
    """A plugin's distribution, or LIBRARY."""
    base: str
    """The folder that the distribution is installed in."""
    parts: tuple[str, ...]
    algorithm: str = ""
    digest: str = ""

    @property
    def path(self) -> str:
        """The path of the file that the line is about."""
        return str(Path(self.base, *self.parts))

    @property
    def is_proven(self) -> bool:
        """Whether the file has the digest that the line says."""
        return bool(self.digest) and _digest(self.path, self.algorithm) == self.digest


def owners_of(claims: Iterable[Claim]) -> dict[str, frozenset[str]]:
    """Files and folders, and whose they are. What belongs to a library is left out; what has no owner is nobody's."""
    owners: dict[str, frozenset[str]] = {}
    for path, group in _grouped(claims, 0).items():
        _divide(Path(path), group, 1, owners)
    return owners


def _divide(path: Path, claims: list[Claim], depth: int, owners: dict[str, frozenset[str]]) -> None:
    """Find the owners of a path, and if several have a right to it, of what is below."""
    claimants = {claim.who for claim in claims}
    # Below the top, others have a right to the folder: a file that they did not list may be theirs.
    if len(claimants) > 1 or depth > 1:
        claimants = {claim.who for claim in claims if claim.is_proven}
        claims = [claim for claim in claims if claim.who in claimants]
    if len(claimants) < 2 or not path.is_dir():
        if LIBRARY not in claimants:
            owners[str(path)] = frozenset(claimants)
        return
    below = _grouped((claim for claim in claims if len(claim.parts) > depth), depth)
    for child, group in below.items():
        _divide(Path(child), group, depth + 1, owners)
    # What no RECORD lists may be made of what one lists, as bytecode is.
    for stray in path.iterdir():
        if str(stray) not in below and (stray.name == _BYTECODE or LIBRARY not in claimants):
            owners[str(stray)] = NOBODY


def _grouped(claims: Iterable[Claim], depth: int) -> Mapping[str, list[Claim]]:
    groups: dict[str, list[Claim]] = {}
    for claim in claims:
        # Folders such as "..", "bin" or "share" are shared by many.
        whole = depth or len(claim.parts) == 1 or is_import_name(claim.parts[0])
        path = str(Path(claim.base, *claim.parts[: depth + 1])) if whole else claim.path
        groups.setdefault(path, []).append(claim)
    return groups


def is_import_name(folder: str) -> bool:
    """Whether it is a package or a distribution's metadata. Other folders, such as ``bin``, are shared by many."""
    return folder.isidentifier() or folder.endswith(".dist-info")


@cache
def _digest(path: str, algorithm: str) -> str:
    """As RECORD writes it; empty if it cannot be had."""
    try:
        return urlsafe_b64encode(hashlib.new(algorithm, Path(path).read_bytes()).digest()).rstrip(b"=").decode()
    except (OSError, ValueError, TypeError):
        return ""


def is_there(path: Path) -> bool:
    """Whether something lies there; not where the path is one that cannot be, as in a text that somebody made up."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def forget() -> None:
    """Read the files again."""
    _digest.cache_clear()


def existing(claims: Iterable[Claim]) -> Iterator[Claim]:
    """The claims to what is there and lies below the folder that the distribution is installed in."""
    for claim in claims:
        whole = len(claim.parts) == 1 or is_import_name(claim.parts[0])
        path = Path(claim.base, claim.parts[0]) if whole else Path(claim.path)
        if ".." not in claim.parts and is_there(path):
            yield claim
