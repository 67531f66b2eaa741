"""Making packs: the same for a seed whatever the workers, sound, varied."""

from __future__ import annotations

import pytest
from tests.plugins.advance.boards import sparse

from tiltyard_advance.level_tests import LevelTest
from tiltyard_advance.pack_generator import Candidate, Collection, PackOptions, make_pack, play, squares_apart
from tiltyard_advance.packs import pack_problem
from tiltyard_advance.rules import MOVE, SWAP

BOARD = sparse("Ge9", "ge1", "Za5")


def board(number: int) -> str:
    """Boards that differ in ever more squares."""
    return "#" * number + BOARD[number:]


def candidate(number: int, side: int = 0, kind: tuple[int, str] = (MOVE, "Z")) -> Candidate:
    return Candidate(LevelTest(6, side, board(number), BOARD), kind)


def test_a_pack_is_the_same_for_a_seed_whatever_the_workers() -> None:
    options = PackOptions((6,), 2, 5)
    told: list[tuple[int, int]] = []
    tests = make_pack(options, 1, lambda number, wanted: told.append((number, wanted)))
    assert make_pack(options, 2) == tests
    assert [test.name for test in tests] == [f"level-6/{side}-0{number}" for side in ("white", "black") for number in (1, 2)]
    assert [pack_problem(test) for test in tests] == [""] * 4
    assert told[-1] == (4, 4)
    assert make_pack(PackOptions((6,), 2, 6), 1) != tests


def test_what_a_game_yields_does_not_depend_on_the_other_levels() -> None:
    assert [found for found in play(3, 1, (4, 5, 6)) if found.test.level == 6] == play(3, 1, (6,))


def test_of_a_game_one_candidate_of_a_level_and_side_is_taken() -> None:
    collection = Collection(PackOptions((6,), 5))
    collection.offer([candidate(0), candidate(20), candidate(40, side=1)])
    assert collection.number == 2
    assert collection.open_levels() == (6,)


def test_near_copies_are_refused_of_either_side() -> None:
    collection = Collection(PackOptions((6,), 5))
    collection.offer([candidate(0)])
    collection.offer([candidate(4), candidate(4, side=1)])
    assert collection.number == 1
    assert squares_apart(board(0), board(4)) == 4


def test_a_level_does_not_fill_up_with_one_kind_of_move() -> None:
    collection = Collection(PackOptions((6,), 3))
    collection.offer([candidate(0)])
    collection.offer([candidate(20)])
    assert collection.number == 1
    collection.offer([candidate(20, kind=(SWAP, "J"))])
    collection.offer([candidate(40, kind=(MOVE, "M"))])
    collection.offer([candidate(60, kind=(MOVE, "B"))])
    assert collection.number == 3
    assert [test.name for test in collection.tests()] == ["level-6/white-01", "level-6/white-02", "level-6/white-03"]


@pytest.mark.parametrize(("level", "game"), [(4, 9), (5, 15), (7, 0)])
def test_what_a_game_yields_is_sound(level: int, game: int) -> None:
    found = [each.test for each in play(11, game, (level,))][:3]
    assert found
    assert [pack_problem(test) for test in found] == [""] * len(found)
