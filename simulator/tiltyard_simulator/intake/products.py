"""What comes out of a build: which files are the product, and what is put into the folder of teams for them."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.recipes import Contents, Product
from tiltyard_engine.registry.sources import MANIFEST
from tiltyard_simulator.guard.confinement import CLEAN
from tiltyard_simulator.guard.programs.held_build import BuildFile
from tiltyard_simulator.intake.patterns import matches, matching
from tiltyard_simulator.intake.source_files import ELF, WINDOWS
from tiltyard_simulator.intake.toolchains import find_tool

LIST: Final = ".intake.json"
"""In a folder that was put there: the names of its files, so that the next build removes those that it no longer has."""
_OF_TOOLS: Final = re.compile(r"(?:^|/)(?:CMakeFiles|deps|\.fingerprint|obj)/")
"""Folders in which tools make programs for themselves."""
_RUNTIME: Final = re.compile(r"\{tool:([^{}]+)\}")
_PROCESSORS: Final = {"x86_64": 62, "aarch64": 183, "riscv64": 243}
_MAC: Final = (b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa\xcf")


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may be a product."""

    name: str
    """Relative to the root, or to the build's folder for what is made."""
    place: str
    """Where it is, for whoever reads it."""
    head: bytes
    """How it begins: 64 bytes or all."""


@dataclass(frozen=True, slots=True)
class Result:
    """A file for the folder of teams."""

    name: str
    """Relative to it."""
    file: BuildFile


def choose(product: Product, found: Sequence[Found]) -> list[Found]:
    """The files that are the product, the best first; all of them only if it wants every one."""
    names = {each.name for each in found}
    for pattern in product.patterns:
        fitting = [
            each
            for each in found
            if matches(pattern, each.name)
            and is_kind(product.contents, each.head, each.name)
            and not _OF_TOOLS.search(each.name)
            and all(_sibling(each.name, name) in names for name in product.beside)
        ]
        if fitting:
            fitting.sort(key=lambda each: _rank(product, each.name))
            return fitting if product.every else fitting[:1]
    return []


def _sibling(name: str, other: str) -> str:
    path = PurePosixPath(name)
    return str(path.parent / other.replace("{stem}", path.stem))


def _rank(product: Product, name: str) -> tuple[int, int, int, str]:
    file = PurePosixPath(name).name.lower()
    avoided = sum(word in file for word in product.avoids)
    preferred = sum(word in file for word in product.prefers)
    return avoided, -preferred, name.count("/"), name


def is_kind(contents: Contents, head: bytes, name: str) -> bool:
    """Whether a file that begins so is what a product must be."""
    if contents == "assembly":
        return head.startswith(WINDOWS)
    if contents == "script":
        return head.startswith(b"#!")
    if not contents:
        return True
    if not head.startswith(ELF) or len(head) < 20:
        return False
    kind, processor = int.from_bytes(head[16:18], "little"), int.from_bytes(head[18:20], "little")
    if processor != _PROCESSORS.get(os.uname().machine, processor):
        return False
    is_library = ".so" in PurePosixPath(name).suffixes
    return kind == 3 and is_library if contents == "library" else kind in (2, 3) and not is_library


def why_not(product: Product, found: Iterable[Found]) -> str:
    """What is there in place of the product, such as a program for another system; empty if nothing is."""
    for pattern in product.patterns:
        for each in found:
            if not matches(pattern, each.name):
                continue
            if each.head.startswith(_MAC):
                return f"{each.name} was built for macOS; this machine needs one for Linux, or the sources"
            if product.contents in ("executable", "library") and each.head.startswith(WINDOWS):
                return f"{each.name} was built for Windows; this machine needs one for Linux, or the sources"
            if product.contents and each.head.startswith(b"version https://git-lfs"):
                return f"{each.name} is a Git LFS pointer, not the file itself"
            if product.contents in ("executable", "library") and each.head.startswith(ELF):
                return f"{each.name} was built for another processor, or is not a finished program"
    return ""


def expected(product: Product) -> str:
    """What should have come out, in words."""
    words = {
        "executable": "no program",
        "library": "no shared object",
        "assembly": "no .NET program",
        "script": "no script",
        "": "no file",
    }
    names = " or ".join(dict.fromkeys(pattern.replace("**/", "") for pattern in product.patterns[:2]))
    return words[product.contents] if names in ("*", "") else f"{words[product.contents]} {names}"


def file_stem(team: str) -> str:
    """A team's name as files can be called in commands without quotes."""
    return re.sub(r"[^\w.+-]+", "_", team).strip("._-") or "team"


def results_of(
    product: Product, team: str, game: str, chosen: Mapping[str, BuildFile], beside: Mapping[str, BuildFile]
) -> list[Result]:
    """The files that one product becomes.

    Args:
        product: what the recipe says.
        team: whose it is.
        game: what it plays.
        chosen: the product's files by name, the best first.
        beside: other files that it may need, by names relative to the folder of the first.
    """
    prefix = f"{product.folder}/" if product.folder else ""
    top = f"{prefix}{file_stem(team)}/"
    if product.form == "folder":
        files = [Result(f"{top}{name}", file) for name, file in beside.items()]
        return [*files, _listed(files, top)]
    if product.form == "file":
        return [Result(prefix + _name(product, team, name), file) for name, file in chosen.items()]
    first = next(iter(chosen))
    name = _name(product, team, first)
    also = {
        other: file
        for other, file in beside.items()
        if other not in (PurePosixPath(first).name, MANIFEST) and any(matches(pattern, other) for pattern in product.also)
    }
    files = [Result(top + other, file) for other, file in also.items()]
    files.append(Result(top + name, BuildFile(chosen[first].data, executable=True)))
    files.append(Result(top + MANIFEST, BuildFile(_manifest(product, team, game, name).encode())))
    return [*files, _listed(files, top)]


def _name(product: Product, team: str, name: str) -> str:
    path = PurePosixPath(name)
    return product.name.replace("{team}", file_stem(team)).replace("{stem}", path.stem) or path.name


def _manifest(product: Product, team: str, game: str, name: str) -> str:
    readable: list[str] = []
    command: list[str] = []
    for word in product.command:
        runtime = _RUNTIME.fullmatch(word)
        tool = find_tool(runtime[1]) if runtime is not None else None
        if tool is None:
            command.append(runtime[1] if runtime is not None else word.replace("{product}", name))
        elif str(Path(tool.path).parent) in CLEAN["PATH"].split(":"):
            command.append(tool.name)
        else:
            command.append(tool.path)
            readable += tool.readable
    # TOML takes the strings of JSON.
    words = {"name": team, "game": game, "command": command, "protocol": product.protocol, "readable": readable}
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in words.items() if value)


def _listed(files: Sequence[Result], top: str) -> Result:
    names = sorted(result.name.removeprefix(top) for result in files)
    return Result(top + LIST, BuildFile(json.dumps(names, indent=0).encode()))


def put(results: Sequence[Result], into: Path) -> list[Path]:
    """Write the files; each is there as a whole or not at all. What an earlier build put into the same folders is removed.

    Returns what plays: files, and folders as a whole.
    """
    for result in results:
        if PurePosixPath(result.name).name == LIST:
            _remove_listed(into / PurePosixPath(result.name).parent)
    paths: dict[Path, None] = {}
    folders = [PurePosixPath(result.name).parent for result in results if PurePosixPath(result.name).name == LIST]
    for result in results:
        _write(into / result.name, result.file)
        folder = next((folder for folder in folders if PurePosixPath(result.name).is_relative_to(folder)), None)
        paths[into / (folder if folder is not None else result.name)] = None
    return list(paths)


def _remove_listed(folder: Path) -> None:
    try:
        names = json.loads((folder / LIST).read_bytes())
    except (OSError, ValueError):
        return
    for name in names if isinstance(names, list) else ():
        if isinstance(name, str) and ".." not in PurePosixPath(name).parts and not name.startswith("/"):
            (folder / name).unlink(missing_ok=True)


def _write(path: Path, file: BuildFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(prefix=".new-", dir=path.parent, delete=False) as new:
        new.write(file.data)
    written = Path(new.name)
    written.chmod(0o755 if file.executable else 0o644)
    written.replace(path)


def names_beside(first: str, names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The names of files beside a product that it may need, relative to its folder."""
    folder = str(PurePosixPath(first).parent)
    prefix = "" if folder == "." else f"{folder}/"
    below = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    return [name for pattern in patterns for name in matching(pattern, below)]
