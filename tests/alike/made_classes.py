"""Classes whose answers are drawn by chance, for tests of what is made of answers."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

from tiltyard_alike.asking import AskedPosition, TeamAnswers
from tiltyard_alike.question_list import AskedMatch

MATCHES = 5
POSITIONS = 60
"""Of each match."""


def answers_of(seed: object, options: int = 7) -> list[list[str]]:
    """The answers of a team that has an answer of its own to every position: usual ones more often than others."""
    chance = Random(f"team {seed}")
    return [[str(min(chance.randrange(options), chance.randrange(options))) for _ in range(POSITIONS)] for _ in range(MATCHES)]


def asked(teams: Mapping[str, list[list[str]]], again: Mapping[str, list[list[str]]] | None = None) -> list[AskedMatch]:
    """Matches of strangers that these teams were asked."""
    second = {**teams, **(again or {})}
    return [
        AskedMatch(
            key=f"k{number}",
            title=f"match {number}",
            teams=("stranger", "other stranger"),
            positions=tuple(AskedPosition(at + 1, 1 + at % 2, 0, "0") for at in range(POSITIONS)),
            answers={name: TeamAnswers(tuple(answers[number]), 0.1) for name, answers in teams.items()},
            again={name: TeamAnswers(tuple(answers[number]), 0.1) for name, answers in second.items()} if number == 0 else {},
        )
        for number in range(MATCHES)
    ]


def changed(answers: list[list[str]], every: int) -> list[list[str]]:
    """The same answers, but each so many-th is another one."""
    flat = iter(range(MATCHES * POSITIONS))
    return [[text if next(flat) % every else f"{text}!" for text in match] for match in answers]
