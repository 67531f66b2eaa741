"""The works of a class as an intake keeps them: read once, within bounds, and one that can't be read stops nobody."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pytest
from tests.intake.similarity.works import program

from tiltyard_engine.errors import UserError
from tiltyard_intake.archives.bounds import Bounds
from tiltyard_intake.similarity import class_comparison
from tiltyard_intake.similarity.class_comparison import KEPT, compare_class, fingerprints_of_common_code


def zips(folder: Path, files: dict[str, dict[str, bytes]]) -> dict[str, str]:
    for team, inside in files.items():
        with ZipFile(folder / f"{team}.zip", "w", ZIP_DEFLATED) as archive:
            for name, data in inside.items():
                archive.writestr(name, data)
    return {team: f"{team}.zip" for team in files}


def test_what_was_read_is_not_read_again(tmp_path: Path) -> None:
    text = program(range(8)).encode()
    sources = zips(tmp_path, {"ann": {"a.c": text}, "ben": {"b.c": text}, "cem": {"c.c": program(range(9, 17)).encode()}})
    found = compare_class(sources, tmp_path, (), 2)
    assert [(pair.team, pair.other) for pair in found.pairs] == [("ann", "ben")]
    for place in sources.values():
        # Whoever reads it now fails.
        (tmp_path / place).write_bytes(b"")
    assert compare_class(sources, tmp_path, (), 2) == found
    assert compare_class({"ann": "ann.zip", "cem": "cem.zip"}, tmp_path, (), 1).pairs == ()
    (tmp_path / KEPT).write_text("{")
    assert [team for team, _ in compare_class(sources, tmp_path, (), 1).not_compared] == ["ann", "ben", "cem"]


def test_a_work_that_takes_too_long_is_told_and_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_comparison, "BOUNDS_OF_WORK", Bounds(cpu_seconds=1, seconds=60))
    text = program(range(8)).encode()
    # The lexer of C# looks at all the rest for each of these lines.
    sources = zips(tmp_path, {"ann": {"a.c": text}, "ben": {"b.c": text}, "eve": {"e.cs": b"a\n" * 100_000}})
    found = compare_class(sources, tmp_path, (), 2)
    assert [(pair.team, pair.other) for pair in found.pairs] == [("ann", "ben")]
    assert found.not_compared == (("eve", "its sources take more than 1 seconds or 512 MB of memory to read"),)


def test_programs_that_are_built_are_the_same_as_a_whole(tmp_path: Path) -> None:
    files = {"ann": {"bot.so": b"\x7fELF1", "readme.md": b"a"}, "ben": {"my.so": b"\x7fELF1"}, "cem": {"bot.so": b"\x7fELF2"}}
    (pair,) = compare_class(zips(tmp_path, files), tmp_path, (), 1).pairs
    assert (pair.team, pair.other, pair.share, pair.passages) == ("ann", "ben", 1.0, ())


@pytest.mark.parametrize(("name", "words"), [("none", "isn't there; expected a folder"), ("notes", "has no source files")])
def test_given_code_that_is_none_is_told(name: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(UserError, match=words):
        fingerprints_of_common_code(tmp_path / name)
