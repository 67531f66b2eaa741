"""Where compiled files of tests are kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.plugins.tanks_native.compiled import Files, locked

from tiltyard_engine.registry import Registry, Selection
from tiltyard_simulator.match.own_distributions import OWN_DISTRIBUTIONS
from tiltyard_tanks_native.builds import CACHE_VARIABLE, build_host, build_library
from tiltyard_tanks_native.elf.errors import NativeError
from tiltyard_tanks_native.host import CompiledHost


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a run of tests share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if own.name.startswith("popen-") else own) / "compiled"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def built() -> Iterator[None]:
    """The library and the host program are built once, into the cache of all tests, whatever the machine says."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(CACHE_VARIABLE, raising=False)
        yield


@pytest.fixture
def files(shared: Path, tmp_path: Path) -> Files:
    """Makes files for one test; without a compiler the test is skipped."""
    return Files(shared, tmp_path)


@pytest.fixture
def library(shared: Path) -> Path:
    """The library, built."""
    return _built(shared, build_library)


@pytest.fixture
def program(shared: Path) -> Path:
    """The host program, built."""
    return _built(shared, build_host)


def _built(shared: Path, build: object) -> Path:
    assert callable(build)
    try:
        with locked(shared / "building.lock"):
            path = build()
    except NativeError as error:
        if "no C++ compiler" in str(error):
            pytest.skip(str(error))
        raise
    assert isinstance(path, Path)
    return path


@pytest.fixture(scope="session")
def installed() -> Registry:
    """The game, and its GameManagers in Python."""
    return Registry.installed(Selection(only=frozenset(["tanks"])), own=OWN_DISTRIBUTIONS)


@pytest.fixture
def host(program: Path) -> Iterator[CompiledHost]:
    """A host program of the test's own."""
    assert program.is_file()
    with closing(CompiledHost()) as own:
        yield own
