"""Names that are one, and names that only look so."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

import pytest

from tiltyard_engine.texts.names import alike, as_it_lies, file_name, is_same

ZOE = "Zo\u00eb"
ZOE_OF_MACOS = unicodedata.normalize("NFD", ZOE)


def test_a_name_is_one_in_each_form() -> None:
    assert ZOE != ZOE_OF_MACOS
    assert is_same(ZOE, ZOE_OF_MACOS)
    assert not is_same("Zoe", ZOE)
    assert not list(alike([ZOE, ZOE_OF_MACOS, "Zoe"]))


@pytest.mark.parametrize(
    ("one", "other", "difference"),
    [
        ("Ann", "ann", "in capital letters alone"),
        ("Ann", "\u0410nn", "in CYRILLIC CAPITAL LETTER A"),
        ("top", "\u0442op", ""),
        ("Bot", "\u0412\u043et", "in CYRILLIC CAPITAL LETTER VE, CYRILLIC SMALL LETTER O"),
        ("Ann", "An\u200bn", "in ZERO WIDTH SPACE"),
        ("Ann", "Ann\ufe0f", "in VARIATION SELECTOR-16"),
        ("Ann", "\uff21nn", "in FULLWIDTH LATIN CAPITAL LETTER A"),
        ("Ida", "lda", "in 'I', 'l'"),
        ("bot10", "botlO", "in '0', '1', 'O'"),
        ("Barn", "Bam", "in 'm', 'n', 'r'"),
        ("Ann Alder", "Ann  Alder", "in spaces"),
        ("Ann", "Anna", ""),
        ("Zoe", ZOE, ""),
        ("\u05d3\u05e0\u05d4", "\u05d3\u05e0\u05d9", ""),
    ],
)
def test_names_that_look_alike(one: str, other: str, difference: str) -> None:
    assert list(alike([one, "between", other])) == ([(one, other, difference)] if difference else [])


def test_a_path_is_found_in_the_form_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / f"{ZOE_OF_MACOS}.py").touch()
    assert as_it_lies(tmp_path / f"{ZOE}.py").exists()
    assert as_it_lies(tmp_path / "Zoe.py") == tmp_path / "Zoe.py"


def test_a_files_name_is_never_too_long_and_two_stay_two(tmp_path: Path) -> None:
    assert file_name("ann", ".txt") == "ann.txt"
    assert file_name("x" * 251, ".txt") == f"{'x' * 251}.txt"
    gothic = "\U00010330" * 100
    names = [file_name(stem, ".txt", room=5) for stem in (gothic, f"{gothic}2", "x" * 300, os.fsdecode(b"\xff" * 300))]
    assert len(set(names)) == 4
    for name in names:
        assert len(os.fsencode(name)) <= 250
        assert name.endswith(".txt")
        (tmp_path / name).touch()
