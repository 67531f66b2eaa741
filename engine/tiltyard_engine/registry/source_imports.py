"""Imports of handed-in code from the files that count as its code.

Python runs the byte code in ``__pycache__`` instead of a source whose time and size it names, or without any look at the source.
A team could hand in one that does something else, and an edit within the same second would not be seen. So sources of files,
packages and projects are compiled each time, and nothing is imported from folders that their digest leaves out.
"""

from __future__ import annotations

import sys
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
