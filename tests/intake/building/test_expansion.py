"""Places in a recipe's commands."""

from __future__ import annotations

import pytest

from tiltyard_engine.recipes import Step
from tiltyard_intake.building.expansion import Places

FILES = ["a.h", "main.cpp", "src/b.cpp", "src/b.h", "src/c.h"]
PLACES = Places("/s/source", "/s/out", "/s/headers", "anna", FILES, "/packages")


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("-O2", ["-O2"]),
        ("{packages}=.", ["/packages=."]),
        ("{out}/{team}.so", ["/s/out/anna.so"]),
        ("{files:**/*.cpp}", ["/s/source/main.cpp", "/s/source/src/b.cpp"]),
        ("-I{folders:**/*.h}", ["-I/s/source", "-I/s/source/src"]),
        ("{files:*.rs}", []),
    ],
)
def test_a_word_becomes_none_one_or_several(word: str, words: list[str]) -> None:
    assert PLACES.words(Step(tool="g++", words=(word,))) == words


def test_folders_and_variables_have_places_too() -> None:
    step = Step(tool="make", folder="src", environment=(("CFLAGS", "-I{headers}"),))
    assert PLACES.folder(step) == "/s/source/src"
    assert PLACES.environment(step) == {"CFLAGS": "-I/s/headers"}
