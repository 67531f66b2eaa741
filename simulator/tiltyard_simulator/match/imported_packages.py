"""Where the packages of an installed plugin are imported from. Its metadata need not say so: a copy on PYTHONPATH comes first."""

from __future__ import annotations

import contextlib
import importlib.util
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tiltyard_engine.data_classes import dataclass
from tiltyard_engine.errors import UserError
from tiltyard_engine.registry.source_imports import IGNORED_FOLDERS

if TYPE_CHECKING:
    from importlib import metadata

_MODULE_SUFFIXES: Final = ("", ".py", ".so")


@dataclass(frozen=True, slots=True)
class ImportedPackage:
    """A package or module that is imported from elsewhere than its distribution's metadata say."""

    name: str
    distribution: str
    installed: Path | None
    """Where the metadata have it; None: they don't list it."""
    places: tuple[Path, ...]
    """What is imported: a folder, a file or an archive. Several only where a package has no ``__init__.py``."""

    def __str__(self) -> str:
        """A sentence for people, without a full stop."""
        places = " and ".join(map(str, self.places))
        where = f"{self.installed} of the installed {self.distribution}" if self.installed else f"what {self.distribution} lists"
        return f"the package {self.name} is imported from {places}, not from {where}"


def packages_from_elsewhere(name: str, distribution: metadata.Distribution, roots: Sequence[Path]) -> Iterator[ImportedPackage]:
    """The packages of a distribution that are imported from elsewhere. None of them is imported for that.

    Args:
        name: the distribution's.
        distribution: its metadata.
        roots: the topmost files and folders that belong to it by its metadata, resolved.

    Raises:
        UserError: this process imports a package from one place, and those that play matches from another.
    """
    folders = [*_editable_paths(roots), *(folder for root in roots for folder in (root.parent, root / "src", root))]
    # Several modules may be in one package.
    imported = partial(_imported, path_of_matches=_path_of_matches())
    for package, places in dict(map(imported, _modules_of(distribution, roots))).items():
        if all(place in roots for place in places):
            continue
        installed = _installed_place(package, folders, roots)
        if places != [installed] and (installed is not None or not all(_is_counted(place, roots) for place in places)):
            yield ImportedPackage(package, name, installed, tuple(places))


def folders_of_the_main_script() -> set[str]:
    """What Python may have put at the start of its path for the main script, module or command."""
    folders = {"", str(Path(sys.argv[0]).resolve().parent)}
    with contextlib.suppress(OSError):
        folders.add(str(Path.cwd()))
    return folders


def _modules_of(distribution: metadata.Distribution, roots: Iterable[Path]) -> list[str]:
    """The modules of its entry points, and the packages that it has installed."""
    names: list[str] = []
    # Broken metadata: the registry shows them as a plugin that failed.
    with contextlib.suppress(Exception):
        names += [entry.value.partition(":")[0].strip() for entry in distribution.entry_points]
        base = Path(str(distribution.locate_file(""))).resolve()
        tops = [root for root in roots if root.parent == base and root.suffix in _MODULE_SUFFIXES]
        # Without this file, a folder is as well one of data, and has the name of anybody's folder.
        names += [root.name.partition(".")[0] for root in tops if root.is_file() or (root / "__init__.py").is_file()]
    return list(dict.fromkeys(names))


def _imported(module: str, path_of_matches: list[str]) -> tuple[str, list[Path]]:
    """The outermost package of a module that has code of its own, and where it is imported from.

    Raises:
        UserError: see ``packages_from_elsewhere``.
    """
    with contextlib.suppress(ImportError, ValueError, AttributeError, TypeError):
        package, here = _with_code(module, importlib.util.find_spec(module.partition(".")[0]))
        if here and path_of_matches != sys.path:
            _, there = _with_code(module, _spec_on(path_of_matches, module.partition(".")[0]))
            if there and there != here:
                raise UserError(
                    f"the package {package} is imported from {here[0]} in this process, but from {there[0]} where matches are"
                    f" played; remove one of the two, or start tiltyard from another folder than {here[0].parent}"
                )
        return package, here
    return module, []


def _path_of_matches() -> list[str]:
    """Where processes that play matches look for modules: workers not beside the main script, zygotes only in absolute folders."""
    path = [*sys.path]
    if path and not sys.flags.safe_path and path[0] in folders_of_the_main_script():
        del path[0]
    return [folder for folder in path if Path(folder).is_absolute()]


def _spec_on(path: list[str], name: str) -> ModuleSpec | None:
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path if finder is PathFinder else None)
        if spec is not None:
            return spec
    return None


def _with_code(module: str, spec: ModuleSpec | None) -> tuple[str, list[Path]]:
    """Go down from ``spec``, that of the module's top, through packages without code, which several distributions may share."""
    top, *below = module.split(".")
    package = top
    for part in below:
        if spec is None or spec.has_location or not spec.submodule_search_locations:
            break
        inner = PathFinder.find_spec(f"{package}.{part}", list(spec.submodule_search_locations))
        if inner is None:
            break
        package, spec = inner.name, inner
    return package, [] if spec is None else _places_of(spec)


def _places_of(spec: ModuleSpec) -> list[Path]:
    if not spec.has_location or not spec.origin:
        # Such as a package without __init__.py; what is built into Python has none of these.
        places = [Path(place) for place in spec.submodule_search_locations or ()]
    else:
        places = [Path(spec.origin) if spec.submodule_search_locations is None else Path(spec.origin).parent]
    return [_existing(place.resolve()) for place in places]


def _existing(place: Path) -> Path:
    """The place, or the archive that it is in."""
    return next((path for path in (place, *place.parents) if path.exists()), place)


def _installed_place(package: str, folders: Iterable[Path], roots: Sequence[Path]) -> Path | None:
    inner = Path(*package.split("."))
    for folder in folders:
        for place in (folder / inner, folder / f"{inner}.py"):
            if place.exists() and any(place.is_relative_to(root) for root in roots):
                return place.resolve()
    return None


def _is_counted(place: Path, roots: Iterable[Path]) -> bool:
    """Whether a place is part of what belongs to the distribution anyway."""
    return any(
        place.is_relative_to(root)
        and not any(part in IGNORED_FOLDERS or part.startswith(".") for part in place.relative_to(root).parts)
        for root in roots
    )


def _editable_paths(roots: Iterable[Path]) -> Iterator[Path]:
    """The folders that an editable installation adds to Python's path."""
    for root in roots:
        if root.suffix == ".pth":
            with contextlib.suppress(OSError, ValueError):
                yield from (Path(line).resolve() for line in root.read_text("utf-8").splitlines() if line.startswith("/"))
