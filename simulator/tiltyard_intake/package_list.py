"""What packages a class asks for, which of them the organiser has, and a script that fetches the rest.

The works are read as data. What goes into the script are names, versions and addresses of a plain form, and nothing else of theirs.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Final

from tiltyard_engine.errors import UserError, file_errors
from tiltyard_engine.registry.toml_files import read_toml
from tiltyard_intake.archives.bounds import BOUNDS
from tiltyard_intake.archives.folders import scratch_folder
from tiltyard_intake.archives.unpack_errors import UnpackError
from tiltyard_intake.environments.allowed import OTHER_KINDS, PYTHON_KIND, Allowed, judge, wheels_in
from tiltyard_intake.environments.package_folder import packages_in
from tiltyard_intake.environments.package_requests import PackageRequest, requested_packages
from tiltyard_intake.environments.requirements import TeamRequirement
from tiltyard_intake.exports.entries import named_entries
from tiltyard_intake.intake import listing_of
from tiltyard_intake.options import IntakeOptions
from tiltyard_intake.trees.bounded_reading import never, read_bounded
from tiltyard_intake.trees.source_files import names_in
from tiltyard_intake.trees.team_tree import make_tree

COLUMNS: Final = ("kind", "package", "version", "state", "teams", "asked for in")
SCRIPT: Final = "fill.sh"
WANTED: Final = "wanted"
"""The folder with the projects by which the script fetches."""
LARGEST_LOCK: Final = 1 << 20
CRATES_IO: Final = "registry+https://github.com/rust-lang/crates.io-index"
_LOCKED: Final = re.compile(r"[\w.+ -]{1,200}", re.ASCII)
_CHECKSUM: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class AskedPackage:
    """A package that a class asks for, in one version."""

    kind: str
    name: str
    version: str
    state: str
    """Whether teams can have it."""
    teams: tuple[str, ...]
    places: tuple[str, ...]
    """The files that ask for it."""

    @property
    def row(self) -> tuple[str, ...]:
        """For a table with COLUMNS."""
        return (self.kind, self.name, self.version, self.state, ", ".join(self.teams), ", ".join(self.places))


@dataclass(frozen=True, slots=True)
class PackageList:
    """What a class asks for."""

    packages: tuple[AskedPackage, ...]
    problems: tuple[str, ...]
    """What could not be read, and of whom."""
    script: Path | None
    """What fetches it all."""


def list_packages(options: IntakeOptions, folder: Path | None) -> PackageList:
    """Look what a class asks for.

    Args:
        options: what was handed in, and what is allowed.
        folder: of packages, for which a script is written; it is made if it is not there.

    Raises:
        UserError: nothing was handed in or can be read there, or the folder can't be written.
    """
    requests: dict[str, list[PackageRequest]] = {}
    locks: dict[tuple[str, str], str] = {}
    problems: list[str] = []
    with scratch_folder() as work:
        listing = listing_of(options, work)
        listing.check_not_empty(options.handed_in)
        for number, (entry, _) in enumerate(named_entries(listing.entries)):
            place = work / "trees" / str(number)
            source = ", ".join(each.name or each.path.name for each in entry.sources)
            try:
                tree = read_bounded(source, BOUNDS, never, make_tree, entry.sources, place / "tree").folder
                names = names_in(tree)
                requests[entry.label], wrong = requested_packages(tree, names)
                problems += [f"{entry.label}: {each}" for each in wrong]
                for each in {each.place for each in requests[entry.label] if each.kind == "cargo"}:
                    locks[entry.label, each] = _lock(tree, names, each)
            except (UnpackError, UserError) as error:
                problems.append(f"{entry.label}: {error}")
            finally:
                shutil.rmtree(place, ignore_errors=True)
    rows = tuple(_rows(requests, options.allowed))
    script = _write_script(folder, requests, locks, options.allowed) if folder is not None else None
    return PackageList(rows, tuple(problems), script)


# The table


def _rows(requests: Mapping[str, Sequence[PackageRequest]], allowed: Allowed) -> Iterator[AskedPackage]:
    teams: defaultdict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
    places: defaultdict[tuple[str, str, str, str], dict[str, None]] = defaultdict(dict)
    there = _there(allowed)
    for team, of_team in requests.items():
        for each in of_team:
            row = (each.kind, each.name, each.version, _state(each, allowed, there))
            teams[row][team] = None
            places[row][each.place] = None
    for row in sorted(teams, key=lambda row: (row[0], row[1].lower(), row[2])):
        yield AskedPackage(*row, tuple(sorted(teams[row])), tuple(sorted(places[row])))


def _there(allowed: Allowed) -> dict[str, list[str]]:
    """The versions that lie in the folders, by name."""
    available: defaultdict[str, list[str]] = defaultdict(list)
    for name, version, _ in wheels_in(allowed.wheels) if allowed.wheels is not None else ():
        available[f"{PYTHON_KIND}:{name}"].append(version)
    for kind in OTHER_KINDS if allowed.packages is not None else ():
        for package in packages_in(allowed.packages, kind) if allowed.packages is not None else ():
            available[package.key].append(package.version)
    return available


def _state(request: PackageRequest, allowed: Allowed, there: Mapping[str, Sequence[str]]) -> str:
    versions = " ".join(["there", *sorted(set(there.get(request.key, ())))]).strip() if request.key in there else ""
    if request.kind == PYTHON_KIND:
        judged = judge([TeamRequirement(request.more["whole"], request.place)], allowed)
        if judged.refusals:
            return "not allowed"
        return f"on this machine: {judged.there[0]}" if judged.there else versions or ("missing" if allowed.wheels else "allowed")
    if not _may_have(request, allowed):
        return f"not allowed, but {versions}" if versions else "not allowed"
    return versions or "missing"


def _may_have(request: PackageRequest, allowed: Allowed) -> bool:
    """Whether nothing is said against it."""
    if request.kind == PYTHON_KIND:
        return not allowed.names or request.key.partition(":")[2] in allowed.names
    return request.key in allowed.others or not any(key.startswith(f"{request.kind}:") for key in allowed.others)


# The script


def _write_script(
    folder: Path, requests: Mapping[str, Sequence[PackageRequest]], locks: Mapping[tuple[str, str], str], allowed: Allowed
) -> Path:
    files: dict[str, str] = {}
    projects: defaultdict[tuple[str, str, str], list[PackageRequest]] = defaultdict(list)
    single: dict[str, PackageRequest] = {}
    for team, of_team in requests.items():
        for each in of_team:
            if not _may_have(each, allowed):
                continue
            if each.kind in _PROJECTS:
                projects[each.kind, team, each.place].append(each)
            elif each.kind == PYTHON_KIND:
                single.setdefault(f"{each.key} {each.version}", each)
            else:
                single.setdefault(each.key, each)
    for number, ((kind, team, place), of_team) in enumerate(projects.items(), 1):
        name, text = _PROJECTS[kind](of_team)
        files[f"{kind}/{number}/{name}"] = text
        if kind == "cargo" and locks.get((team, place)):
            files[f"{kind}/{number}/Cargo.lock"] = locks[team, place]
    kinds = {kind for kind, _, _ in projects}
    if "cargo" in kinds:
        files["cargo/Cargo.toml"] = _cargo([])[1]
        files |= {f"{Path(name).parent}/lib.rs": "" for name in files if name.endswith("Cargo.toml")}
    lines = [_BEGIN, *(_FETCH[kind] for kind in sorted(kinds)), *(line for each in single.values() if (line := _command(each)))]
    with file_errors(folder, "written"):
        shutil.rmtree(folder / WANTED, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / WANTED / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / WANTED / name).write_text(text, encoding="utf-8")
        (folder / SCRIPT).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / SCRIPT


_BEGIN: Final = """#!/bin/sh
# Fills the folders of packages beside this file. It needs a network, and cargo, go, dotnet, git or pip for what is asked for.
# 'tiltyard intake --list-packages' wrote it. Names and addresses come from what was handed in: read them before you run it.
set -u
cd "$(dirname "$0")" || exit 1
here=$(pwd)
left_out() { echo "left out: $1" >&2; }
"""
_FETCH: Final = {
    "cargo": """# Crates
set --
for each in wanted/cargo/*/Cargo.toml; do
    if cargo fetch --manifest-path "$each"; then set -- "$@" --sync "$each"; else left_out "$each"; fi
done
cargo vendor --versioned-dirs --manifest-path wanted/cargo/Cargo.toml "$@" cargo >/dev/null || left_out cargo
""",
    "go": """# Modules of Go
for each in wanted/go/*; do
    (cd "$each" && GOMODCACHE="$here/go" GOFLAGS=-modcacherw go mod download all) || left_out "$each"
done
""",
    "nuget": """# Packages of NuGet
for each in wanted/nuget/*/wanted.csproj; do
    dotnet restore "$each" --packages nuget || left_out "$each"
done
""",
}


def _command(request: PackageRequest) -> str:
    """What fetches one package by itself; empty if nothing says from where."""
    if request.kind == PYTHON_KIND:
        requirement = shlex.quote(f"{request.name}{request.version}")
        return f"python3 -m pip download --only-binary :all: --dest python {requirement} || left_out {requirement}"
    place = shlex.quote(f"cmake/{request.name.lower()}")
    if address := request.more.get("git"):
        tag = request.more.get("tag")
        checkout = f" && git -C {place} checkout --quiet --detach {shlex.quote(tag)}" if tag else ""
        fetch = f"git clone --quiet -- {shlex.quote(address)} {place}{checkout}"
    elif address := request.more.get("url"):
        unpack = f"(cd {place} && cmake -E tar xf ../archive && rm ../archive)"
        fetch = f"mkdir -p {place} && curl -fsSL -o cmake/archive {shlex.quote(address)} && {unpack}"
    else:
        return f"left_out {shlex.quote(f'{request.name}: its address has to be read in {PurePosixPath(request.place).name}')}"
    return f"[ -d {place} ] || {{ {fetch}; }} || {{ rm -rf {place}; left_out {place}; }}"


# Projects that ask for the same as a work's


def _cargo(requests: Iterable[PackageRequest]) -> tuple[str, str]:
    lines = ["[workspace]", "[package]", 'name = "wanted"', 'version = "0.0.0"', 'edition = "2021"', "[lib]", 'path = "lib.rs"']
    lines.append("[dependencies]")
    for number, each in enumerate(requests):
        keys: dict[str, Any] = {"package": each.name, **each.more}
        if each.version and each.version != "from git":
            keys["version"] = each.version
        # TOML writes these values as JSON does.
        values = ", ".join(f"{key} = {json.dumps(value)}" for key, value in keys.items())
        lines.append(f"wanted{number} = {{ {values} }}")
    return "Cargo.toml", "\n".join(lines) + "\n"


def _go(requests: Sequence[PackageRequest]) -> tuple[str, str]:
    lines = ["module wanted", "", f"go {requests[0].more['go']}", "", *(f"require {each.name} {each.version}" for each in requests)]
    return "go.mod", "\n".join(lines) + "\n"


def _nuget(requests: Sequence[PackageRequest]) -> tuple[str, str]:
    references = "".join(f'<PackageReference Include="{each.name}" Version="{each.version or "*"}" />' for each in requests)
    framework = f"<PropertyGroup><TargetFramework>{requests[0].more['framework']}</TargetFramework></PropertyGroup>"
    return "wanted.csproj", f'<Project Sdk="Microsoft.NET.Sdk">{framework}<ItemGroup>{references}</ItemGroup></Project>\n'


_PROJECTS: Final[Mapping[str, Any]] = {"cargo": _cargo, "go": _go, "nuget": _nuget}


def _lock(tree: Path, names: Sequence[str], manifest: str) -> str:
    """The versions of a work's Cargo.lock, where they are of crates.io; empty if it has none that can be read."""
    folder = PurePosixPath(manifest).parent
    name = next((str(parent / "Cargo.lock") for parent in (folder, *folder.parents) if str(parent / "Cargo.lock") in names), "")
    try:
        packages = read_toml(tree / name, LARGEST_LOCK).get("package", []) if name else []
    except UserError:
        return ""
    lines = ["version = 3"]
    for each in packages if isinstance(packages, list) else ():
        if not isinstance(each, dict) or each.get("source") != CRATES_IO:
            continue
        words = [each.get("name"), each.get("version"), *(each.get("dependencies") or [])]
        checksum = each.get("checksum")
        if all(isinstance(word, str) and _LOCKED.fullmatch(word) for word in words) and _CHECKSUM.fullmatch(str(checksum)):
            entry = {"name": each["name"], "version": each["version"], "source": CRATES_IO, "checksum": checksum}
            entry["dependencies"] = each.get("dependencies") or []
            lines += ["[[package]]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""
