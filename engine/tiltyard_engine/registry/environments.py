"""Which Python environment a team runs on, where the organiser has made one for it.

Beside the teams lies a folder that only the organiser's tool writes to:

    teams/.environments/teams.json      the digest of each team's environment, by the name of its file or folder
    teams/.environments/DIGEST/         an environment: a virtual environment with a ``lock.txt``; or a link to one of this name

A file of that kind in what a team handed in gives it nothing. It can only name a folder whose ``lock.txt`` has the folder's name as
its digest, and no code of an environment is ever run outside of a cell.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import sys
import sysconfig
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.texts.names import normal

ENVIRONMENTS: Final = ".environments"
TEAMS_FILE: Final = "teams.json"
LOCK_FILE: Final = "lock.txt"
"""In an environment: the Python that it is for, and the exact versions and hashes of its packages."""
LARGEST: Final = 4 << 20
"""Bytes of either file."""
DIGEST: Final = re.compile(r"[0-9a-f]{40}")
"""What environments are called."""
_PACKAGE: Final = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)
AGAIN: Final = "run 'tiltyard intake' again"


def lock_digest(lock: str) -> str:
    """What an environment with this lock is called: 40 hexadecimal digits."""
    return hashlib.sha256(lock.encode()).hexdigest()[:40]


def python_line() -> str:
    """The first line of a lock: the Python and the machine that its wheels are for, such as ``# CPython 3.13, linux-x86_64``."""
    return f"# {platform.python_implementation()} {sys.version_info.major}.{sys.version_info.minor}, {sysconfig.get_platform()}"


def packages_folder(environment: Path) -> Path:
    """Where an environment has its packages."""
    return environment / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def read_teams(folder: Path) -> dict[str, str]:
    """The digest of each environment by the name of the team's file or folder; empty if no team has one.

    Args:
        folder: the folder of teams.

    Raises:
        UserError: the file can't be read.
    """
    path = folder / ENVIRONMENTS / TEAMS_FILE
    text = _read(path)
    if not text:
        return {}
    try:
        digests = json.loads(text)
    except (ValueError, RecursionError):
        digests = None
    if not isinstance(digests, dict) or not all(isinstance(each, str) and DIGEST.fullmatch(each) for each in digests.values()):
        raise UserError(f"{path}: is damaged, so the environments of teams are not known; {AGAIN}")
    return {normal(name): digest for name, digest in digests.items()}


def environment_of(product: Path) -> str:
    """The folder of the environment that a team runs on; empty: the runner's own.

    Args:
        product: the team's file or folder, in the folder of teams.

    Raises:
        UserError: there should be one, but it can't be used here.
    """
    digest = read_teams(product.parent).get(normal(product.name), "")
    if not digest:
        return ""
    link = product.parent.resolve() / ENVIRONMENTS / digest
    # Where it really lies, so that folders of teams that share an environment know it by one path.
    folder = Path(os.path.realpath(link))
    if folder.name != digest:
        raise UserError(f"its environment {link} is a link to {folder}, which isn't the same; {AGAIN}")
    check_environment(folder)
    return str(folder)


def check_environment(folder: Path) -> None:
    """Look whether an environment is there, and for this machine's Python.

    Raises:
        UserError: it isn't; the message says what to do.
    """
    lock = _read(folder / LOCK_FILE)
    if not lock or folder.is_symlink() or lock_digest(lock) != folder.name:
        missing = "was changed after it was made" if lock else "is not on this machine"
        raise UserError(f"its environment {folder} {missing}; {AGAIN}, or copy {folder.parent} from where that was done")
    python = lock.partition("\n")[0]
    if python != python_line():
        raise UserError(f"its environment {folder} is for {python[2:]}, but this is {python_line()[2:]}; {AGAIN}")


def packages_of(environment: Path) -> list[str]:
    """What is installed in an environment, by its lock: such as ``numpy 2.4.6``.

    Raises:
        UserError: the lock can't be read.
    """
    return [f"{name} {version}" for name, version in _PACKAGE.findall(_read(environment / LOCK_FILE))]


def _read(path: Path) -> str:
    """A file's text; empty if it isn't there."""
    try:
        if not path.is_file():
            return ""
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UserError(f"{path}: has more than {LARGEST} bytes; {AGAIN}")
        return data.decode()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: is not UTF-8; {AGAIN}") from error
