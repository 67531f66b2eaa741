"""Landlock: which files a process may touch, whoever it is, and no way back.

Source: https://docs.kernel.org/userspace-api/landlock.html, landlock(7). A right that a ruleset *handles* is denied
except where a rule grants it, and a rule on a folder holds for all that is below it. So a hidden file is one that no rule
covers: a folder that holds hidden ones is opened for listing alone, and its other children get rules of their own.

Landlock knows nothing of stat(2), chmod(2), utimensat(2) and their like: see ``seccomp``.
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

from tiltyard_simulator.guard.confinement.libc import system_call

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
"""What a scratch folder allows: no devices, no sockets."""
_FOR_FILES: Final = Access.EXECUTE | Access.WRITE_FILE | Access.READ_FILE | Access.TRUNCATE | Access.IOCTL_DEV
_CONNECT_AND_BIND_TCP: Final = 0b11
_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS: Final = 0b11

Rules = Mapping[str, Access]


@cache
def landlock_version() -> int:
    """The kernel's Landlock ABI; 0 if it has none or does not let us use it."""
    try:
        return system_call("landlock_create_ruleset", _CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError:
        return 0


def handled_access(version: int) -> Access:
    """All rights that this version can deny."""
    rights = Access((1 << 13) - 1)
    for since, right in ((2, Access.REFER), (3, Access.TRUNCATE), (5, Access.IOCTL_DEV)):
        if version >= since:
            rights |= right
    return rights


class Ruleset:
    """A ruleset under construction: a file descriptor that its owner closes."""

    def __init__(self, version: int, network: bool) -> None:
        self._handled = handled_access(version)
        fields = [int(self._handled)]
        if version >= 4:
            fields.append(0 if network else _CONNECT_AND_BIND_TCP)
        if version >= 6:
            fields.append(_SCOPE_ABSTRACT_SOCKETS_AND_SIGNALS)
        attributes = struct.pack(f"={len(fields)}Q", *fields)
        self.descriptor = system_call("landlock_create_ruleset", _CREATE_RULESET, attributes, len(attributes), 0)

    def allow(self, path: str, access: Access) -> None:
        """Grant rights to a file, or to a folder and all below it; a path that is not there is passed over."""
        try:
            descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except OSError:
            return
        try:
            rights = access & self._handled
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                rights &= _FOR_FILES
            if rights:
                rule = _PATH_BENEATH.pack(int(rights), descriptor)
                system_call("landlock_add_rule", _ADD_RULE, self.descriptor, _RULE_PATH_BENEATH, rule, 0)
        finally:
            os.close(descriptor)

    def allow_all(self, rules: Rules) -> None:
        """Grant many."""
        for path, access in rules.items():
            self.allow(path, access)


def restrict_self(descriptor: int) -> None:
    """Put a ruleset in force for this thread and its children, on top of those in force; needs no_new_privs."""
    system_call("landlock_restrict_self", _RESTRICT_SELF, descriptor, 0)


def rules_for(readable: Iterable[str], hidden: Iterable[str], access: Access) -> dict[str, Access]:
    """Rules that grant ``access`` to all readable paths but the hidden ones, found by listing the folders between them."""
    # Never the whole tree, which comes with /proc: a command that was started in / has it among Python's import paths.
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
    # A right to list holds for the hidden folders below as well: names can be seen there, contents cannot.
    yield root, access & Access.READ_DIR
    with suppress(OSError), os.scandir(root) as entries:
        for entry in entries:
            # A link grants nothing: what it leads to needs a rule of its own.
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


def why_unavailable() -> str:
    """The kernel's answer where it has no Landlock, in words."""
    try:
        system_call("landlock_create_ruleset", _CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            return "the kernel has it, but it is not switched on (lsm= at boot)"
        if error.errno == errno.ENOSYS:
            return "the kernel has no Landlock (Linux 5.13 or later), or a container forbids it"
        return str(error.strerror)
    return ""
