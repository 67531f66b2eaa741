"""Whether a team's file could be loaded here, and what it registers.

Cheap where nothing is wrong: a symbol with a version was found by whoever linked the file, so it is there if the version is; only
the others are looked for, and those that a host has to have are known by name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from tiltyard_tanks_native.elf.demangler import demangle
from tiltyard_tanks_native.elf.image import Image, NotLoadableError, Symbol, read_image
from tiltyard_tanks_native.elf.libraries import exports_of, find_library, read_library

TANK: Final = "TankAlgorithmRegistration"
PLAYER: Final = "PlayerRegistration"
MANAGER: Final = "GameManagerRegistration"
REGISTRATIONS: Final = {
    TANK: "ESt8functionIFSt10unique_ptrI13TankAlgorithmSt14default_deleteIS2_EEiiEE",
    PLAYER: "ESt8functionIFSt10unique_ptrI6PlayerSt14default_deleteIS2_EEimmmmEE",
    MANAGER: "ESt8functionIFSt10unique_ptrI19AbstractGameManagerSt14default_deleteIS2_EEbEE",
}
"""The registering structs, and how the symbols of their constructors end where they take what today's interface says."""
INTERFACE_CLASSES: Final = ("BattleInfo", "SatelliteView", "TankAlgorithm", "Player", "AbstractGameManager")
RUN: Final = re.compile(r"3runEmmRK?13SatelliteView")
TODAYS_RUN: Final = "3runEmmRK13SatelliteViewNSt7__cxx1112basic_string"
"""How the name of a GameManager's ``run`` goes on after its class: the map, then its name."""
STAND_INS: Final = frozenset(
    [
        "_ZSt21ios_base_library_initv",
        "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE15_M_replace_coldEPcmPKcmm",
        "__cxa_call_terminate",
        *(f"__isoc23_{name}" for name in ("strtol", "strtoul", "strtoll", "strtoull", "sscanf")),
    ]
)
"""What ``cpp/stand_ins.cpp`` has for files that were built on a newer system."""
SANITIZERS: Final = {"libasan.so": "address", "libtsan.so": "thread", "liblsan.so": "leak"}
"""Libraries that end a process in which they are not the first."""
MOST_NAMED: Final = 3
"""Of missing symbols; of more the number is told."""
_VERSION: Final = re.compile(r"[A-Z]+[A-Z_]*_(\d+(?:\.\d+)*)")


def _constructors(name: str) -> tuple[str, ...]:
    return tuple(f"_ZN{len(name)}{name}C{kind}{REGISTRATIONS[name]}" for kind in (1, 2))


def _class_symbols(name: str) -> tuple[str, ...]:
    long = f"{len(name)}{name}"
    return (f"_ZTI{long}", f"_ZTS{long}", f"_ZTV{long}", *(f"_ZN{long}D{kind}Ev" for kind in (0, 1, 2)))


HOST_SYMBOLS: Final = frozenset(
    symbol for symbols in (*map(_constructors, REGISTRATIONS), *map(_class_symbols, INTERFACE_CLASSES)) for symbol in symbols
)
"""What a file finds in its host: the library's exports."""


def examine(path: Path) -> None:
    """Look whether a team's file could be loaded here.

    Raises:
        NotLoadableError: it cannot be loaded here, or registers nothing that could be used; says why in one line.
    """
    image = read_image(path)
    _check_sanitizers(image)
    libraries = _libraries(image)
    _check_versions(image, libraries)
    registered = {name for name in REGISTRATIONS if _wants_constructor(image.imports, name)}
    _check_symbols(image, [path for _, path in libraries])
    if MANAGER in registered:
        _check_run(path)
    if TANK in registered and PLAYER not in registered:
        raise NotLoadableError(f"it registers a tank ({TANK}), but no Player ({PLAYER})")
    if PLAYER in registered and TANK not in registered:
        raise NotLoadableError(f"it registers a Player ({PLAYER}), but no tank ({TANK})")
    if not registered:
        raise NotLoadableError(
            f"it registers nothing: it uses neither {TANK} and {PLAYER}, as an algorithm's file does, nor {MANAGER}; "
            "check that the source file with the REGISTER_... macro is linked in, and that a host's registration code is not"
        )


def _check_run(path: Path) -> None:
    """A GameManager of the headers' first draft registers like any other: only its own ``run`` shows what it is."""
    runs = [symbol for symbol in read_image(path, exports=True).exported if RUN.search(symbol)]
    if runs and not any(TODAYS_RUN in symbol for symbol in runs):
        raise NotLoadableError(
            f"built against another version of the course's headers: its {demangle(min(runs))} "
            "has different parameters than the current run()"
        )


def _wants_constructor(imports: Sequence[Symbol], name: str) -> bool:
    start = f"_ZN{len(name)}{name}C"
    return any(symbol.name.startswith(start) for symbol in imports)


def _check_sanitizers(image: Image) -> None:
    for name in image.needed:
        for library, option in SANITIZERS.items():
            if name.startswith(library):
                raise NotLoadableError(
                    f"it was built with -fsanitize={option}, so {name} would have to be loaded first; build it without that option"
                )


def _libraries(image: Image) -> list[tuple[str, Path]]:
    """All that it needs, and what that needs, by short name."""
    libraries: dict[str, Path] = {}
    waiting = [(name, image) for name in image.needed]
    while waiting:
        name, by = waiting.pop(0)
        if name in libraries:
            continue
        path = find_library(name, by)
        if path is None:
            whose = "" if by is image else f", which {by.path.name} needs"
            raise NotLoadableError(f"it needs the library {name}{whose}, which is not on this machine")
        libraries[name] = path
        library = read_library(path)
        waiting += [(further, library) for further in library.needed]
    return list(libraries.items())


def _check_versions(image: Image, libraries: Sequence[tuple[str, Path]]) -> None:
    paths = dict(libraries)
    for name, versions in image.needed_versions.items():
        # A file may ask for versions of the loader itself, which it need not name as needed.
        path = paths.get(name) or find_library(name, image)
        there = read_library(path).versions if path is not None else set()
        missing = [version for version in versions if version not in there and not _has_stand_ins(image, version)]
        if path is not None and there and missing:
            newest = max(missing, key=_age)
            have = max((each for each in there if each.split("_")[0] == newest.split("_")[0]), key=_age, default="none")
            raise NotLoadableError(
                f"it needs {newest} of {name}, but this machine only has {have}: it was built with a newer compiler or system; "
                "build it here, or on an older one"
            )


def _has_stand_ins(image: Image, version: str) -> bool:
    """Whether everything that the file wants in that version is in the host."""
    return all(symbol.name in STAND_INS for symbol in image.imports if symbol.version == version and not symbol.weak)


def _age(version: str) -> tuple[int, ...]:
    match = _VERSION.fullmatch(version)
    return tuple(map(int, match[1].split("."))) if match else ()


def _check_symbols(image: Image, libraries: Sequence[Path]) -> None:
    open_questions = [symbol for symbol in image.imports if not (symbol.weak or symbol.version or symbol.name in HOST_SYMBOLS)]
    missing = [symbol.name for symbol in open_questions if not any(symbol.name in exports_of(path) for path in libraries)]
    if not missing:
        return
    for symbol in missing:
        name = next((each for each in REGISTRATIONS if symbol.startswith(f"_ZN{len(each)}{each}C")), "")
        if name:
            expected = demangle(_constructors(name)[0])
            raise NotLoadableError(
                f"built against another version of the course's headers: it calls {demangle(symbol)}, but here it is {expected}"
            )
    names = ", ".join(_sorted_names(missing))
    more = len(missing) - MOST_NAMED
    raise NotLoadableError(
        f"undefined symbol{'s' if len(missing) > 1 else ''} {names}{f' and {more} more' if more > 0 else ''}: "
        "not in the file and not in the interface; check that its build includes all source files"
    )


def _sorted_names(missing: Sequence[str]) -> Iterator[str]:
    """The first few, functions before tables: the latter are missing because of the former."""
    order = sorted(missing, key=lambda symbol: (symbol.startswith("_ZT"), symbol))
    return (demangle(symbol) for symbol in order[:MOST_NAMED])
