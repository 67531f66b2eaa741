"""Where a plugin can come from: an entry point, a .py or .so file, a package, a project, a program's manifest, a caller."""

from __future__ import annotations

import itertools
import pkgutil
import re
import stat
import sys
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tiltyard_engine.data_classes import dataclass, replace
from tiltyard_engine.errors import UserError, show
from tiltyard_engine.errors.named_paths import near_path, refuse_address
from tiltyard_engine.hooks import PROJECT
from tiltyard_engine.registry.environments import environment_of
from tiltyard_engine.registry.file_loaders import FILES_GROUP, LIBRARY_SUFFIX, needs_of
from tiltyard_engine.registry.python_folders import is_ones_own, is_stray, only_plugin, plugins_in
from tiltyard_engine.registry.toml_files import read_toml

if TYPE_CHECKING:
    from importlib import metadata

PYPROJECT: Final = "pyproject.toml"
MANIFEST: Final = "program.toml"
"""What makes a folder that of an external program."""
PLUGIN_SUFFIXES: Final = (".py", LIBRARY_SUFFIX)
"""Of single files that are plugins."""
PROGRAM_HEADS: Final = (b"#!", b"\x7fELF")
"""Of files that can be started once they are executable."""
NO_PLUGINS: Final = {
    ".pyw": "is Python for Windows without a console; rename it to {stem}.py",
    ".pyc": "is compiled Python, which only one version can read; use its source, {stem}.py",
    ".py.txt": "is Python with the ending of a text; rename it to {stem}.py",
}
"""Endings of what people take for a plugin, what it is and what to do."""
UNKNOWN: Final = "unknown"
"""The name of distributions whose metadata are lost."""
HOST_DISTRIBUTION: Final = "tiltyard"
"""The one that runs matches. It contributes too, but its code is in every cell."""
NOBODY: Final[frozenset[str]] = frozenset()
LARGEST_PROJECT: Final = 1 << 18
"""Bytes of a pyproject.toml."""
MOST_ENTRY_POINTS: Final = 100
"""Of a project. Each one is loaded in a process of its own."""
SPECIAL_FILES: Final = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
"""What a path may be that is no regular file."""


class Origin(StrEnum):
    """The kinds of source."""

    INSTALLED = "installed"
    FILE = "file"
    PACKAGE = "package"
    PROJECT = "project"
    PROGRAM = "program"
    LIBRARY = "library"
    GIVEN = "given"
    """Records that a program gave instead of a name; see ``loading.give_records``."""


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Source:
    """One place that a plugin is loaded from. Plain data: it can be sent to another process and loaded there."""

    name: str
    """Entry-point name, or the stem of the file or folder."""
    origin: Origin
    value: str
    """``module`` or ``module:attribute``; for files, packages and manifests the absolute path; for a bare command its words; for
    given records what stands for them in this process."""
    distribution: str = ""
    version: str = ""
    folder: str = ""
    """Origin PROJECT: the folder to import from. Origin PROGRAM: the manifest's; empty for a bare command. Origin FILE and PACKAGE:
    the team's folder; empty for a file that is all of the team, and for a package that is not in a folder of its own."""
    error: str = ""
    """Why it cannot even be tried, such as a broken pyproject.toml."""
    loader: str = ""
    """Origin LIBRARY: ``module:attribute`` of the ``FileLoader`` that makes a plugin of the file."""
    needs: tuple[str, ...] = ()
    """Origin LIBRARY: files of this machine that running it takes beside its own."""
    environment: str = ""
    """The folder of the Python environment that its code runs on; empty: the runner's own. See ``environments``."""

    @property
    def home(self) -> str:
        """The folder of a team in Python that its modules and data lie in; empty if it has none that is its own."""
        is_whole = self.origin in (Origin.PACKAGE, Origin.PROJECT)
        return "" if self.origin is Origin.PROGRAM else self.folder or (self.value if is_whole else "")

    def __str__(self) -> str:
        """The source in words, for messages."""
        if self.origin is Origin.INSTALLED:
            return f"{self.name} ({f'{self.distribution} {self.version}'.strip()})"
        if self.origin is Origin.GIVEN:
            return f"{self.name} (given in Python)"
        return self.folder or self.value


def installed_sources(group: str = PROJECT, own: frozenset[str] = NOBODY, distribution_name: str | None = None) -> list[Source]:
    """All entry points of ``group``, those of the host's ``own`` distributions first, then sorted.

    With the name of a distribution only its own: no other is looked at, which takes half of the time.

    This order lets nobody else take a name that the host's own plugins use. A distribution that is found twice counts once, as the
    first on the path. One that spells the name of an own distribution differently is somebody else's, and is not used.
    """
    # Here, because the zygote of all cells never comes here: they are smaller without it.
    from importlib import metadata

    by_name: dict[str, list[Source]] = {}
    nameless: list[Source] = []
    for distribution in metadata.distributions(name=distribution_name) if distribution_name else installed_distributions()[0]:
        sources = _distribution_sources(distribution, group, own)
        if not sources:
            continue
        name = sources[0].distribution
        if name != UNKNOWN:
            by_name.setdefault(name, sources)
        else:
            nameless += sources
    every = [*itertools.chain.from_iterable(by_name.values()), *nameless]
    return sorted(every, key=lambda source: (not is_of(source, own), source.name, source.distribution, source.value))


def installed_distributions() -> tuple[list[metadata.Distribution], list[metadata.Distribution]]:
    """Those that seem to have entry points of the project's groups, and all others.

    To read the entry points of all takes as long as many a command. They are read again once a folder of Python's path has changed.
    """
    return _distributions_in(tuple((folder, _changed_at(folder)) for folder in sys.path))


@lru_cache(1)
def _distributions_in(_: tuple[tuple[str, int], ...]) -> tuple[list[metadata.Distribution], list[metadata.Distribution]]:
    from importlib import metadata

    with_groups: list[metadata.Distribution] = []
    others: list[metadata.Distribution] = []
    for distribution in metadata.distributions():
        (with_groups if _mentions(distribution, f"[{PROJECT}") else others).append(distribution)
    return with_groups, others


def _changed_at(folder: str) -> int:
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def own_entry_points(group: str, own: frozenset[str]) -> list[metadata.EntryPoint]:
    """The entry points of ``group`` that the ``own`` distributions have, sorted by name.

    For what runs in the caller's own process, unguarded: whoever else is installed can't put anything there.
    """
    from importlib import metadata

    # By name: to look at all that is installed takes as long as an own command.
    installed = (source for name in own for source in installed_sources(group, own, name))
    sources = sorted(
        (source for source in installed if is_of(source, own) and not source.error),
        key=lambda source: (source.name, source.distribution, source.value),
    )
    return [metadata.EntryPoint(name=source.name, value=source.value, group=group) for source in sources]


def is_of(source: Source, distributions: frozenset[str]) -> bool:
    """Whether it is installed and comes from one of ``distributions``, which are named as ``normal_name`` has them."""
    return source.origin is Origin.INSTALLED and source.distribution in distributions


def host_sources(group: str) -> list[Source]:
    """The entry points that tiltyard itself has in a group, sorted by name. No other's count: what is there runs unguarded."""
    own = frozenset([HOST_DISTRIBUTION])
    sources = installed_sources(group, own, HOST_DISTRIBUTION)
    return [source for source in sources if is_of(source, own) and not source.error]


def host_value(group: str, what: str = "") -> Any:
    """What tiltyard's own entry point of a group leads to, without a look at anything else of it; None: there is none.

    Raises:
        UserError: there is none, and ``what`` says for people what is missing.
    """
    for source in host_sources(group):
        return pkgutil.resolve_name(source.value)
    if what:
        raise UserError(f"{what} is not installed; install tiltyard again")
    return None


def normal_name(distribution: str) -> str:
    """A distribution's name as all its spellings compare equal."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _distribution_sources(distribution: metadata.Distribution, group: str, own: frozenset[str]) -> list[Source]:
    """A distribution's entry points of ``group``; broken ones that seem to belong to it become a source with an error."""
    error = ""
    values: dict[str, str] = {}
    # Parsing the entry points of those that have none of the group would take most of the time.
    if not _mentions(distribution, f"[{group}]"):
        return []
    try:
        values = {entry.name: entry.value for entry in distribution.entry_points if entry.group == group}
    except Exception as problem:
        # The standard library raises whatever it happens to stumble over.
        error = f"entry_points.txt: {problem}"
    if not values and not error:
        return []
    try:
        spelt, version = _name_and_version(distribution)
    except Exception as problem:
        spelt, version, error = UNKNOWN, "", f"METADATA: {problem}"
    name = normal_name(spelt)
    if name in own and spelt != name:
        error = f"its distribution's name is that of {name} in another spelling"
        name = spelt
    if error:
        return [Source(name=name, origin=Origin.INSTALLED, value="", distribution=name, version=version, error=error)]
    return [
        Source(name=entry, origin=Origin.INSTALLED, value=value, distribution=name, version=version)
        for entry, value in values.items()
    ]


def _mentions(distribution: metadata.Distribution, text: str) -> bool:
    """Whether a text stands among the entry points. In what cannot even be read it may."""
    try:
        return text in (distribution.read_text("entry_points.txt") or "")
    except (OSError, ValueError):
        return True


def _name_and_version(distribution: metadata.Distribution) -> tuple[str, str]:
    try:
        about = distribution.metadata
    except FileNotFoundError:
        # So says the package importlib_metadata, which takes the standard library's place as soon as anything imports it.
        return UNKNOWN, ""
    name = about["Name"] if "Name" in about else UNKNOWN  # noqa: SIM401 -- "get" came with Python 3.12
    version = about["Version"] if "Version" in about else ""  # noqa: SIM401
    return name, version


def path_sources(path: Path, own: frozenset[str] = NOBODY, group: str = PROJECT) -> list[Source]:
    """The plugins at ``path``: a file, a package, a project, or a folder that holds some of these, sorted by name.

    What a folder holds is somebody else's: whatever is wrong with it becomes the error of a source, and stops nothing.

    Args:
        path: where to look.
        own: the host's own distributions; they alone may bring what loads files that are no Python.
        group: of the entry points that are read of a project.

    Raises:
        UserError: the path is missing, unreadable, or nothing that a plugin could be.
    """
    refuse_address(str(path))
    try:
        return [_with_name_that_travels(with_environment(source)) for source in _sources_at(path, own, group)]
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error


def with_environment(source: Source) -> Source:
    """The source with the environment that the organiser has made for it, if there is one beside it."""
    if source.error or source.origin in (Origin.INSTALLED, Origin.LIBRARY):
        return source
    try:
        return replace(source, environment=environment_of(place_of(source)))
    except UserError as error:
        return replace(source, error=str(error))


def place_of(source: Source) -> Path:
    """The file or folder that people name to have a source: of a project the whole, and not its ``src``."""
    path = Path(source.folder or source.value)
    is_inner = source.origin is Origin.PROJECT and path.name == "src" and (path.parent / PYPROJECT).is_file()
    return path.parent if is_inner else path


def _sources_at(path: Path, own: frozenset[str], group: str) -> list[Source]:
    if path.is_dir():
        if group != PROJECT and not (path / "__init__.py").is_file() and _folder_sources(path, PROJECT):
            # What else lies in a project is no plugin of its own.
            return _folder_sources(path, group)
        return _folder_sources(path, group) or _own_folder(path) or _children(path, own, group)
    problem = irregularity(path)
    if problem:
        raise UserError(f"{path}: {problem}{near_path(path)}")
    if path.name == MANIFEST:
        return [_manifest_source(path.parent)]
    if not is_plugin_file(path):
        if almost := almost_plugin(path.name):
            raise UserError(f"{path}: {almost}")
        expected = f"a folder, a .py or {LIBRARY_SUFFIX} file, a {MANIFEST} or an executable file"
        with path.open("rb") as file:
            hint = f"; to play this program, run 'chmod +x {path}'" if file.read(4).startswith(PROGRAM_HEADS) else ""
        raise UserError(f"{path}: not a plugin: expected {expected}{hint}")
    source = _file_source(path, own)
    plugin = Path(source.value)
    # Whoever names a team's file means its helpers too.
    is_own = source.origin is Origin.FILE and is_ones_own(plugin.parent, plugin) and only_plugin(plugin.parent) == plugin
    return [replace(source, folder=str(plugin.parent))] if is_own else [source]


def is_plugin_file(path: Path) -> bool:
    """Whether a file is a plugin by its ending, in capitals too, as Windows does not tell them apart."""
    return path.suffix.lower() in PLUGIN_SUFFIXES


def almost_plugin(name: str) -> str:
    """What a file is that people take for a plugin by its name, and what to do; empty for other names."""
    ending = next((ending for ending in NO_PLUGINS if name.lower().endswith(ending)), "")
    return NO_PLUGINS[ending].format(stem=name[: -len(ending)]) if ending else ""


def irregularity(path: Path) -> str:
    """Why a path is no file that can be read to its end, such as ``is a pipe, expected a file``; empty if it is one."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return "is a link to a file that doesn't exist" if path.is_symlink() else "no such file or folder"
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    return "" if kind == stat.S_IFREG else f"is {SPECIAL_FILES.get(kind, 'a special file')}, expected a file"


def _with_name_that_travels(source: Source) -> Source:
    """The source with an error if its path is no text: other processes get sources as text."""
    try:
        f"{source.name}{source.value}{source.folder}".encode()
    except UnicodeEncodeError:
        return replace(source, error="its path is not valid UTF-8; rename it")
    return source


def _children(folder: Path, own: frozenset[str], group: str) -> list[Source]:
    sources: list[Source] = []
    for child in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if child.name.startswith((".", "__")):
            continue
        if child.is_dir():
            sources.extend(_child_folder_sources(child, group))
        elif is_plugin_file(child) or (almost_plugin(child.name) and not _lies_beside_its_source(child)):
            problem = irregularity(child) or almost_plugin(child.name)
            sources.append(_unusable_file(child, problem) if problem else _file_source(child, own))
    return sources


def _lies_beside_its_source(path: Path) -> bool:
    return (path.parent / f"{path.name.partition('.')[0]}.py").exists()


def _unusable_file(path: Path, error: str) -> Source:
    # Where a link leads is not asked: it may lead back to itself.
    return Source(name=path.stem, origin=Origin.FILE, value=str(path.absolute()), error=error)


def _file_source(path: Path, own: frozenset[str]) -> Source:
    origin = Origin.LIBRARY if path.suffix.lower() == LIBRARY_SUFFIX else Origin.FILE
    source = Source(name=path.stem, origin=origin, value=str(path.resolve()))
    if origin is Origin.FILE:
        return source
    loader = _loaders(own).get(path.suffix.lower(), "")
    if not loader:
        return replace(source, error=f"cannot load {path.suffix} files: no installed plugin loads them")
    try:
        return replace(source, loader=loader, needs=needs_of(loader))
    except UserError as error:
        return replace(source, loader=loader, error=str(error))


@cache
def _loaders(own: frozenset[str]) -> dict[str, str]:
    """Suffix to the loader of such files; of the host's own distributions alone, as it is run here."""
    return {f".{source.name}": source.value for source in installed_sources(FILES_GROUP) if is_of(source, own)}


def _child_folder_sources(folder: Path, group: str) -> list[Source]:
    """What a folder among others is. If it only looks like a plugin, its source has an error that says so."""
    try:
        sources = _folder_sources(folder, group) or sources_of_team(folder)
        if sources or group != PROJECT:
            return sources
        if (folder / PYPROJECT).is_file():
            return [_unusable(folder, f"{PYPROJECT}: no entry point in the group '{group}'")]
        if any(folder.glob("*.py")):
            return [_unusable(folder, _why_no_team(folder))]
    except OSError as error:
        return [_unusable(folder, f"cannot be read: {error.strerror}")]
    return []


def _folder_sources(folder: Path, group: str) -> list[Source]:
    """What a folder is by itself: a program, a package, a project with entry points, or nothing."""
    if (folder / MANIFEST).is_file():
        return [_manifest_source(folder)]
    if (folder / "__init__.py").is_file() and not (is_stray(folder) and only_plugin(folder)):
        return [Source(name=folder.resolve().name, origin=Origin.PACKAGE, value=str(folder.resolve()))]
    pyproject = folder / PYPROJECT
    if not pyproject.is_file():
        return []
    try:
        project = read_toml(pyproject, LARGEST_PROJECT).get("project", {})
        entry_points = _entry_points(project, group)
        root = _import_root(folder)
        return [
            Source(
                name=name,
                origin=Origin.PROJECT,
                value=value,
                distribution=str(project.get("name", "")),
                version=str(project.get("version", "")),
                folder=root,
            )
            for name, value in sorted(entry_points.items())
        ]
    except UserError as error:
        return [_unusable(folder, str(error))]
    except (OSError, ValueError, AttributeError) as error:
        return [_unusable(folder, f"{PYPROJECT}: {error}")]


def sources_of_team(folder: Path) -> list[Source]:
    """The team of a folder that holds one plugin in Python; empty if it holds none or several."""
    whole = folder.resolve()
    plugin = only_plugin(whole)
    if plugin is None:
        return []
    origin = Origin.PACKAGE if plugin.is_dir() else Origin.FILE
    return [Source(name=whole.name, origin=origin, value=str(plugin), folder=str(whole))]


def _own_folder(folder: Path) -> list[Source]:
    """The one team of a folder that may as well be one of many teams; empty where it is not one team's own."""
    return [source for source in sources_of_team(folder) if is_ones_own(Path(source.folder), Path(source.value))]


def _why_no_team(folder: Path) -> str:
    names = [str(path.relative_to(folder)) for path in plugins_in(folder)]
    if names:
        return f"{' and '.join(names[:3])} are separate teams; keep only the one that should play, or give each its own folder"
    return f"contains Python files, but none of them is a plugin, and there is no {PYPROJECT} with entry points"


def _entry_points(project: Any, group: str) -> dict[str, str]:
    """A project's entry points for this host, of one group.

    Raises:
        ValueError: they are not those of a plugin.
        AttributeError: something above them is no table.
    """
    values = dict(project.get("entry-points", {}).get(group, {}).items())
    wrong = next((name for name, value in values.items() if not isinstance(value, str)), None)
    if wrong is not None:
        raise ValueError(f"the entry point {wrong!r:.80} is {show(values[wrong])}, expected a string such as 'package:attribute'")
    if len(values) > MOST_ENTRY_POINTS:
        raise ValueError(f"{len(values)} entry points in the group '{group}'; at most {MOST_ENTRY_POINTS} are allowed")
    return values


def _manifest_source(folder: Path) -> Source:
    whole = folder.resolve()
    return Source(name=whole.name, origin=Origin.PROGRAM, value=str(whole / MANIFEST), folder=str(whole))


def _unusable(folder: Path, error: str) -> Source:
    return Source(name=folder.resolve().name, origin=Origin.PROJECT, value="", folder=str(folder.resolve()), error=error)


def _import_root(folder: Path) -> str:
    """The folder to import from: ``src`` where a project uses it."""
    source = folder / "src"
    root = (source if source.is_dir() else folder).resolve()
    if not root.is_relative_to(folder.resolve()):
        # All that is below this folder is shown to the project's code.
        raise ValueError(f"src is a link to {root}, outside the project")
    return str(root)
