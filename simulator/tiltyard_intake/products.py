"""What comes out of a build: which files are the product, and what is put into the folder of teams for them."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.recipes import Contents, Product
from tiltyard_engine.registry.python_folders import TEAMS_LIST
from tiltyard_engine.registry.sources import MANIFEST
from tiltyard_intake.patterns import matches, matching
from tiltyard_intake.source_files import ELF, WINDOWS
from tiltyard_intake.toolchains import find_tool
from tiltyard_simulator.guard.confinement import CLEAN
from tiltyard_simulator.guard.confinement.libc import exchange
from tiltyard_simulator.guard.programs.held_build import BuildFile
from tiltyard_simulator.guard.programs.program_paths import DOTNET
from tiltyard_simulator.play.result_files import sync_file

LIST: Final = TEAMS_LIST
"""In a folder that was put there: the names of its files, so that the next build removes those that it no longer has."""
NEW: Final = ".new-"
"""How the names of what is not whole yet begin."""
_OF_TOOLS: Final = re.compile(r"(?:^|/)(?:CMakeFiles|deps|\.fingerprint|obj)/")
"""Folders in which tools make programs for themselves."""
_RUNTIME: Final = re.compile(r"\{tool:([^{}]+)\}")
_PROCESSORS: Final = {"x86_64": 62, "aarch64": 183, "riscv64": 243}
UNLINKED: Final = 1
"""What the head of an object file calls itself."""
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


def is_avoided(product: Product, name: str) -> bool:
    """Whether a file is named after something else than the product."""
    file = PurePosixPath(name).name.lower()
    return any(word in file for word in product.avoids)


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
    kind, processor = _kind_and_processor(head)
    if processor != _PROCESSORS.get(os.uname().machine, processor):
        return False
    is_library = ".so" in PurePosixPath(name).suffixes
    return kind == 3 and is_library if contents == "library" else kind in (2, 3) and not is_library


def is_assembly(data: bytes) -> bool:
    """Whether a program of Windows' form is .NET's: it has the runtime's own header (ECMA-335, partition II, 25.2.3.3)."""
    begin = int.from_bytes(data[0x3C:0x40], "little")
    # The directories of a program of 64 bits are 16 bytes further on.
    place = begin + (232 if data[begin + 24 : begin + 26] == b"\x0b\x01" else 248)
    return data[begin : begin + 4] == b"PE\0\0" and any(data[place : place + 8])


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
            if product.contents in ("executable", "library") and each.head.startswith(ELF) and (why := _why_not_run(each, product)):
                return f"{each.name} {why}"
    return ""


def _why_not_run(found: Found, product: Product) -> str:
    kind, processor = _kind_and_processor(found.head)
    if processor != _PROCESSORS.get(os.uname().machine, processor):
        return f"was built for another processor than this machine's {os.uname().machine}; hand in the sources"
    if kind == UNLINKED:
        return "is one part of a program, which is not linked yet; hand in the finished program, or the sources"
    if not is_kind(product.contents, found.head, found.name):
        wanted = {"executable": "a program", "library": "a shared object (.so)"}.get(product.contents, "something else")
        return f"is not {wanted}, which is expected here; hand in that, or the sources"
    return ""


def _kind_and_processor(head: bytes) -> tuple[int, int]:
    return int.from_bytes(head[16:18], "little"), int.from_bytes(head[18:20], "little")


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
    if product.form == "file" and beside:
        files = [Result(top + name, file) for name, file in beside.items() if name != LIST]
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
        elif tool.name == DOTNET:
            # Wherever the organiser has it, on the machine that plays.
            command.append(tool.name)
        elif str(Path(tool.path).parent) in CLEAN["PATH"].split(":"):
            command.append(tool.name)
            # A link there may lead elsewhere.
            readable += tool.readable
        else:
            command.append(tool.path)
            readable += tool.readable
    # TOML takes the strings of JSON.
    words = {"name": team, "game": game, "command": command, "protocol": product.protocol, "readable": readable}
    return "".join(f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in words.items() if value)


def _listed(files: Sequence[Result], top: str) -> Result:
    names = sorted(result.name.removeprefix(top) for result in files)
    return Result(top + LIST, BuildFile(json.dumps(names, indent=0).encode()))


def places(results: Sequence[Result]) -> list[str]:
    """What plays when they are put there, relative to the folder of teams: files, and folders as a whole."""
    folders = _whole_folders(results)
    found = ((next((top for top in folders if name.is_relative_to(top)), name)) for name in _paths(results))
    return list(dict.fromkeys(map(str, found)))


def put(results: Sequence[Result], into: Path) -> list[Path]:
    """Write the files. Each file, and each folder as a whole, is there as it was before or as it is now, whatever ends this.

    What an earlier build put into the same folders is removed. Other files in them stay.

    Returns what plays: files, and folders as a whole.
    """
    folders = _whole_folders(results)
    for top in folders:
        files = {str(name.relative_to(top)): each.file for name, each in zip(_paths(results), results) if name.is_relative_to(top)}
        _put_folder(into / top, files)
    for name, each in zip(_paths(results), results):
        if not any(name.is_relative_to(top) for top in folders):
            _write(into / name, each.file)
    return [into / place for place in places(results)]


def remove_unfinished(into: Path) -> None:
    """Remove what an earlier ``put`` was about to write when it was killed."""
    for above in (into, *(path for path in into.glob("*") if path.is_dir() and not path.is_symlink())):
        for path in above.glob(f"{NEW}*"):
            remove(path)


def remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _paths(results: Sequence[Result]) -> list[PurePosixPath]:
    return [PurePosixPath(result.name) for result in results]


def _whole_folders(results: Sequence[Result]) -> list[PurePosixPath]:
    return [name.parent for name in _paths(results) if name.name == LIST]


def _put_folder(folder: Path, files: Mapping[str, BuildFile]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    if folder.exists():
        folder = folder.resolve()
    new = Path(tempfile.mkdtemp(prefix=NEW, dir=folder.parent))
    try:
        for name, file in files.items():
            _write(new / name, file)
        new.chmod(0o755)
        if folder.exists():
            _copy_others(folder, new)
            _exchange(new, folder)
        else:
            new.rename(folder)
        sync_file(folder.parent)
    finally:
        # What was there before, or what could not be written as a whole.
        remove(new)


def _exchange(new: Path, folder: Path) -> None:
    try:
        exchange(str(new), str(folder))
    except OSError:
        # A file system that cannot: then there is no team for a moment, but never half of one.
        old = Path(tempfile.mkdtemp(prefix=NEW, dir=folder.parent))
        folder.rename(old)
        new.rename(folder)
        remove(old)


def _copy_others(folder: Path, new: Path) -> None:
    """Copy what others than an earlier build put there."""
    try:
        names = json.loads((folder / LIST).read_bytes())
    except (OSError, ValueError):
        names = ()
    listed = {LIST, *(name for name in names if isinstance(name, str))} if isinstance(names, list) else {LIST}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        target = new / name
        if name in listed or target.exists() or (path.is_dir() and not path.is_symlink()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)


def _write(path: Path, file: BuildFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(prefix=NEW, dir=path.parent, delete=False) as new:
        written = Path(new.name)
        try:
            new.write(file.data)
            new.flush()
            written.chmod(0o755 if file.executable else 0o644)
            # What a report says has been built survives a power cut.
            sync_file(written)
            written.replace(path)
            sync_file(path.parent)
        except OSError:
            written.unlink(missing_ok=True)
            raise


def names_beside(first: str, names: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The names of files beside a product that it may need, relative to its folder."""
    folder = str(PurePosixPath(first).parent)
    prefix = "" if folder == "." else f"{folder}/"
    below = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
    return [name for pattern in patterns for name in matching(pattern, below)]
