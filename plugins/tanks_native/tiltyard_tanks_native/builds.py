"""The library and the host program, which are compiled on this machine from the sources in this package.

They are built when first needed and kept in a cache folder, under a name that holds a digest of the sources, the compiler, its
version and its options; so none is ever out of date, and old ones may be deleted at any time.

    TILTYARD_CACHE           the cache folder, in place of tiltyard/ in $XDG_CACHE_HOME or ~/.cache
    CXX                      the compiler, in place of g++ or else clang++; may hold options
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Final

from tiltyard_tanks_native.elf.errors import NativeError

SOURCES: Final = Path(__file__).parent / "cpp"
CACHE_VARIABLE: Final = "TILTYARD_CACHE"
OPTIONS: Final = ("-std=c++20", "-O2")
SHARED: Final = ("interface.cpp", "failures.cpp", "views.cpp", "newer_files.cpp", "stand_ins.cpp")
LIBRARY: Final = ("library.cpp", "cell.cpp", "msgpack.cpp", "frames.cpp", *SHARED)
HOST: Final = ("host.cpp", "playing.cpp", "children.cpp", "frames.cpp", *SHARED)
LONGEST_COMPLAINT: Final = 2_000
"""Characters of what the compiler says."""
COMPILERS: Final = ("g++", "clang++")


def library_path() -> Path:
    """The library for this process: the one that it was told to use, or the built one.

    Raises:
        NativeError: there is none and none can be built.
    """
    return _library_override[0] if _library_override else build_library()


_library_override: Final[list[Path]] = []


def use_library(path: Path) -> None:
    """Let this process use a library that is built already: a confined process can neither compile nor see the cache."""
    _library_override[:] = [path]


@cache
def build_library() -> Path:
    """The library that Python loads to hold a team's file; compiled if it is not there yet.

    Raises:
        NativeError: there is no compiler, it fails, or the cache cannot be written.
    """
    words = ["-shared", "-fPIC", f"-Wl,--version-script={SOURCES / 'library.map'}"]
    return _build("libtiltyard_native", ".so", LIBRARY, words)


@cache
def build_host() -> Path:
    """The program that plays matches entirely in C++; compiled if it is not there yet.

    Raises:
        NativeError: there is no compiler, it fails, or the cache cannot be written.
    """
    words = [f"-Wl,--dynamic-list={SOURCES / 'host.list'}"]
    return _build("tiltyard-native-host", "", HOST, words)


def cache_folder() -> Path:
    """Where built files are kept; it need not exist."""
    folder = os.environ.get(CACHE_VARIABLE)
    if folder:
        return Path(folder).absolute()
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification of these variables says to ignore a relative one.
    return (Path(base) if base.startswith("/") else Path.home() / ".cache") / "tiltyard"


def _build(stem: str, suffix: str, sources: tuple[str, ...], words: list[str]) -> Path:
    compiler = find_compiler()
    arguments = [*OPTIONS, *(word.replace(str(SOURCES), "") for word in words)]
    name = f"{stem}-{_digest(compiler, arguments, sources)}{suffix}"
    path = cache_folder() / name
    if path.is_file():
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".building-", dir=path.parent) as folder:
            new_file = Path(folder) / name
            _compile([*compiler, *OPTIONS, f"-I{SOURCES}", "-x", "c++", "-", *words, "-ldl", "-o", str(new_file)], sources)
            # After a power cut it is taken as it is.
            with new_file.open("rb") as file:
                os.fsync(file)
            # Whoever else builds it at the same time makes the same, and either may be the one that stays.
            new_file.replace(path)
    except OSError as error:
        raise NativeError(
            f"{path.parent}: the compiled part of tiltyard can't be written there: {error.strerror or error}; "
            f"set {CACHE_VARIABLE} to a writable folder"
        ) from error
    return path


def _digest(compiler: list[str], arguments: list[str], sources: tuple[str, ...]) -> str:
    digest = hashlib.sha256()
    version = _run([*compiler, "--version"]).stdout
    for part in (*compiler, version, *arguments, *sources):
        digest.update(part.encode() + b"\0")
    for file in sorted(SOURCES.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:24]


def find_compiler() -> list[str]:
    """The compiler's command: its absolute path, and options where ``CXX`` holds some.

    Raises:
        NativeError: there is none.
    """
    if not sys.platform.startswith("linux"):
        raise NativeError(f"compiled files of teams are Linux shared objects; this is {sys.platform}")
    from_cxx = shlex.split(os.environ.get("CXX", ""))
    for command in [from_cxx] if from_cxx else [[name] for name in COMPILERS]:
        path = shutil.which(command[0])
        if path:
            return [str(Path(path).absolute()), *command[1:]]
    reason = f"CXX is {from_cxx[0]}, which does not exist" if from_cxx else f"neither {' nor '.join(COMPILERS)} is on the PATH"
    raise NativeError(f"no C++ compiler: {reason}; compiled files of teams need one. Install g++ or clang++, or set CXX")


def _compile(command: list[str], sources: tuple[str, ...]) -> None:
    # As one source: most of the time goes into the standard library's headers, which all of them include.
    process = _run(command, "".join(f'#include "{source}"\n' for source in sources))
    if process.returncode:
        complaint = process.stderr.strip()[:LONGEST_COMPLAINT]
        raise NativeError(f"{command[0]} could not compile tiltyard's C++ sources, which need C++20. Its output:\n{complaint}")


def _run(command: list[str], source: str = "") -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, input=source, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise NativeError(f"{command[0]} cannot be run: {error.strerror or error}") from error
