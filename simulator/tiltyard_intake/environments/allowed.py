"""Which packages teams may have: what the organiser allows, what the runner has, and tiltyard itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Final

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_intake.environments.requirements import TeamRequirement
from tiltyard_simulator.guard.policy import GUARD_PACKAGES
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_simulator.match.plugin_files import installed_plugins

GUARD: Final = frozenset(canonicalize_name(name) for name in GUARD_PACKAGES)
"""What each cell has, by normal names."""
OTHER_KINDS: Final = ("cargo", "cmake", "go", "nuget")
"""The ecosystems beside Python: how ``--allow`` and the sub-folders of a folder of packages call them."""
EXAMPLES: Final = {"cargo": "rand", "cmake": "googletest", "go": "golang.org/x/exp", "nuget": "Newtonsoft.Json"}
PYTHON_KIND: Final = "python"
_OF_KIND: Final = re.compile(rf"({'|'.join((PYTHON_KIND, *OTHER_KINDS))}):(.*)", re.DOTALL)
_OTHER_NAME: Final = re.compile(r"[A-Za-z0-9_][\w.~/-]*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class WaysOut:
    """What a team is told to do if it can't have what it asks for. By default, as of ``tiltyard intake``."""

    not_allowed: str = "ask the organiser to add --allow {name}"
    between: str = " --allow "
    """Names of several in it."""
    no_wheel: str = "ask the organiser to put its wheel into {wheels}"
    no_package: str = "ask the organiser to put it into {folder}"
    """Of another ecosystem."""
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
    others: frozenset[str] = frozenset()
    """Of other ecosystems, with these: ``cargo:rand``. Of one of which none is here, all that lies in ``packages`` is allowed."""
    packages: Path | None = None
    """A folder with a sub-folder for each ecosystem, from which alone these come."""

    def check_folder(self) -> None:
        """See that there is a folder for what is allowed.

        Raises:
            UserError: something is allowed that comes only from a folder, and none is named.
        """
        if self.others and self.packages is None:
            raise UserError(
                f"{min(self.others)} is allowed, but no folder of packages is named: add --packages FOLDER, or 'packages: FOLDER'"
                " in the file. 'tiltyard intake HANDED_IN --list-packages --packages FOLDER' makes a script that fills it"
            )

    def way_out(self, lacking: Mapping[str, str]) -> str:
        """What a team is told to do that lacks packages of other ecosystems; empty if it lacks none.

        Args:
            lacking: as they are allowed, such as ``cargo:a-grid``, each with its name as the team writes it.
        """
        ways: dict[str, list[str]] = {}
        for key in lacking:
            kind = key.partition(":")[0]
            is_whole = not any(other.startswith(f"{kind}:") for other in self.others)
            may_have = self.packages is not None and (is_whole or key in self.others)
            folder = f"{self.packages}/{kind}"
            ways.setdefault(self.ways_out.no_package.format(folder=folder) if may_have else "", []).append(key)
        steps = []
        for way, keys in ways.items():
            advice = way or self.ways_out.not_allowed.format(name=self.ways_out.between.join(keys))
            steps.append(f"or for {' and '.join(lacking[key] for key in keys)}: {advice}")
        return "; ".join(steps)

    @property
    def specifiers(self) -> Mapping[str, SpecifierSet]:
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


def allowed_of(
    names: Iterable[str], wheels: Path | None, ways_out: WaysOut | None = None, *, packages: Path | None = None
) -> Allowed:
    """What the organiser allows.

    Args:
        names: such as ``numpy``, ``numpy<3`` or ``cargo:rand``.
        wheels: a folder with ``.whl`` files.
        ways_out: what teams are told that ask for something else; None: what fits ``tiltyard intake``.
        packages: a folder with sub-folders such as ``cargo``. That for Python has wheels.

    Raises:
        UserError: a name isn't one, or a folder has nothing of what it should have.
    """
    specifiers: dict[str, SpecifierSet] = {}
    others: set[str] = set()
    for text in names:
        of_kind = _OF_KIND.fullmatch(text.strip())
        if of_kind is not None and of_kind[1] != PYTHON_KIND:
            others.add(_other(text, *of_kind.groups()))
            continue
        try:
            requirement = Requirement(text if of_kind is None else of_kind[2])
        except InvalidRequirement:
            raise UserError(
                f"'{text}' isn't a package that can be allowed; expected a name such as numpy, one with versions: 'numpy<3',"
                f" or one of another ecosystem ({', '.join(OTHER_KINDS)}): cargo:rand"
            ) from None
        if requirement.url or requirement.marker or requirement.extras:
            raise UserError(f"'{text}' can't be allowed; expected a name such as numpy, or one with versions: 'numpy<3'")
        name = canonicalize_name(requirement.name)
        specifiers[name] = specifiers.get(name, SpecifierSet()) & requirement.specifier
    if packages is not None:
        _check_packages(packages)
        if (packages / PYTHON_KIND).is_dir() and wheels_in(packages / PYTHON_KIND):
            if wheels is not None:
                raise UserError(f"{wheels}: {packages} has a folder {PYTHON_KIND} with wheels too; name one of the two")
            wheels = packages / PYTHON_KIND
    if wheels is not None and not wheels_in(wheels):
        raise UserError(f"{wheels}: holds no wheels; expected a folder with .whl files")
    return Allowed(
        specifiers,
        wheels.resolve() if wheels is not None else None,
        ways_out or WaysOut(),
        frozenset(others),
        packages.resolve() if packages is not None else None,
    )


def key_of(kind: str, name: str) -> str:
    """How a package is allowed: its ecosystem and its name, in a form that two names of the same package share."""
    if kind == PYTHON_KIND:
        return f"{kind}:{canonicalize_name(name)}"
    return f"{kind}:{name if kind == 'go' else name.lower().replace('_', '-')}"


def _other(text: str, kind: str, name: str) -> str:
    if not _OTHER_NAME.fullmatch(name):
        raise UserError(
            f"'{text}' can't be allowed; expected only its name, such as {kind}:{EXAMPLES[kind]}: its versions are those in the"
            " folder of packages"
        )
    return key_of(kind, name)


def has_packages(folder: Path) -> bool:
    """Whether a folder has one for any ecosystem."""
    return any((folder / kind).is_dir() for kind in (PYTHON_KIND, *OTHER_KINDS))


def _check_packages(folder: Path) -> None:
    if not has_packages(folder):
        raise UserError(
            f"{folder}: has none of the folders {', '.join((PYTHON_KIND, *OTHER_KINDS))}; expected one for each ecosystem."
            f" 'tiltyard intake HANDED_IN --list-packages --packages {folder}' makes a script that fills them"
        )


def wheels_in(folder: Path) -> list[tuple[str, str, Path]]:
    """The wheels of a folder: normal name, version and file, sorted.

    Raises:
        UserError: it can't be listed.
    """
    entries: list[tuple[str, str, Path]] = []
    with file_errors(folder, "read"):
        for file in folder.iterdir():
            try:
                name, version, *_ = parse_wheel_filename(file.name)
            except InvalidWheelFilename:
                continue
            entries.append((name, str(version), file))
    return sorted(entries)


def judge(asked_for: Iterable[TeamRequirement], allowed: Allowed) -> Judged:
    """Look through a team's requirements.

    What allowed packages need in turn is allowed as well. What the runner has is allowed in its version.
    """
    packages = allowed.specifiers
    refusals: list[str] = []
    to_install: list[Requirement] = []
    there: dict[str, str] = {}
    for each in asked_for:
        name, version = canonicalize_name(each.requirement.name), _version_of(each.requirement.name)
        if _is_provided(name):
            if not _fits(version, each.requirement):
                refusals.append(
                    f"{each.place}: {each.requirement}: this machine plays with {name} {version or '(not installed)'};"
                    " ask for a version that fits, or leave it out"
                )
        elif name in packages:
            to_install.append(each.requirement)
        elif _fits(version, each.requirement):
            to_install.append(each.requirement)
            there[name] = version
        else:
            refusals.append(f"{each.place}: {_way_out(name, version, each.requirement, allowed)}")
    if not refusals and all(canonicalize_name(requirement.name) in there for requirement in to_install):
        return Judged(there=tuple(f"{name} {version}" for name, version in there.items()))
    constraints = [f"{name}{versions}" for name, versions in packages.items() if versions]
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
