"""Which packages teams may have: what the organiser allows, what the runner has, and tiltyard itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_simulator.guard.confinement.policy import GUARD_PACKAGES
from tiltyard_simulator.intake.environments.requirements import Wanted
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.plugin_files import installed_plugins

GUARD: Final = frozenset(canonicalize_name(name) for name in GUARD_PACKAGES)
"""What each cell has, by normal names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaysOut:
    """What a team is told to do if it can't have what it asks for. By default, as of ``tiltyard intake``."""

    not_allowed: str = "ask the organiser to add --allow {name}"
    no_wheel: str = "ask the organiser to put its wheel into {wheels}"
    not_now: str = "run this again later, or use --wheels FOLDER"
    """While the package index can't be reached."""
    slow: str = "look at the network and the package index, and run this again"
    """After it took too long."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the organiser allows."""

    names: Mapping[str, SpecifierSet] = field(default_factory=dict)
    """By normal name, with the versions that are allowed."""
    wheels: Path | None = None
    """A folder: packages come from there alone. Without ``names``, all that is there is allowed."""
    ways_out: WaysOut = WaysOut()

    @property
    def listed(self) -> Mapping[str, SpecifierSet]:
        """All that is allowed by name; of a folder without names, what lies in it."""
        if self.names or self.wheels is None:
            return self.names
        return dict.fromkeys((name for name, _, _ in wheels_in(self.wheels)), SpecifierSet())


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What of a team's requirements has to be installed, and why some must not be."""

    refusals: tuple[str, ...] = ()
    to_install: tuple[Requirement, ...] = ()
    """Empty: the team needs no environment of its own."""
    constraints: tuple[str, ...] = ()
    """For the packages that these need in turn as well."""
    there: tuple[str, ...] = ()
    """What the runner has in a version that fits, such as ``numpy 2.4.6``."""


def allowed_of(names: Iterable[str], wheels: Path | None, ways_out: WaysOut | None = None) -> Allowed:
    """What the organiser allows.

    Args:
        names: such as ``numpy`` or ``numpy<3``.
        wheels: a folder with ``.whl`` files.
        ways_out: what teams are told that ask for something else; None: what fits ``tiltyard intake``.

    Raises:
        UserError: a name isn't one, or the folder has no wheels.
    """
    found: dict[str, SpecifierSet] = {}
    for text in names:
        try:
            requirement = Requirement(text)
        except InvalidRequirement:
            raise UserError(
                f"'{text}' isn't a package that can be allowed; expected a name such as numpy, or one with versions: 'numpy<3'"
            ) from None
        if requirement.url or requirement.marker or requirement.extras:
            raise UserError(f"'{text}' can't be allowed; expected a name such as numpy, or one with versions: 'numpy<3'")
        name = canonicalize_name(requirement.name)
        found[name] = found.get(name, SpecifierSet()) & requirement.specifier
    if wheels is not None and not wheels_in(wheels):
        raise UserError(f"{wheels}: holds no wheels; expected a folder with .whl files")
    return Allowed(found, wheels.resolve() if wheels is not None else None, ways_out or WaysOut())


def wheels_in(folder: Path) -> list[tuple[str, str, Path]]:
    """The wheels of a folder: normal name, version and file, sorted.

    Raises:
        UserError: it can't be listed.
    """
    found: list[tuple[str, str, Path]] = []
    with file_errors(folder, "read"):
        for file in folder.iterdir():
            try:
                name, version, *_ = parse_wheel_filename(file.name)
            except InvalidWheelFilename:
                continue
            found.append((name, str(version), file))
    return sorted(found)


def judge(wanted: Iterable[Wanted], allowed: Allowed) -> Judged:
    """Look through a team's requirements.

    What allowed packages need in turn is allowed as well. What the runner has is allowed in its version.
    """
    listed = allowed.listed
    refusals: list[str] = []
    to_install: list[Requirement] = []
    there: dict[str, str] = {}
    for each in wanted:
        name, version = canonicalize_name(each.requirement.name), _version_of(each.requirement.name)
        if _is_provided(name):
            if not _fits(version, each.requirement):
                refusals.append(
                    f"{each.place}: {each.requirement}: this machine plays with {name} {version or '(not installed)'};"
                    " ask for a version that fits, or leave it out"
                )
        elif name in listed:
            to_install.append(each.requirement)
        elif _fits(version, each.requirement):
            to_install.append(each.requirement)
            there[name] = version
        else:
            refusals.append(f"{each.place}: {_way_out(name, version, each.requirement, allowed)}")
    if not refusals and all(canonicalize_name(requirement.name) in there for requirement in to_install):
        return Judged(there=tuple(f"{name} {version}" for name, version in there.items()))
    constraints = [f"{name}{versions}" for name, versions in listed.items() if versions]
    constraints += [f"{name}=={version}" for name, version in there.items()]
    constraints += [f"{name}=={version}" for name in GUARD if (version := _version_of(name))]
    return Judged(refusals=tuple(refusals), to_install=tuple(to_install), constraints=tuple(sorted(constraints)))


def _way_out(name: str, version: str, requirement: Requirement, allowed: Allowed) -> str:
    here = f" ({version} is there, which doesn't fit)" if version else ""
    if allowed.wheels is not None and not allowed.names:
        advice = allowed.ways_out.no_wheel.format(name=name, wheels=allowed.wheels)
        return f"{requirement} is not in the folder of wheels{here}: {advice}"
    return f"{requirement} is not on the allowed list{here}: {allowed.ways_out.not_allowed.format(name=name)}"


def _is_provided(name: str) -> bool:
    """Whether each cell has it: tiltyard, its games, and what the guard is made of."""
    return name in {*OWN_DISTRIBUTIONS, *GUARD} or name in installed_plugins()


def _fits(version: str, requirement: Requirement) -> bool:
    return bool(version) and requirement.specifier.contains(version, prereleases=True)


def _version_of(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""
