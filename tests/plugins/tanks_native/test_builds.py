from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from tiltyard_tanks_native import builds
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.elf.examination import HOST_SYMBOLS, STAND_INS
from tiltyard_tanks_native.elf.image import read_image

STAND_IN = """\
#!{python}
import sys
from pathlib import Path
words = sys.argv[1:]
log = Path({log!r})
if "--version" in words:
    print("a stand-in, version", Path({version!r}).read_text())
else:
    with log.open("a") as file:
        file.write(" ".join(words) + "\\n")
    if "-broken" in words:
        sys.exit("sources.cpp:1: this is no C++")
    Path(words[words.index("-o") + 1]).write_text(sys.stdin.read())
"""
"""In a compiler's place: writes down what it is asked, and hands its sources on as its product."""


class StandIn:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.log = folder / "log"
        self.version = folder / "version"
        self.version.write_text("1")
        self.path = folder / "compiler"
        self.path.write_text(STAND_IN.format(python=sys.executable, log=str(self.log), version=str(self.version)))
        self.path.chmod(0o755)
        self.cache = folder / "cache"
        monkeypatch.setenv("CXX", str(self.path))
        monkeypatch.setenv(builds.CACHE_VARIABLE, str(self.cache))

    @property
    def calls(self) -> int:
        return len(self.log.read_text().splitlines()) if self.log.exists() else 0


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    return StandIn(tmp_path, monkeypatch)


def library() -> Path:
    return builds.build_library.__wrapped__()


def test_built_once_and_kept(compiler: StandIn) -> None:
    path = library()
    assert (path.parent, path.name.startswith("libtiltyard_native-"), path.suffix) == (compiler.cache, True, ".so")
    assert path.read_text() == "".join(f'#include "{source}"\n' for source in builds.LIBRARY)
    assert (library(), compiler.calls) == (path, 1)
    assert [entry.name for entry in compiler.cache.iterdir()] == [path.name], "nothing is left of building"
    program = builds.build_host.__wrapped__()
    assert (program.parent, compiler.calls) == (compiler.cache, 2)


def test_another_compiler_version_or_option_is_another_file(compiler: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {library()}
    compiler.version.write_text("2")
    paths.add(library())
    monkeypatch.setenv("CXX", f"{compiler.path} -march=native")
    paths.add(library())
    monkeypatch.setattr(builds, "OPTIONS", ("-O0",))
    paths.add(library())
    assert (len(paths), compiler.calls) == (4, 4)


def test_another_source_is_another_file(compiler: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = library()
    sources = tmp_path / "sources"
    sources.mkdir()
    for file in builds.SOURCES.iterdir():
        (sources / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(builds, "SOURCES", sources)
    assert library() == before, "where the sources lie is of no importance"
    (sources / "views.cpp").write_text("// nothing")
    assert library() != before


def test_two_processes_at_once(compiler: StandIn) -> None:
    words = [sys.executable, "-c", "from tiltyard_tanks_native.builds import build_library; print(build_library())"]
    running = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    said = {process.communicate()[0] for process in running}
    assert said == {f"{library()}\n"}
    assert 1 <= compiler.calls <= 3


def test_a_compiler_that_fails(compiler: StandIn, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", f"{compiler.path} -broken")
    with pytest.raises(NativeError) as raised:
        library()
    expected = (
        f"{compiler.path} could not compile tiltyard's C++ sources, which need C++20. Its output:\nsources.cpp:1: this is no C++"
    )
    assert str(raised.value) == expected
    assert list(compiler.cache.iterdir()) == []


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(NativeError) as raised:
        library()
    assert str(raised.value) == (
        "no C++ compiler: neither g++ nor clang++ is on the PATH; compiled files of teams need one. "
        "Install g++ or clang++, or set CXX"
    )
    monkeypatch.setenv("CXX", "/nowhere/c++ -O3")
    with pytest.raises(NativeError, match="no C\\+\\+ compiler: CXX is /nowhere/c\\+\\+, which does not exist"):
        library()


def test_a_cache_that_cannot_be_written(compiler: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file")
    monkeypatch.setenv(builds.CACHE_VARIABLE, str(blocked / "cache"))
    with pytest.raises(NativeError) as raised:
        library()
    assert str(raised.value) == (
        f"{blocked}/cache: the compiled part of tiltyard can't be written there: Not a directory; "
        "set TILTYARD_CACHE to a writable folder"
    )


def test_where_the_cache_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(builds.CACHE_VARIABLE, str(tmp_path / "own"))
    assert builds.cache_folder() == tmp_path / "own"
    monkeypatch.setenv(builds.CACHE_VARIABLE, "")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert builds.cache_folder() == tmp_path / "xdg" / "tiltyard"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert builds.cache_folder() == tmp_path / ".cache" / "tiltyard"


def test_a_library_that_is_made_already_is_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A cell can neither compile nor see the cache."""
    monkeypatch.setenv("CXX", "/nowhere")
    monkeypatch.setattr(builds, "_library_override", [])
    builds.use_library(tmp_path / "made.so")
    assert builds.library_path() == tmp_path / "made.so"


def test_both_offer_what_files_want_and_no_more(library: Path, program: Path) -> None:
    offered = read_image(library, exports=True).exported
    assert offered >= HOST_SYMBOLS
    assert {name for name in offered - HOST_SYMBOLS - STAND_INS if not name.startswith("tn_")} == set()
    assert program.stat().st_mode & stat.S_IXUSR
    assert os.access(program, os.X_OK)
