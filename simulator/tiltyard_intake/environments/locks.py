"""The lock of an environment: the Python that it is for, and its packages with exact versions and the hashes of their wheels."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from packaging.utils import canonicalize_name

from tiltyard_engine.registry.environments import lock_digest, python_line

_PACKAGE: Final = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)")
_HASH: Final = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


class LockError(ValueError):
    """An installer has answered something else than versions with hashes."""


@dataclass(frozen=True, slots=True)
class Lock:
    """What is installed; equal locks are one environment."""

    packages: tuple[tuple[str, str, tuple[str, ...]], ...]
    """Normal name, version, and hashes such as ``sha256:12ab...``, sorted."""

    @property
    def text(self) -> str:
        """As it is kept in the environment: a comment with the Python, then what pip and uv take as requirements."""
        lines = [python_line()]
        for name, version, hashes in self.packages:
            lines.append(" \\\n    ".join([f"{name}=={version}", *(f"--hash={each}" for each in hashes)]))
        return "\n".join(lines) + "\n"

    @property
    def digest(self) -> str:
        """What the environment is called."""
        return lock_digest(self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """For people: ``numpy 2.4.6``."""
        return tuple(f"{name} {version}" for name, version, _ in self.packages)


def lock_of(packages: Mapping[str, tuple[str, list[str]]]) -> Lock:
    """A lock of versions and hashes by name.

    Raises:
        LockError: a package has no hash, or there is none.
    """
    if not packages:
        raise LockError("no packages")
    for name, (_, hashes) in packages.items():
        if not hashes:
            raise LockError(f"no hash of {name}")
    by_name = {canonicalize_name(name): entry for name, entry in packages.items()}
    return Lock(tuple((name, version, tuple(sorted(set(hashes)))) for name, (version, hashes) in sorted(by_name.items())))


def read_lock(text: str) -> Lock:
    """A lock from the requirements that ``uv pip compile`` writes, or from ``Lock.text``.

    Raises:
        LockError: it is something else.
    """
    packages: dict[str, tuple[str, list[str]]] = {}
    for line in text.replace("\\\n", " ").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = _PACKAGE.match(line)
        if match is None:
            raise LockError(f"not a version: {line[:80]}")
        packages[match[1]] = match[2], _HASH.findall(line)
    return lock_of(packages)


def read_pip_report(text: str) -> Lock:
    """A lock from ``pip install --report``.

    Raises:
        LockError: it is something else.
    """
    try:
        packages = {
            each["metadata"]["name"]: (each["metadata"]["version"], _hashes(each["download_info"]))
            for each in json.loads(text)["install"]
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise LockError(f"not a report of pip: {error}") from error
    return lock_of(packages)


def _hashes(download: dict[str, Any]) -> list[str]:
    if not unquote(str(download["url"])).partition("#")[0].endswith(".whl"):
        raise LockError(f"{download['url']} is no wheel")
    archive = download["archive_info"]
    # Before pip 23.1, which Debian 12 has, it was one text.
    hashes = archive["hashes"] if "hashes" in archive else dict([str(archive["hash"]).split("=", 1)])
    return [f"sha256:{hashes['sha256']}"]
