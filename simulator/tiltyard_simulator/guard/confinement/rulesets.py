"""The Landlock rules of a cell. A folder with hidden parts needs a rule for each of its children, so the rules are prepared once.

They are prepared in another process, because hidden paths name other teams: the cell gets a descriptor, and never hears of them.

For a Python team two rulesets are applied, and both must grant an access. One has many rules. It is made once, shared by cells, and
grants the folder of all scratch folders. The other has few rules. It is made in each cell, grants whole readable paths, and only
the cell's own scratch folder. A program has one cell in a match, and one ruleset: it is begun outside, and the cell adds its
scratch folder.
"""

from __future__ import annotations

import errno
import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_simulator.guard.confinement.kernel.landlock import (
    READ,
    WRITE,
    Access,
    Rules,
    Ruleset,
    is_below,
    landlock_version,
    restrict_self,
    rules_for,
)
from tiltyard_simulator.guard.policy import CellPolicy, PreparedPolicy

LIBRARIES: Final = ("/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store")
"""Libraries of Python's extension modules and of programs."""
SYSTEM_FILES: Final = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/locale.alias", "/etc/ssl/openssl.cnf"),
    *("/usr/share/zoneinfo", "/usr/share/locale"),
)
_DEVICES: Final = {
    "/dev/null": Access.READ_FILE | Access.WRITE_FILE,
    "/dev/zero": Access.READ_FILE,
    "/dev/full": Access.READ_FILE | Access.WRITE_FILE,
    "/dev/random": Access.READ_FILE,
    "/dev/urandom": Access.READ_FILE,
}
_MOST_CACHED: Final = 64
"""How many prepared rulesets a zygote keeps."""

Signature = tuple[tuple[int, int, int] | None, ...]


@dataclass(frozen=True, slots=True)
class _CachedRuleset:
    """A ruleset, and a signature that changes with the files that it was made for."""

    ruleset: int
    """-1 if cells can't share one."""
    watched: tuple[tuple[str, bool], ...]
    signature: Signature


_cache: OrderedDict[object, _CachedRuleset] = OrderedDict()


def prepare_files(policy: CellPolicy) -> PreparedPolicy:
    """Make the ruleset. One that cells share is made again only if its files have changed.

    Raises:
        OSError: a system call failed.
    """
    if not policy.python:
        return prepare_alone(policy)
    key = _key(policy)
    cached = _cache.pop(key, None)
    if cached is not None and cached.signature != _signature(cached.watched):
        _forget(cached)
        cached = None
    if cached is None:
        watched = _watched(policy)
        cached = _CachedRuleset(_shared_ruleset(policy), watched, _signature(watched))
        while len(_cache) >= _MOST_CACHED:
            _forget(_cache.popitem(last=False)[1])
    _cache[key] = cached
    return prepare_alone(policy) if cached.ruleset < 0 else PreparedPolicy(_without_hidden(policy), cached.ruleset, is_shared=True)


def prepare_alone(policy: CellPolicy) -> PreparedPolicy:
    """Begin a ruleset for one cell. Raises OSError if a system call fails."""
    ruleset = Ruleset(landlock_version())
    try:
        ruleset.allow_all(rules_for(_roots(policy), policy.hidden, _reading(policy)))
    except BaseException:
        os.close(ruleset.descriptor)
        raise
    return PreparedPolicy(_without_hidden(policy), ruleset.descriptor)


def _without_hidden(policy: CellPolicy) -> CellPolicy:
    return replace(policy, hidden=())


def _roots(policy: CellPolicy) -> list[str]:
    return [path for path in (*policy.readable, *system_paths()) if path.strip("/")]


def _key(policy: CellPolicy) -> object:
    scratch_root = os.path.dirname(policy.scratch)  # noqa: PTH120 -- pathlib's pages are not a young cell's yet
    return (policy.readable, policy.hidden, scratch_root, policy.python)


def _forget(cached: _CachedRuleset) -> None:
    if cached.ruleset >= 0:
        os.close(cached.ruleset)


def restrict_files(prepared: PreparedPolicy, also: Rules) -> None:
    """Apply the rulesets to this process, and close them.

    Args:
        prepared: the policy, with a ruleset of this process's own descriptors.
        also: what this cell may access beside that, outside of the policy's folders: of /proc and /dev.

    Raises:
        OSError: a system call failed.
    """
    policy = prepared.policy
    if prepared.ruleset < 0:
        # The policy doesn't say any more what is hidden.
        raise OSError(errno.EBADF, "no ruleset was prepared")
    own = Ruleset(landlock_version(), descriptor=-1 if prepared.is_shared else prepared.ruleset)
    try:
        if prepared.is_shared:
            own.allow_all(dict.fromkeys(_roots(policy), _reading(policy)))
        own.allow_all(_DEVICES)
        own.allow(policy.scratch, WRITE | Access.EXECUTE if policy.builds else WRITE)
        own.allow_all(also)
        restrict_self(own.descriptor)
        if prepared.is_shared:
            restrict_self(prepared.ruleset)
    finally:
        os.close(own.descriptor)
        if prepared.is_shared:
            os.close(prepared.ruleset)


def paths_of(policy: CellPolicy) -> list[str]:
    """Where the files are that such a cell may read or write, outside of /proc."""
    return [*policy.readable, *system_paths(), *_DEVICES, policy.scratch]


@cache
def system_paths() -> Sequence[str]:
    """The files that any program needs to start, if the machine has them."""
    return tuple(path for path in (*LIBRARIES, *SYSTEM_FILES) if os.path.lexists(path))


def _shared_ruleset(policy: CellPolicy) -> int:
    version = landlock_version()
    scratch_root = str(Path(policy.scratch).resolve().parent)
    # To grant that whole folder would show what is hidden below it.
    if version == 0 or any(is_below(str(Path(path).resolve()), scratch_root) for path in policy.hidden):
        return -1
    ruleset = Ruleset(version)
    try:
        ruleset.allow_all(rules_for((*policy.readable, *system_paths()), policy.hidden, _reading(policy)))
        # Nothing is hidden in there; the other ruleset grants single files.
        ruleset.allow("/dev", WRITE)
        ruleset.allow(scratch_root, WRITE)
    except BaseException:
        os.close(ruleset.descriptor)
        raise
    return ruleset.descriptor


def _reading(policy: CellPolicy) -> Access:
    return READ if policy.python else READ | Access.EXECUTE


def _watched(policy: CellPolicy) -> tuple[tuple[str, bool], ...]:
    """Paths whose changes make the rules outdated: readable ones, and folders on the way to hidden ones."""
    folders = {str(parent) for path in policy.hidden for parent in Path(path).parents}
    folders = {folder for folder in folders if any(folder == path or is_below(folder, path) for path in policy.readable)}
    return tuple((path, path in folders) for path in sorted({*policy.readable, *folders}))


def _signature(watched: Iterable[tuple[str, bool]]) -> Signature:
    """A rule applies to a file itself, not to its name: if an editor replaced the file, the rule must be made again."""
    inodes: list[tuple[int, int, int] | None] = []
    for path, is_folder in watched:
        try:
            status = os.stat(path)  # noqa: PTH116 -- every cell waits for this
            inodes.append((status.st_dev, status.st_ino, status.st_mtime_ns if is_folder else 0))
        except OSError:
            inodes.append(None)
    return tuple(inodes)
