"""Patterns of recipes."""

from __future__ import annotations

import pytest

from tiltyard_intake.recipes.patterns import matches, matching


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("*.c", "main.c", True),
        ("*.c", "src/main.c", False),
        ("*.c", "main.cpp", False),
        ("**/*.c", "main.c", True),
        ("**/*.c", "a/b/main.c", True),
        ("src/**/*.c", "src/main.c", True),
        ("src/**/*.c", "src/deep/er/main.c", True),
        ("src/**/*.c", "srcs/main.c", False),
        ("Makefile|makefile", "makefile", True),
        ("Makefile|makefile", "MAKEFILE", False),
        ("a?.c", "ab.c", True),
        ("a?.c", "a/.c", False),
        ("lib(1)+[x].so", "lib(1)+[x].so", True),
        ("*", "with\nline", True),
    ],
)
def test_what_a_pattern_matches(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits
    assert matching(pattern, [name, name]) == ([name, name] if fits else [])
