"""What a report of a defect needs to know of a machine: versions, the sandbox, languages; nothing of who uses it."""

from __future__ import annotations

import getpass
import os
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from tiltyard_checks.machine.runtimes import runtime_rows
from tiltyard_engine.hooks import COMMANDS_GROUP, PROJECT
from tiltyard_engine.registry.file_loaders import FILES_GROUP
from tiltyard_engine.registry.sources import HOST_DISTRIBUTION, installed_sources
from tiltyard_engine.texts.sanitize import one_line
from tiltyard_simulator.guard.policy import Confinement
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS

GROUPS: Final = (PROJECT, COMMANDS_GROUP, FILES_GROUP)
SHOWN_VARIABLES: Final = ("TILTYARD_ISOLATION", "TILTYARD_CONFINEMENT", "TILTYARD_PROBES", "TILTYARD_BLOCK", "TILTYARD_ONLY")
"""Whose values are told. Of all others only that they are set: one may be a token."""
HOST_PARTS: Final = (HOST_DISTRIBUTION, "tiltyard-engine")


def machine_report(confinement: Confinement, environment: Mapping[str, str] = os.environ) -> str:
    """The report, one thing a line, without names of users, paths of homes, and tokens."""
    rows = [*_versions(), *_sandbox(confinement), *_runtimes(), *_variables(environment)]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name + ':':{width + 1}} {_without_people(one_line(text))}" for name, text in rows)


def _versions() -> Iterator[tuple[str, str]]:
    from importlib import metadata

    for name in HOST_PARTS:
        yield name, metadata.version(name)
    yield "Python", f"{platform.python_version()}, {platform.python_implementation()}, {sys.platform}"
    yield "system", f"{_distribution_of_system()}, {platform.system()} {platform.release()}, {platform.machine()}"
    plugins = {
        source.distribution: (source.version, source.error)
        for group in GROUPS
        for source in installed_sources(group, OWN_DISTRIBUTIONS)
        if source.distribution not in HOST_PARTS
    }
    for own in (True, False):
        files = [
            f"{name} {version}{f' (broken: {error})' if error else ''}"
            for name, (version, error) in sorted(plugins.items())
            if (name in OWN_DISTRIBUTIONS) is own
        ]
        yield "own plugins" if own else "other plugins", ", ".join(files) or "none"


def _distribution_of_system() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", "unknown")
    except OSError:
        return "unknown"


def _sandbox(confinement: Confinement) -> Iterator[tuple[str, str]]:
    yield "sandbox", f"level {confinement.level}"
    for probe in confinement.probes:
        if not probe.works:
            yield "does not work", f"{probe.name}: {probe.detail}"
    container = next((mark for mark in ("/.dockerenv", "/run/.containerenv") if Path(mark).exists()), "")
    if container:
        yield "container", f"{container} is there"


def _runtimes() -> Iterator[tuple[str, str]]:
    rows = runtime_rows()
    started = [name.removesuffix(" starts") for name, works, _ in rows if works == "yes"]
    yield "languages", ", ".join(started) or "none"
    for name, works, detail in rows:
        if works != "yes":
            yield "does not start", f"{name.removesuffix(' starts')}: {detail}"


def _variables(environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    names = sorted(name for name in environment if name.startswith("TILTYARD_"))
    variables = [f"{name}={environment[name]}" if name in SHOWN_VARIABLES else f"{name} is set" for name in names]
    yield "variables", ", ".join(variables) or "none"


def _without_people(text: str) -> str:
    """The text with ``~`` for the home folder, and ``USER`` where a path has the user's name."""
    home = str(Path.home())
    if len(home) > 1:
        text = re.sub(rf"{re.escape(home)}(?![\w.-])", "~", text)
    text = re.sub(r"(?<![\w.-])/(home|Users)/[^/\s]+", r"/\1/USER", text)
    try:
        user = getpass.getuser()
    except (KeyError, OSError):
        return text
    return re.sub(rf"(?<=/){re.escape(user)}(?![\w.-])", "USER", text)
