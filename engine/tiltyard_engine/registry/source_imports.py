"""Imports of handed-in code from the files that count as its code.

Python runs the byte code in ``__pycache__`` instead of a source whose time and size it names, or without any look at the source.
A team could hand in one that does something else, and an edit within the same second would not be seen. So sources of files,
packages and projects are compiled each time, and nothing is imported from folders that their digest leaves out.

Each team has its own modules, so that two teams' ``helper.py`` do not meet in one process. At home, Python finds what lies beside
the program, and a package by its folder's name. An archive or a platform may have changed that name: one that nothing has, with a
module of the team's behind it, is what the folder was called. Here the folder of a team is a package with a name of its own, and
the team's code gets an ``__import__`` that looks there first. What it finds is in ``sys.modules`` under that name alone. See
docs/decisions/0049-python-as-it-ran-at-home.md.
"""

from __future__ import annotations

import builtins
import hashlib
import importlib
import importlib.util
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

IGNORED_FOLDERS: Final = frozenset(["__pycache__", "node_modules", "build", "dist", "venv"])
"""Not a plugin's code, and changed by tools. Folders with a leading dot are ignored as well."""
_roots: set[str] = set()
"""The folders of packages and projects that this process has loaded."""


_builtins: dict[str, dict[str, Any]] = {}
"""Of teams whose imports are their own, by the first part of their modules' names."""


class SourceLoader(SourceFileLoader):
    """Compiles a source whatever byte code lies beside it, and leaves none there."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Compile the source each time, as ``importlib.abc.InspectLoader`` asks."""
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def exec_module(self, module: ModuleType) -> None:
        """Run the module, with the builtins of its team if it has some."""
        own = _builtins.get(module.__name__.partition(".")[0])
        if own is not None:
            module.__dict__["__builtins__"] = own
        super().exec_module(module)


def use_builtins(name: str, builtins: dict[str, Any]) -> None:
    """From now on, run the modules whose names begin with this one with these builtins."""
    _builtins[name] = builtins


def import_from_sources(folder: str) -> None:
    """From now on, import modules below this folder as this file's docstring says. The path is absolute, without links."""
    if _finder not in sys.path_hooks:
        sys.path_hooks.insert(0, _finder)
    if folder not in _roots:
        _roots.add(folder)
        for path in [path for path in sys.path_importer_cache if _is_within(path, folder)]:
            del sys.path_importer_cache[path]


def _finder(path: str) -> FileFinder | _NoCode:
    root = next((root for root in _roots if _is_within(path, root)), None)
    # A project may contain the environment that this process runs on.
    if root is None or any(_is_within(path, prefix) for prefix in (sys.prefix, sys.base_prefix)):
        raise ImportError
    for part in Path(path).relative_to(root).parts:
        if part in IGNORED_FOLDERS or part.startswith("."):
            return _NoCode(path, part)
    return FileFinder(
        path,
        (ExtensionFileLoader, EXTENSION_SUFFIXES),
        (SourceLoader, SOURCE_SUFFIXES),
        (SourcelessFileLoader, BYTECODE_SUFFIXES),
    )


class _NoCode:
    """Instead of a finder for a folder that no digest counts."""

    def __init__(self, path: str, folder: str) -> None:
        self._path = path
        self._folder = folder

    def find_spec(self, name: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """Refuse every module of this folder."""
        raise ImportError(f"{self._path}: a folder named '{self._folder}' doesn't count as code; give it another name")


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/")


NEVER_OWN: Final = frozenset(["tiltyard_engine", *sys.builtin_module_names])
"""At home Python doesn't look for the latter in any folder. Another copy of the former would make records of other classes."""


class OwnModules:
    """The modules of one team.

    Args:
        folder: the team's, absolute, without links.
        name: what it is called as a package.
        places: the folders in it, relative, that modules are looked for in: the one of its plugin, then itself.
    """

    def __init__(self, folder: Path, name: str, places: Sequence[Path] = (Path(),)) -> None:
        self._folder = folder
        self._name = name
        self._places = list(dict.fromkeys(places))
        self._files: dict[tuple[str, ...], str] = {}
        """What the first part of a name stands for, by itself and what follows; empty: no module of the team's."""
        import_from_sources(str(folder))
        use_builtins(name, {**vars(builtins), "__import__": self._import})

    def load(self, plugin: Path) -> ModuleType:
        """Import the plugin: a file of the folder, a package in it, or the folder itself where that is a package.

        Raises:
            BaseException: whatever its code raises. Then none of its modules stays.
        """
        try:
            if plugin == self._folder:
                return load_file(plugin / "__init__.py", self._name, plugin)
            self._add_package()
            if "." in plugin.stem:
                return load_file(plugin, f"{self._name}.{plugin.stem.replace('.', '_')}")
            return importlib.import_module(self._dotted(plugin.relative_to(self._folder).with_suffix("")))
        except BaseException:
            for name in [name for name in sys.modules if name == self._name or name.startswith(f"{self._name}.")]:
                del sys.modules[name]
            raise

    def load_module(self, name: str) -> ModuleType:
        """Import a module of the folder by its name; errors as for ``load``."""
        self._add_package()
        return importlib.import_module(f"{self._name}.{name}")

    def _add_package(self) -> None:
        package = ModuleType(self._name)
        package.__path__ = [str(self._folder)]
        sys.modules[self._name] = package

    def _dotted(self, path: Path) -> str:
        if any("." in part for part in path.parts):
            raise ImportError(f"{path}: Python cannot import a file with a dot in its name; rename it")
        return ".".join((self._name, *path.parts))

    def _import(
        self,
        name: str,
        globals: Mapping[str, Any] | None = None,  # noqa: A002 -- as Python calls it
        locals: Mapping[str, Any] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        """Import as ``builtins.__import__`` does, but the team's own modules first."""
        first, _, rest = name.partition(".")
        own = "" if level else self._own_name(first, *([rest.partition(".")[0]] if rest else fromlist or ()))
        if not own:
            return builtins.__import__(name, globals, locals, fromlist or (), level)
        module = importlib.import_module(f"{own}.{rest}" if rest else own)
        if not fromlist:
            return sys.modules[own]
        # For names in the list that are modules.
        return builtins.__import__(module.__name__, globals, locals, fromlist)

    def _own_name(self, *names: str) -> str:
        if names not in self._files:
            self._files[names] = self._look_up(*names)
        return self._files[names]

    def _look_up(self, first: str, *following: str) -> str:
        if first in NEVER_OWN or not first:
            return ""
        for place in self._places:
            if self._has(place, first):
                return self._dotted(place / first)
        if first == self._folder.name:
            return self._name
        homes = [place for place in self._places if any(self._has(place, name) for name in following)]
        return self._dotted(homes[0]) if homes and not _is_elsewhere(first) else ""

    def _has(self, place: Path, name: str) -> bool:
        path = self._folder / place / name
        return any(Path(f"{path}{suffix}").is_file() for suffix in (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)) or _holds_code(path)


def load_file(path: Path, name: str, package: Path | None = None) -> ModuleType:
    """Import a file under a name; ``package`` is its folder where it is a package's ``__init__.py``.

    Raises:
        BaseException: whatever its code raises. Then the module doesn't stay.
    """
    locations = None if package is None else [str(package)]
    spec = importlib.util.spec_from_file_location(
        name, path, loader=SourceLoader(name, str(path)), submodule_search_locations=locations
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def own_name(path: Path | str) -> str:
    """The name under which what lies at a path is imported, so that two teams' ``bot.py`` do not meet."""
    return f"tiltyard_file_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"


def _holds_code(folder: Path) -> bool:
    try:
        return folder.is_dir() and any(path.suffix == ".py" for path in folder.iterdir())
    except OSError:
        return False


def _is_elsewhere(name: str) -> bool:
    """Whether a module of that name is installed."""
    try:
        return name in sys.modules or importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
