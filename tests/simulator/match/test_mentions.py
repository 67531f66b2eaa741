"""Which teams mention a module."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.engine.making import write

from tiltyard_engine.registry.sources import Origin, Source
from tiltyard_simulator.match.mentions import MOST_BYTES, mentions


def source_of(path: Path, origin: Origin) -> Source:
    return Source(name=path.stem, origin=origin, value=str(path))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("import numpy as np\n", True), ("from numpy.random import choice\n", True), ("import random\n", False), ("", False)],
)
def test_a_file_mentions_what_stands_in_it(tmp_path: Path, text: str, expected: bool) -> None:
    assert mentions(source_of(write(tmp_path / "team.py", text), Origin.FILE), "numpy") is expected


def test_all_files_of_a_package_count(tmp_path: Path) -> None:
    write(tmp_path / "team/__init__.py", "from team.deep import think\n")
    write(tmp_path / "team/deep/think.py", "import numpy\n")
    assert mentions(source_of(tmp_path / "team", Origin.PACKAGE), "numpy")


def test_what_is_no_python_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "team/__init__.py", "")
    write(tmp_path / "team/notes.txt", "numpy")
    write(tmp_path / "team/data.py", "numpy" + " " * MOST_BYTES)
    assert not mentions(source_of(tmp_path / "team", Origin.PACKAGE), "numpy")
    assert not mentions(source_of(tmp_path / "missing.py", Origin.FILE), "numpy")
    assert not mentions(source_of(write(tmp_path / "team.so", "numpy"), Origin.LIBRARY), "numpy")
