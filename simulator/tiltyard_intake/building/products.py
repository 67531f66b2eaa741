"""What comes out of a build: which files are the product, and what is put into the folder of teams for them."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from tiltyard_engine.recipes import Product
from tiltyard_engine.registry.python_folders import TEAMS_LIST
from tiltyard_engine.registry.sources import MANIFEST
from tiltyard_intake.building.toolchains import find_tool
from tiltyard_intake.recipes.patterns import matches
from tiltyard_intake.trees.file_names import file_stem
from tiltyard_simulator.guard.confinement.kernel.libc import exchange
from tiltyard_simulator.guard.policy import CLEAN
from tiltyard_simulator.guard.programs.build_client import BuildFile
from tiltyard_simulator.guard.programs.program_paths import DOTNET
from tiltyard_simulator.output.result_files import sync_file

LIST: Final = TEAMS_LIST
"""In a folder that was put there: the names of its files, so that the next build removes those that it no longer has."""
NEW: Final = ".new-"
"""How the names of what is not whole yet begin."""
_RUNTIME: Final = re.compile(r"\{tool:([^{}]+)\}")


@dataclass(frozen=True, slots=True)
class Result:
    """A file for the folder of teams."""

    name: str
    """Relative to it."""
    file: BuildFile


def results_of(
    product: Product, team: str, game: str, first_files: Mapping[str, BuildFile], beside: Mapping[str, BuildFile]
) -> list[Result]:
    """The files that one product becomes.

    Args:
        product: what the recipe says.
        team: whose it is.
        game: what it plays.
        first_files: the product's files by name, the best first.
        beside: other files that it may need, by names relative to the folder of the first.
    """
    prefix = f"{product.folder}/" if product.folder else ""
    top = f"{prefix}{file_stem(team)}/"
    if product.form == "folder":
        files = [Result(f"{top}{name}", file) for name, file in beside.items()]
        return [*files, _with_list(files, top)]
    if product.form == "file" and beside:
        files = [Result(top + name, file) for name, file in beside.items() if name != LIST]
        return [*files, _with_list(files, top)]
    if product.form == "file":
        return [Result(prefix + _name(product, team, name), file) for name, file in first_files.items()]
    first = next(iter(first_files))
    name = _name(product, team, first)
    also = {
        other: file
        for other, file in beside.items()
        if other not in (PurePosixPath(first).name, MANIFEST) and any(matches(pattern, other) for pattern in product.also)
    }
    files = [Result(top + other, file) for other, file in also.items()]
    files.append(Result(top + name, BuildFile(first_files[first].data, executable=True)))
    files.append(Result(top + MANIFEST, BuildFile(_manifest(product, team, game, name).encode())))
    return [*files, _with_list(files, top)]


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


def _with_list(files: Sequence[Result], top: str) -> Result:
    names = sorted(result.name.removeprefix(top) for result in files)
    return Result(top + LIST, BuildFile(json.dumps(names, indent=0).encode()))


def places(results: Sequence[Result]) -> list[str]:
    """What plays when they are put there, relative to the folder of teams: files, and folders as a whole."""
    folders = _whole_folders(results)
    tops = ((next((top for top in folders if name.is_relative_to(top)), name)) for name in _paths(results))
    return list(dict.fromkeys(map(str, tops)))


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
    all_names = {LIST, *(name for name in names if isinstance(name, str))} if isinstance(names, list) else {LIST}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        target = new / name
        if name in all_names or target.exists() or (path.is_dir() and not path.is_symlink()):
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target, follow_symlinks=False)


def _write(path: Path, file: BuildFile) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(prefix=NEW, dir=path.parent, delete=False) as new:
        unfinished = Path(new.name)
        try:
            new.write(file.data)
            new.flush()
            unfinished.chmod(0o755 if file.executable else 0o644)
            # What a report says has been built survives a power cut.
            sync_file(unfinished)
            unfinished.replace(path)
            sync_file(path.parent)
        except OSError:
            unfinished.unlink(missing_ok=True)
            raise
