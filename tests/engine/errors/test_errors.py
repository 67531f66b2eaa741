"""Errors for people: what, where, what else."""

from __future__ import annotations

import pytest

from tiltyard_engine.errors import ContractError, MapError, NotFoundError, UserError, describe, kind_of


@pytest.mark.parametrize(
    ("name", "known", "message"),
    [
        ("acron", ["bramble", "acorn"], "no algorithm is called 'acron'; did you mean acorn?"),
        ("zzz", ["bramble", "acorn"], "no algorithm is called 'zzz'; known: acorn, bramble"),
        ("zzz", [], "no algorithm is called 'zzz'; known: none"),
        ("zzz", list("abcdefghijklm"), "no algorithm is called 'zzz'; known: a, b, c, d, e, f, g, h, i, j, k, l, m"),
        ("bot", ["bots", "bot2"], "no algorithm is called 'bot'; did you mean bots or bot2?"),
    ],
)
def test_a_name_that_is_not_known(name: str, known: list[str], message: str) -> None:
    assert str(NotFoundError("algorithm", name, known)) == message


def test_a_name_that_is_not_known_for_a_reason() -> None:
    error = NotFoundError("algorithm", "acorn", ["acorns"], "the plugin acorn failed: no rain")
    assert str(error) == "no algorithm is called 'acorn'; the plugin acorn failed: no rain"


@pytest.mark.parametrize("kind", [MapError, ContractError, NotFoundError])
def test_all_of_them_are_the_users_to_mend(kind: type[Exception]) -> None:
    assert issubclass(kind, UserError)


def test_an_exception_is_described_in_a_phrase() -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no")

    assert describe(ValueError("boom")) == "ValueError: boom"
    assert describe(SystemExit()) == "SystemExit"
    assert describe(MuteError()) == "MuteError"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("x", "a string"),
        (True, "a boolean"),
        (1, "an integer"),
        (1.5, "a number"),
        ([], "a list"),
        ({}, "an object"),
        (None, "nothing"),
        (int, "a class"),
        (b"", "a value of type bytes"),
    ],
)
def test_the_kind_of_a_value_in_words(value: object, words: str) -> None:
    assert kind_of(value) == words


def test_of_many_names_the_first_are_listed() -> None:
    error = NotFoundError("algorithm", "zzz", [f"n{each:03}" for each in range(317)])
    listed = ", ".join(f"n{each:03}" for each in range(12))
    assert str(error) == f"no algorithm is called 'zzz'; known: {listed} and 305 more"
