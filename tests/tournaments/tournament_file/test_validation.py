from __future__ import annotations

import pytest

from tiltyard_tournaments.tournament_file.document import parse_document
from tiltyard_tournaments.tournament_file.model import TournamentKeys
from tiltyard_tournaments.tournament_file.problems import Problem
from tiltyard_tournaments.tournament_file.validation import check, unknown_keys


def problems(text: str) -> list[tuple[int, str, str]]:
    document = parse_document(text, "cup.yaml")
    value, found = check(TournamentKeys, document.data, document)
    assert (value is None) == bool(found)
    return [(problem.line, problem.key, problem.message) for problem in sorted(found)]


def test_a_file_of_defaults() -> None:
    document = parse_document("title: Cup\nteams: installed\nformat: swiss\n", "cup.yaml")
    keys, found = check(TournamentKeys, document.data, document)
    assert found == []
    assert keys is not None
    assert [entry.team for entry in keys.teams] == ["installed"]
    assert (keys.format.name, keys.games, keys.players, keys.scoring.win) == ("swiss", 1, 2, 3.0)


def test_all_problems_at_once() -> None:
    text = """\
title: 5
teams:
  - {team: x.py, limits: {move_seconds: yes}}
  - {teem: x}
games: many
isolation: sandbx
publication: {hide: [outputs]}
scorring: 3
seed: -1
"""
    assert problems(text) == [
        (1, "title", "expected text, got 5"),
        (3, "teams[1].limits.move_seconds", "expected a number, got true"),
        (4, "teams[2].team", "this key is required"),
        (4, "teams[2].teem", "unknown key"),
        (5, "games", "expected a whole number, got 'many'"),
        (6, "isolation", "unknown value 'sandbx'; did you mean sandbox?"),
        (7, "publication.hide[1]", "unknown value 'outputs'; did you mean output?"),
        (8, "scorring", "unknown key"),
        (9, "seed", "expected at least 0, got -1"),
    ]


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("scorring", "did you mean scoring?"),
        ("tie_breaks", "did you mean tie-breaks?"),
        ("zzz", "expected one of title, scoring, tie-breaks"),
    ],
)
def test_unknown_keys_get_the_nearest_known_one(key: str, hint: str) -> None:
    (problem,) = unknown_keys([Problem(1, key, "unknown key")], {"": ["title", "scoring", "tie-breaks"]})
    assert problem.message == f"unknown key; {hint}"


def test_one_line_is_one_line() -> None:
    ((line, key, message),) = problems('title: "a\\nb"\n')
    assert (line, key) == (1, "title")
    assert message.startswith("expected one line of text, got ")
