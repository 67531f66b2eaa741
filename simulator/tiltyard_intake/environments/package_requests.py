"""Which packages a work asks for, of every ecosystem, by its project's files. They are read as data alone; nothing of them is run.

Sources: the Cargo book, "The Manifest Format"; the Go modules reference, "go.mod files"; NuGet's reference, "PackageReference in
project files" and "packages.config"; CMake's module FetchContent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.sources import PYPROJECT
from tiltyard_engine.registry.toml_files import read_toml
from tiltyard_intake.environments.allowed import key_of
from tiltyard_intake.environments.requirements import FILE, RequirementsError, read_requirements

LARGEST: Final = 1 << 18
"""Bytes of a project's file."""
MOST: Final = 1000
"""Packages of one work."""
OF_OTHERS: Final = frozenset(("vendor", "third_party", "_deps", "build"))
"""Folders with the projects of packages that were handed in too."""
CRATE: Final = re.compile(r"[A-Za-z0-9][\w-]{0,63}", re.ASCII)
DOTTED: Final = re.compile(r"[A-Za-z0-9_][\w.-]{0,99}", re.ASCII)
MODULE: Final = re.compile(r"[A-Za-z0-9][\w.~/-]{0,199}", re.ASCII)
VERSION: Final = re.compile(r"[\w.^~=<>*,+\[\]() -]{0,100}", re.ASCII)
URL: Final = re.compile(r"https://[A-Za-z0-9][\w.~:/@%+-]{0,300}", re.ASCII)
"""Git runs what other kinds of addresses name."""
REVISION: Final = re.compile(r"[A-Za-z0-9_][\w./+-]{0,100}", re.ASCII)
_REFERENCE: Final = re.compile(r"<(PackageReference|PackageVersion|package)\s([^<>]*+)>(?:\s*+<Version>([^<]*+)</Version>)?")
_ATTRIBUTE: Final = re.compile(r'\b(\w++)\s*+=\s*+"([^"]*+)"')
_FRAMEWORK: Final = re.compile(r"<TargetFrameworks?>\s*([\w.-]+)")
_FETCHED: Final = re.compile(r"FetchContent_Declare\s*+\(\s*+([^\s()]++)\s++([^()]*+)\)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PackageRequest:
    """A package that a work asks for."""

    kind: str
    """The ecosystem, which is also the name of its folder: ``python``, ``cargo``, ``nuget``, ``go`` or ``cmake``."""
    name: str
    version: str
    """Which ones will do, in the ecosystem's own form; empty: any."""
    place: str
    """The file that says so, relative to the tree."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else its download takes: of a crate its features, of what CMake fetches the address."""

    @property
    def key(self) -> str:
        """As it is allowed, such as ``cargo:rand``."""
        return key_of(self.kind, self.name)


def requested_packages(tree: Path, names: Sequence[str]) -> tuple[list[PackageRequest], list[str]]:
    """What a work asks for, and what is wrong with files that say so.

    Args:
        tree: the work's files; it has no links.
        names: which there are, relative to the tree.
    """
    requests: list[PackageRequest] = []
    problems: list[str] = []
    for name in names:
        path = PurePosixPath(name)
        reader = _READERS.get(path.name) or _READERS.get(path.suffix)
        if reader is None or OF_OTHERS & set(path.parts[:-1]):
            continue
        try:
            requests += reader(tree, name, names)
        except (UserError, RequirementsError) as error:
            problems.append(f"{name}: {str(error).removeprefix(f'{path.name}: ').removeprefix(f'{name}: ')}")
    return list({(each.key, each.version, each.place): each for each in requests}.values())[:MOST], problems


def _python(tree: Path, name: str, names: Sequence[str]) -> Iterator[PackageRequest]:
    for each in read_requirements(tree, [name], str(PurePosixPath(name).parent)):
        whole = each.requirement
        yield PackageRequest("python", whole.name, str(whole.specifier), name, {"whole": whole})


def _cargo(tree: Path, name: str, names: Sequence[str]) -> Iterator[PackageRequest]:
    data = read_toml(tree / name, LARGEST)
    shared: Mapping[str, Any] = {}
    for parent in (PurePosixPath(name).parent, *PurePosixPath(name).parent.parents):
        if str(parent / "Cargo.toml") in names:
            shared = {**_table(_table(read_toml(tree / parent / "Cargo.toml", LARGEST), "workspace"), "dependencies"), **shared}
    for crate, value in crates_of(data):
        keys = {"version": value} if isinstance(value, str) else value
        if keys.get("workspace") is True:
            common = shared.get(crate, {})
            keys = {**({"version": common} if isinstance(common, str) else common if isinstance(common, dict) else {}), **keys}
        real, version = str(keys.get("package", crate)), str(keys.get("version", ""))
        if "path" not in keys and CRATE.fullmatch(real) and VERSION.fullmatch(version):
            features = (
                [each for each in keys["features"] if isinstance(each, str)] if isinstance(keys.get("features"), list) else []
            )
            more: dict[str, Any] = {"features": [each for each in features if MODULE.fullmatch(each)]}
            more["default-features"] = keys.get("default-features") is not False
            if (address := str(keys.get("git", ""))) and URL.fullmatch(address):
                at = {key: keys[key] for key in ("rev", "tag", "branch") if REVISION.fullmatch(str(keys.get(key, "")))}
                more |= {"git": address, **at}
            yield PackageRequest("cargo", real, version or ("from git" if "git" in keys else ""), name, more)


def crates_of(manifest: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The entries of a ``Cargo.toml`` for crates that a build takes: all but those for tests."""
    for table in (manifest, *(each for each in _table(manifest, "target").values() if isinstance(each, dict))):
        for key in ("dependencies", "build-dependencies"):
            yield from ((crate, value) for crate, value in _table(table, key).items() if isinstance(value, str | dict))


def _table(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _go(tree: Path, name: str, names: Sequence[str]) -> Iterator[PackageRequest]:
    text = read_text(tree / name)
    language = re.search(r"^go\s+([\d.]+)", text, re.MULTILINE)
    # What is replaced by a folder was handed in.
    replaced = [line.partition("=>") for line in text.splitlines() if "=>" in line]
    here = {word for original, _, by in replaced if by.strip().startswith((".", "/")) for word in original.split()[:2]}
    for module, version in modules_of(text):
        if module not in here and MODULE.fullmatch(module) and VERSION.fullmatch(version):
            yield PackageRequest("go", module, version, name, {"go": language[1] if language else "1.16"})


def modules_of(text: str) -> Iterator[tuple[str, str]]:
    """The modules that a ``go.mod`` requires, with their versions."""
    block = ""
    for line in text.splitlines():
        words = line.partition("//")[0].split()
        if block and words[:1] == [")"]:
            block = ""
        elif len(words) == 2 and words[1] == "(":
            block = words[0]
        elif block == "require" and len(words) == 2:
            yield words[0], words[1]
        elif not block and words[:1] == ["require"] and len(words) == 3:
            yield words[1], words[2]


def _nuget(tree: Path, name: str, names: Sequence[str]) -> Iterator[PackageRequest]:
    text = _without_comments(read_text(tree / name))
    central: dict[str, str] = {}
    for other in names:
        if PurePosixPath(other).name == "Directory.Packages.props":
            central |= {each: version for _, each, version in _references(_without_comments(read_text(tree / other)))}
    framework = _FRAMEWORK.search(text)
    for element, package, version in _references(text):
        version_range = version or central.get(package, "")
        if element != "PackageVersion" and DOTTED.fullmatch(package) and VERSION.fullmatch(version_range):
            yield PackageRequest("nuget", package, version_range, name, {"framework": framework[1] if framework else "net6.0"})


def _without_comments(text: str) -> str:
    first, *others = text.split("<!--")
    return first + "".join(each.partition("-->")[2] for each in others)


def _references(text: str) -> Iterator[tuple[str, str, str]]:
    for element, attributes, inner in _REFERENCE.findall(text):
        attributes_by_name = {key.lower(): value.strip() for key, value in _ATTRIBUTE.findall(attributes)}
        if package := attributes_by_name.get("include") or (attributes_by_name.get("id") if element == "package" else ""):
            yield element, package, attributes_by_name.get("version") or inner.strip()


def _cmake(tree: Path, name: str, names: Sequence[str]) -> Iterator[PackageRequest]:
    for package, rest in _FETCHED.findall(re.sub(r"#[^\n]*", "", read_text(tree / name))):
        words = [word.strip('"') for word in rest.split()]
        arguments = dict(pairwise(words))
        git, url, tag = arguments.get("GIT_REPOSITORY", ""), arguments.get("URL", ""), arguments.get("GIT_TAG", "")
        more = {"git": git} if URL.fullmatch(git) else {"url": url} if URL.fullmatch(url) else {}
        more |= {"tag": tag} if REVISION.fullmatch(tag) else {}
        if DOTTED.fullmatch(package):
            yield PackageRequest("cmake", package, tag or PurePosixPath(url).name, name, more)


def read_text(path: Path) -> str:
    """A project's file, whatever its bytes.

    Raises:
        UserError: it can't be read, or is too large.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise UserError(f"has more than {LARGEST >> 10} KiB")
    return data.decode("utf-8-sig", "replace")


_READERS: Final = {
    FILE: _python,
    PYPROJECT: _python,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    ".csproj": _nuget,
    "packages.config": _nuget,
    "CMakeLists.txt": _cmake,
    ".cmake": _cmake,
}
"""By a file's name or its ending."""
