"""What a class of students hands in for a game. All of it is made from a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tests.classes.advance_work import ADVANCE
from tests.classes.filler_work import FILLER
from tests.classes.kinds import Kind, Work
from tests.classes.penguins_work import PENGUINS
from tests.classes.tanks_work import TANKS

from tiltyard_intake.building.toolchains import find_tool

WORK: Final[Mapping[str, Work]] = {"tanks": TANKS, "penguins": PENGUINS, "advance": ADVANCE, "filler": FILLER}
"""By the game's name."""
FIRST: Final = ("Ann", "Ben", "Çem", "Dee", "Eve", "Fay", "Gil", "Hana", "Ian", "Jo", "Kim", "Lea", "Max", "Noa", "Zoë")
LAST: Final = ("Alder", "Birch", "Cedar", "Elm", "Fir", "Hazel", "Larch", "Maple", "Oak", "O'Pine", "Rowan", "van der Yew")


@dataclass(frozen=True, kw_only=True, slots=True)
class Student:
    """Who hands in, and what."""

    name: str
    number: int
    kind: Kind


def a_class(
    *,
    game: str = "tanks",
    sound: int,
    broken: int,
    hostile: int,
    seed: int,
    is_cheap: bool = False,
    only: str = "",
    is_whole: bool = False,
) -> list[Student]:
    """A class in no particular order. What cannot be built here is left out.

    Args:
        game: what it plays.
        sound: how many hand in what plays; kinds come round again.
        broken: how many hand in what doesn't.
        hostile: how many mean harm.
        seed: of names, numbers and the order.
        is_cheap: leave out what takes long.
        only: one of each kind whose name holds this, and no others; empty: all kinds.
        is_whole: have each kind once at least, whatever the numbers.
    """
    chance = random.Random(seed)
    work = WORK[game]
    counted = ((work.sound, sound), (work.broken, broken), (work.hostile, hostile))
    kinds = [kind for of, count in counted for kind in _some(of, count, is_cheap, is_whole) if only in kind.name]
    if only:
        kinds = list(dict.fromkeys(kinds))
    chance.shuffle(kinds)
    names = [f"{first} {last}" for last in LAST for first in FIRST]
    while len(names) < len(kinds):
        names += [f"{first}-{second} {last}" for last in LAST for first in FIRST for second in FIRST]
    chosen = chance.sample(names, len(kinds))
    numbers = chance.sample(range(100_000, 1_000_000), len(kinds))
    return [Student(name=name, number=number, kind=kind) for name, number, kind in zip(chosen, numbers, kinds)]


def _some(kinds: tuple[Kind, ...], count: int, is_cheap: bool, is_whole: bool) -> Iterator[Kind]:
    """Each kind once, and then those that cost least."""
    able = [kind for kind in kinds if all(map(find_tool, kind.tools)) and not any(map(find_tool, kind.unless))]
    able = [kind for kind in able if not (is_cheap and (kind.is_slow or kind.is_dear))]
    again = [kind for kind in able if not kind.tools] if is_cheap else able
    for number in range(max(count, len(able)) if is_whole else count):
        yield able[number] if number < len(able) else again[number % len(again)]


TESTED_ALONE: Final = (
    "assignment 3 in headers",
    "a syntax error in C++",
    "an endless loop in the first round",
    "Python with numpy",
    "documents beside the work",
    "two READMEs",
    "a Python file that opens another",
    "a Python project",
    "a Python package in src",
    "an archive in the archive, and a list of students",
    "a Python folder that goes by its own name",
)
"""Kinds that are not on the page, and have tests of their own: of recipes, of the trees that they read, and of smoke matches."""
PAGE: Final = [
    student for student in a_class(sound=16, broken=11, hostile=3, seed=7, is_cheap=True) if student.kind.name not in TESTED_ALONE
]
"""The class of docs/how-to/from-moodle-to-standings.md."""
