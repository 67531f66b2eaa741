"""Landlock: which files a process may touch. Restrictions cannot be undone, even by root.

Source: https://docs.kernel.org/userspace-api/landlock.html, landlock(7). A right that a ruleset *handles* is denied
except where a rule grants it, and a rule for a folder applies to everything below it. So a hidden file is one that no rule
covers: a folder that contains hidden files can only be listed, and its other children get their own rules.

Landlock does not cover stat(2), chmod(2), utimensat(2) and the like: see ``seccomp``.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from enum import IntFlag
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_simulator.guard.confinement.kernel.libc import system_call

# The same numbers on every architecture.
_CREATE_RULESET: Final = 444
_ADD_RULE: Final = 445
_RESTRICT_SELF: Final = 446
_CREATE_RULESET_VERSION: Final = 1
_RULE_PATH_BENEATH: Final = 1
_PATH_BENEATH: Final = struct.Struct("=Qi")


class Access(IntFlag):
    """Rights to files, LANDLOCK_ACCESS_FS_*."""

    EXECUTE = 1 << 0
    WRITE_FILE = 1 << 1
    READ_FILE = 1 << 2
    READ_DIR = 1 << 3
    REMOVE_DIR = 1 << 4
    REMOVE_FILE = 1 << 5
    MAKE_CHAR = 1 << 6
    MAKE_DIR = 1 << 7
    MAKE_REG = 1 << 8
    MAKE_SOCK = 1 << 9
    MAKE_FIFO = 1 << 10
    MAKE_BLOCK = 1 << 11
    MAKE_SYM = 1 << 12
    REFER = 1 << 13
    """Renaming and linking between folders (version 2; before it, always denied)."""
    TRUNCATE = 1 << 14
    """Version 3."""
    IOCTL_DEV = 1 << 15
    """Version 5."""


READ: Final = Access.READ_FILE | Access.READ_DIR
WRITE: Final = (
    READ
    | Access.WRITE_FILE
    | Access.REMOVE_DIR
    | Access.REMOVE_FILE
    | Access.MAKE_DIR
    | Access.MAKE_REG
    | Access.MAKE_FIFO
    | Access.MAKE_SYM
    | Access.REFER
    | Access.TRUNCATE
)
"""The rights to a scratch folder: no devices, no sockets."""
_FOR_FILES: Final = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
_CONNECT_AND_BIND_TCP: Final = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11
_REASONS: Final = {
    errno.EOPNOTSUPP: "the kernel has it, but it is not switched on (lsm= at boot)",
    errno.ENOSYS: "the kernel has no Landlock (Linux 5.13 or later), or a container forbids it",
}

Rules = Mapping[str, Access]


@cache
def _ask_kernel() -> tuple[int, str]:
    """The version of the kernel's Landlock, or 0 and why it is not available."""
    try:
        return system_call("landlock_create_ruleset", _CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION), ""
    except OSError as error:
        return 0, _REASONS.get(error.errno or 0, str(error.strerror))


def landlock_version() -> int:
    """The version of the kernel's Landlock; 0 if it has none or does not let us use it."""
    return _ask_kernel()[0]


def why_unavailable() -> str:
    """Why there is no Landlock, for people; empty if there is."""
    return _ask_kernel()[1]


def handled_access(version: int) -> Access:
    """All rights that this version can deny."""
    rights = Access((1 << 13) - 1)
    for since, right in ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV)):
        if version >= since:
            rights |= right
    return rights


class Ruleset:
    """A ruleset under construction: a file descriptor that its owner closes.

    Args:
        version: the kernel's.
        only: the rights to files that it restricts, and nothing else; by default, all that it can.
        descriptor: that of one that another process has begun in the same way.
    """

    def __init__(self, version: int, only: Access | None = None, descriptor: int = -1) -> None:
        self._handled = handled_access(version) if only is None else only
        if descriptor >= 0:
            self.descriptor = descriptor
            return
        fields = [int(self._handled)]
        if version >= 4 and only is None:
            fields.append(_CONNECT_AND_BIND_TCP)
        if version >= 6 and only is None:
            fields.append(_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
        attributes = struct.pack(f"={len(fields)}Q", *fields)
        self.descriptor = system_call("landlock_create_ruleset", _CREATE_RULESET, attributes, len(attributes), 0)

    def allow(self, path: str, access: Access) -> None:
        """Grant rights to a file, or to a folder and everything below it. A missing path is ignored."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            self.allow_opened(descriptor, access)
        except OSError as error:
            raise OSError(error.errno, f"{error.strerror} ({path})") from error
        finally:
            os.close(descriptor)

    def allow_opened(self, descriptor: int, access: Access) -> None:
        """Grant rights to an opened file or folder."""
        rights = access & self._handled
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            rights &= _FOR_FILES
        if rights:
            rule = _PATH_BENEATH.pack(int(rights), descriptor)
            system_call("landlock_add_rule", _ADD_RULE, self.descriptor, _RULE_PATH_BENEATH, rule, 0)

    def allow_all(self, rules: Rules) -> None:
        """Add a rule for each path, as ``allow`` does."""
        for path, access in rules.items():
            self.allow(path, access)


def restrict_self(descriptor: int) -> None:
    """Apply a ruleset to this thread and its children, in addition to earlier ones. Needs no_new_privs."""
    system_call("landlock_restrict_self", _RESTRICT_SELF, descriptor, 0)


def rules_for(readable: Iterable[str], hidden: Iterable[str], access: Access) -> dict[str, Access]:
    """Rules that grant ``access`` to all readable paths but the hidden ones, found by listing the folders between them."""
    # Never the whole tree, with /proc: if a command was started in /, that is one of Python's import paths.
    roots = _real_paths(readable) - {"/"}
    secrets = _real_paths(hidden)
    rules: dict[str, Access] = {}
    for root in sorted(roots - secrets):
        for path, rights in _without(root, secrets, roots, access):
            rules[path] = rules.get(path, Access(0)) | rights
    return rules


def _without(root: str, secrets: set[str], roots: set[str], access: Access) -> Iterator[tuple[str, Access]]:
    if not any(is_below(secret, root) for secret in secrets):
        yield root, access
        return
    # The right to list folders applies to hidden folders below as well: their names can be seen, but not their contents.
    yield root, access & Access.READ_DIR
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            # A link needs no rule, but what it leads to does.
            if entry.path in secrets or entry.path in roots or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                yield from _without(entry.path, secrets, roots, access)
            else:
                yield entry.path, access


def is_below(path: str, folder: str) -> bool:
    """Whether a path lies below a folder, and is not that folder itself."""
    return path != folder and path.startswith(folder.rstrip("/") + "/")


def _real_paths(paths: Iterable[str]) -> set[str]:
    return {str(Path(path).resolve()) for path in paths if path}
