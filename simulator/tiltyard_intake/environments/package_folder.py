"""The organiser's folder of packages: what lies there for each ecosystem, what of it teams may have, and how a build is led to it.

    packages/python/   wheels
    packages/cargo/    what ``cargo vendor`` makes
    packages/nuget/    ``.nupkg`` files, in folders or not
    packages/go/       a module cache (GOMODCACHE), or what a proxy serves
    packages/cmake/    for each name of ``FetchContent_Declare`` a folder with its sources

A build sees only what is allowed, with what that needs in turn, in a folder that it can't write to. Settings outside of the work
lead its tools there; a work's own settings come before these.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry.toml_files import read_toml
from tiltyard_intake.environments.allowed import OTHER_KINDS, Allowed, key_of
from tiltyard_intake.environments.package_requests import PackageRequest, crates_of, modules_of, read_text
from tiltyard_simulator.guard.programs.build_client import BuildFile

KIND_OF_TOOL: Final = {"cargo": "cargo", "dotnet": "nuget", "go": "go", "cmake": "cmake"}
VIEW: Final = "packages"
"""The folder beside the reports in which builds see packages. It is there as long as an intake runs."""
LARGEST_MANIFEST: Final = 1 << 20
_CACHES: Final = ("pkg/mod/cache/download", "cache/download")
_LOST: Final = re.compile(r"no such file|not found|does not exist|unknown cmake command|cannot find|fetchcontent", re.IGNORECASE)
"""How CMake and compilers tell of what wasn't fetched."""
_NUSPEC_ID: Final = re.compile(r"<id>\s*([^<\s]+)\s*</id>", re.IGNORECASE)
_NUSPEC_VERSION: Final = re.compile(r"<version>\s*([^<\s]+)\s*</version>", re.IGNORECASE)
_NUSPEC_NEEDS: Final = re.compile(r"<dependency\s[^>]*?\bid\s*=\s*\"([^\"]+)\"", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Package:
    """One that lies in the folder."""

    kind: str
    name: str
    version: str
    path: Path
    """Its file or folder."""
    place: str
    """Where a build sees it, relative to the folder of its ecosystem."""
    needs: tuple[str, ...] = ()
    """The names of those that it needs."""

    @property
    def key(self) -> str:
        """As it is allowed, such as ``cargo:rand``."""
        return key_of(self.kind, self.name)


def packages_in(folder: Path, kind: str) -> list[Package]:
    """The packages of an ecosystem in the organiser's folder; none if it has no folder for it.

    Raises:
        UserError: it can't be listed, or a package there can't be read.
    """
    place = folder / kind
    if not place.is_dir():
        return []
    with file_errors(place, "read"):
        return sorted(_LISTED[kind](place), key=lambda package: package.place)


def _crates(place: Path) -> Iterator[Package]:
    for path in place.iterdir():
        if not (path / "Cargo.toml").is_file():
            continue
        manifest = read_toml(path / "Cargo.toml", LARGEST_MANIFEST)
        about = manifest.get("package", {})
        needs = [value.get("package", crate) if isinstance(value, dict) else crate for crate, value in crates_of(manifest)]
        yield Package("cargo", str(about.get("name", path.name)), str(about.get("version", "")), path, path.name, tuple(needs))


def _nupkgs(place: Path) -> Iterator[Package]:
    for path in place.rglob("*.nupkg"):
        try:
            with zipfile.ZipFile(path) as archive:
                about = next(name for name in archive.namelist() if name.lower().endswith(".nuspec") and "/" not in name)
                with archive.open(about) as file:
                    text = file.read(LARGEST_MANIFEST).decode("utf-8-sig", "replace")
            name, version = _NUSPEC_ID.findall(text)[0], _NUSPEC_VERSION.findall(text)[0]
        except (zipfile.BadZipFile, StopIteration, IndexError, NotImplementedError, RuntimeError):
            raise UserError(f"{path}: isn't a NuGet package; remove it, or download it again") from None
        yield Package("nuget", name, version, path, path.name, tuple(_NUSPEC_NEEDS.findall(text)))


def _modules(place: Path) -> Iterator[Package]:
    top = next((place / cache for cache in _CACHES if (place / cache).is_dir()), place)
    for path in top.rglob("@v"):
        relative = path.relative_to(top).as_posix()
        name = re.sub("!([a-z])", lambda letter: letter[1].upper(), relative.removesuffix("/@v"))
        versions = sorted(file.stem for file in path.glob("*.zip"))
        needs = [module for file in path.glob("*.mod") for module, _ in modules_of(read_text(file))]
        yield Package("go", name, ", ".join(versions), path, relative, tuple(dict.fromkeys(needs)))


def _fetched(place: Path) -> Iterator[Package]:
    for path in place.iterdir():
        if path.is_dir():
            inner = list(path.iterdir())
            # As archives are unpacked.
            whole = inner[0] if len(inner) == 1 and inner[0].is_dir() else path
            yield Package("cmake", path.name, "", whole, path.name)


_LISTED: Final[Mapping[str, Callable[[Path], Iterator[Package]]]] = {
    "cargo": _crates,
    "nuget": _nupkgs,
    "go": _modules,
    "cmake": _fetched,
}


def allowed_packages(packages: Sequence[Package], keys: Iterable[str]) -> list[Package]:
    """Those that are allowed, with all that they need; all if none of this ecosystem is allowed by name."""
    names = {key for key in keys if any(key.partition(":")[0] == package.kind for package in packages)}
    if not names:
        return list(packages)
    waiting = list(names)
    while waiting:
        key = waiting.pop()
        for package in packages:
            if package.key == key:
                more = {key_of(package.kind, name) for name in package.needs} - names
                names |= more
                waiting += more
    return [package for package in packages if package.key in names]


class ClassPackages:
    """The packages for the builds of one intake. Several threads may ask for them.

    Args:
        allowed: what the organiser allows, and the folder.
        reports: beside which builds see them.
    """

    def __init__(self, allowed: Allowed, reports: Path) -> None:
        self._allowed = allowed
        self._view = reports.resolve() / VIEW
        self._guard = threading.Lock()
        self._by_kinds: dict[str, BuildPackages] = {}
        self._placed_kinds: set[str] = set()

    def of_tools(self, tools: Iterable[str]) -> BuildPackages:
        """What a build with these tools may have."""
        kinds = sorted({KIND_OF_TOOL[tool] for tool in tools if tool in KIND_OF_TOOL})
        with self._guard:
            key = " ".join(kinds)
            if key not in self._by_kinds:
                folder = self._allowed.packages
                there = [
                    package
                    for kind in (kinds if folder is not None else ())
                    for package in allowed_packages(packages_in(folder, kind) if folder else [], self._allowed.others)
                ]
                names = tuple(sorted(key for key in self._allowed.others if key.partition(":")[0] in kinds))
                self._by_kinds[key] = BuildPackages(tuple(there), names, self._allowed, self._view, self._guard, self._placed_kinds)
            return self._by_kinds[key]

    def remove(self) -> None:
        """Remove what builds have seen."""
        self._placed_kinds.clear()
        shutil.rmtree(self._view, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class BuildPackages:
    """The packages that one build may have."""

    packages: tuple[Package, ...] = ()
    allowed_names: tuple[str, ...] = ()
    """What is allowed by name, such as ``cargo:rand``, whether it is there or not."""
    allowed: Allowed = field(default_factory=Allowed)
    view: Path = Path("/packages")
    """Where the build sees them, in a folder for each ecosystem."""
    guard: threading.Lock | None = None
    placed_kinds: set[str] = field(default_factory=set)
    """The ecosystems whose packages lie there already; of all builds together, and under the guard."""

    @property
    def kinds(self) -> list[str]:
        """The ecosystems of which there is something."""
        return [kind for kind in OTHER_KINDS if any(package.kind == kind for package in self.packages)]

    def digest(self) -> str:
        """Of all that a build sees, and is told; empty if it sees nothing."""
        if not self.packages and not self.allowed_names:
            return ""
        digest = hashlib.sha256(" ".join(self.allowed_names).encode())
        for package in self.packages:
            for file in _files(package.path):
                with file_errors(file, "read"):
                    status = file.stat()
                name = file.relative_to(package.path).as_posix()
                digest.update(f"{package.kind}/{package.place}/{name} {status.st_size} {status.st_mtime_ns}\n".encode())
        return digest.hexdigest()

    def make(self) -> list[str]:
        """Put them where builds see them, and say where that is.

        Raises:
            UserError: that can't be written.
        """
        if not self.packages or self.guard is None:
            return []
        with self.guard, file_errors(self.view, "written"):
            for kind in self.kinds:
                if kind in self.placed_kinds:
                    continue
                shutil.rmtree(self.view / kind, ignore_errors=True)
                for package in self.packages:
                    if package.kind == kind:
                        _place(package.path, self.view / kind / package.place)
                self.placed_kinds.add(kind)
        return [str(self.view / kind) for kind in self.kinds]

    def environment(self, home: str, names: Iterable[str]) -> dict[str, str]:
        """What leads the tools there.

        Args:
            home: the build's home folder.
            names: the files of the work.
        """
        values: dict[str, str] = {}
        if "nuget" in self.kinds:
            # MSBuild takes variables for properties.
            values["RestoreConfigFile"] = f"{home}/NuGet.config"
        if "go" in self.kinds:
            values["GOPROXY"] = f"file://{self.view}/go"
            if not any(name.endswith("vendor/modules.txt") for name in names):
                # A work without a whole go.sum builds too; what it has is still compared.
                values["GOFLAGS"] = "-mod=mod"
        return values

    def settings(self, requests: Iterable[PackageRequest]) -> dict[str, BuildFile]:
        """The tools' own files of settings, relative to the build's home folder.

        Args:
            requests: what the work asks for.
        """
        texts: dict[str, str] = {}
        if "cargo" in self.kinds:
            lines = ["[source.crates-io]", 'replace-with = "packages"', "[source.packages]"]
            lines.append(f"directory = {json.dumps(str(self.view / 'cargo'), ensure_ascii=False)}")
            for number, each in enumerate(each for each in requests if each.kind == "cargo" and "git" in each.more):
                values = [f"{key} = {json.dumps(each.more[key])}" for key in ("git", "rev", "tag", "branch") if key in each.more]
                lines += [f"[source.git-{number}]", *values, 'replace-with = "packages"']
            texts["cargo/config.toml"] = "\n".join(lines) + "\n"
        if "nuget" in self.kinds:
            place = str(self.view / "nuget").replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;")
            texts["NuGet.config"] = (
                f'<configuration><packageSources><clear /><add key="packages" value="{place}" /></packageSources></configuration>\n'
            )
        return {name: BuildFile(text.encode()) for name, text in texts.items()}

    def options(self, tool: str, words: Sequence[str]) -> list[str]:
        """What a command of a build is told besides: where CMake finds what a work fetches."""
        if tool != "cmake" or "--build" in words:
            return []
        fetched = [package.place for package in self.packages if package.kind == "cmake"]
        return [f"-DFETCHCONTENT_SOURCE_DIR_{name.upper()}={self.view}/cmake/{name}" for name in fetched]

    def way_out(self, failure: str, requests: Iterable[PackageRequest], *, is_cmake: bool) -> str:
        """What to do about the packages that a failed build lacked; empty if it lacked none.

        Args:
            failure: why it failed.
            requests: what the work asks for.
            is_cmake: whether CMake failed, which doesn't name what it would have fetched.
        """
        there = {package.key for package in self.packages}
        names = {each.key: each.name for each in requests if each.key not in there}
        return self.allowed.way_out(
            {
                key: name
                for key, name in names.items()
                if (is_cmake and key.startswith("cmake:") and _LOST.search(failure)) or _names(failure, name)
            }
        )


def _names(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w-])", text) is not None


def _files(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    inside = (Path(folder, name) for folder, _, names in os.walk(path) for name in names)
    return sorted(file for file in inside if file.is_file() and ".git" not in file.relative_to(path).parts)


def _place(path: Path, place: Path) -> None:
    """The files of a package at another place, which costs next to nothing on the same disk."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file():
        _link(str(path), str(place))
    else:
        shutil.copytree(path, place, copy_function=_link, ignore=shutil.ignore_patterns(".git"))


def _link(path: str, place: str) -> str:
    try:
        os.link(os.path.realpath(path), place)
    except OSError:
        shutil.copy2(path, place)
    return place
