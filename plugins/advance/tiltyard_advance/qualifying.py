"""Who may play in a tournament: ``qualify: {level: 4}`` asks for all tests of the levels up to that one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tiltyard_advance.asking import TEST_GAME, map_of
from tiltyard_advance.packs import read_pack, shipped_pack
from tiltyard_engine.errors import UserError
from tiltyard_engine.formats import option
from tiltyard_engine.qualifying import Qualifier, QualifyingTest


@dataclass(frozen=True, slots=True)
class Admission:
    """What a team has to show."""

    level: int = option(4, "All tests of this level and those below it must be passed: 4 to 7.", ge=4, le=7)
    tests: str = option("", "A folder of tests, or a file of them; by default the shipped ones.")


def qualifying_tests(wanted: Admission, folder: Path) -> Sequence[QualifyingTest]:
    """The tests, level by level.

    Raises:
        UserError: the pack cannot be read, or lacks tests of the level.
    """
    pack = read_pack(folder / wanted.tests) if wanted.tests else shipped_pack()
    if not any(test.level == wanted.level for test in pack):
        raise UserError(f"{wanted.tests}: holds no tests of level {wanted.level}")
    return [QualifyingTest(test.name, f"level {test.level}", map_of(test)) for test in pack if test.level <= wanted.level]


QUALIFIER: Final = Qualifier(TEST_GAME, TEST_GAME, Admission, qualifying_tests)
