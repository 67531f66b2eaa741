"""The names that somebody may have meant: only what is alike."""

from __future__ import annotations

import pytest

from tiltyard_engine.texts.near_names import did_you_mean, near_names

GAMES = ["advance", "filler", "penguins", "tanks", "openspiel/connect_four", "openspiel/tic_tac_toe", "openspiel/dark_hex"]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("tank", ["tanks"]),
        ("tansk", ["tanks"]),
        ("Tanks", ["tanks"]),
        ("penguuns", ["penguins"]),
        ("adv", []),
        ("adva", ["advance"]),
        ("connect-four", ["openspiel/connect_four"]),
        ("tic_tac_to", ["openspiel/tic_tac_toe"]),
        # These were offered: some letters are those of a name, and no more.
        ("taxis", []),
        ("fillet knife", []),
        ("danes", []),
        ("cup.yaml", []),
        ("t", []),
        ("", []),
        ("tanks" * 1000, []),
    ],
)
def test_only_names_that_are_alike(name: str, near: list[str]) -> None:
    assert near_names(name, GAMES) == near


@pytest.mark.parametrize(
    ("name", "other"),
    [("thundr", "dragoon"), ("thundr", "hunter"), ("voronoi", "coyote"), ("rounds", "bounds"), ("games", "names"), ("ab", "ac")],
)
def test_what_is_alike_in_both_directions(name: str, other: str) -> None:
    assert bool(near_names(name, [other])) == bool(near_names(other, [name]))


def test_the_nearest_come_first_and_not_too_many() -> None:
    names = ["acorns", "acorn", "acorn2", "acorn3", "scorn"]
    assert near_names("acorn1", names) == ["acorns", "acorn", "acorn2"]
    assert did_you_mean("acron", ["bramble", "acorn"]) == "did you mean acorn?"
    assert did_you_mean("zzz", names) == ""
