"""Who is named with whom, and what is left out: given code, and what most have."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.intake.similarity.works import function, program, write

from tiltyard_intake.similarity import comparison
from tiltyard_intake.similarity.class_comparison import read_work
from tiltyard_intake.similarity.comparison import LEAST_SHARE, MOST_PAIRS, compare
from tiltyard_intake.similarity.fingerprints import Fingerprints
from tiltyard_intake.similarity.likeness import Likeness, percent

GIVEN = program(range(500, 520))
SHORT = "int f(int a) { int b = a + 1; return b * 2; }"


def works(folder: Path, files: dict[str, str]) -> dict[str, Fingerprints]:
    """Works of one file each, by team."""
    return {team: read_work(write(folder / team, {"bot.c": text}) / "bot.c") for team, text in files.items()}


def who(found: Likeness) -> set[tuple[str, str]]:
    return {(pair.team, pair.other) for pair in found.pairs}


def test_equal_works_are_named_with_their_places(tmp_path: Path) -> None:
    mine = program(range(10))
    files = {"ann": mine, "ben": mine.replace("step_", "zug").replace("x", "wert"), "cem": program(range(20, 30))}
    found = compare(works(tmp_path, files))
    (pair,) = found.pairs
    assert (pair.team, pair.other, pair.share, pair.other_share) == ("ann", "ben", 1.0, 1.0)
    (passage,) = pair.passages
    assert (passage.file, passage.first, passage.other_file, passage.other_first) == ("bot.c", 1, "bot.c", 1)
    assert passage.last == passage.other_last >= len(mine.splitlines()) - 3
    assert found.words_of({"ann": "Ann", "ben": "Ben"}) == {
        "ann": "the same as in Ben (100 %)",
        "ben": "the same as in Ann (100 %)",
    }


@given(st.permutations(range(8)))
def test_functions_in_another_order_are_nearly_all_the_same(tmp_path_factory: pytest.TempPathFactory, order: list[int]) -> None:
    folder = tmp_path_factory.mktemp("work")
    (pair,) = compare(works(folder, {"ann": program(range(8)), "ben": program(order)})).pairs
    assert min(pair.share, pair.other_share) > 0.7


def test_a_part_in_a_larger_work_is_named_with_both_shares(tmp_path: Path) -> None:
    (pair,) = compare(works(tmp_path, {"ann": program(range(8)), "ben": program(range(32))})).pairs
    assert pair.share > 0.9
    assert 0.2 < pair.other_share < LEAST_SHARE


def test_short_works_are_named_only_if_they_are_equal(tmp_path: Path) -> None:
    files = {"ann": SHORT, "ben": SHORT.replace("a", "number"), "cem": SHORT.replace("2", "3"), "dan": "", "eve": ""}
    assert who(compare(works(tmp_path, files))) == {("ann", "ben")}


def test_given_code_is_left_out_also_where_it_is_all(tmp_path: Path) -> None:
    files = {"ann": GIVEN, "ben": GIVEN, "cem": GIVEN + program(range(8)), "dan": GIVEN + program(range(8, 16))}
    made = works(tmp_path, files)
    assert len(who(compare(made))) == 6
    given_code = read_work(write(tmp_path / "given", {"course.h": GIVEN}))
    found = compare(made, [given_code])
    assert who(found) == set()
    assert found.left_out["ann"] == 1
    assert 0.5 < found.left_out["cem"] < 0.9


def test_given_code_of_several_tasks_is_left_out(tmp_path: Path) -> None:
    other = program(range(600, 620))
    made = works(tmp_path, {"ann": GIVEN, "ben": GIVEN, "cem": other, "dan": other})
    given_code = [read_work(write(tmp_path / name, {"course.h": text})) for name, text in (("one", GIVEN), ("two", other))]
    assert who(compare(made, given_code[:1])) == {("cem", "dan")}
    assert who(compare(made, given_code)) == set()


def test_what_most_have_is_left_out_and_named(tmp_path: Path) -> None:
    files = {f"team{number}": GIVEN + program(range(number * 8, number * 8 + 8)) for number in range(6)}
    found = compare(works(tmp_path, files))
    assert who(found) == set()
    assert found.common_files == (("bot.c", 6),)
    # As many as these can't be most of a class in which others write something else.
    others = {f"other{number}": program(range(100 + number * 8, 108 + number * 8)) for number in range(6)}
    assert len(compare(works(tmp_path, {**files, **others})).pairs) == 15


def test_many_equal_works_are_named_although_most_have_them(tmp_path: Path) -> None:
    files = {f"team{number:02}": program(range(8)) for number in range(20)}
    found = compare(works(tmp_path, files))
    told = {team: sum(team in pair for pair in who(found)) for team in files}
    assert min(told.values()) >= MOST_PAIRS
    assert {team: count + found.more_pairs.get(team, 0) for team, count in told.items()} == dict.fromkeys(files, 19)
    assert found.count == 20 * 19 // 2
    assert found.words_of({})["team07"].endswith(" and 16 more")
    assert found.pairs[0].passages


def test_counts_are_those_of_sets(tmp_path: Path) -> None:
    numbers = {"a": range(8), "b": range(4, 12), "c": range(6, 14), "d": range(20, 28), "e": range(7, 8)}
    made = works(tmp_path, {team: program(each) for team, each in numbers.items()})
    sets = [comparison._hashes(prints) for prints in made.values()]
    counts = comparison._shared_counts(sets)
    for one in range(len(sets)):
        for other in range(one + 1, len(sets)):
            assert counts[one, other] == len(set(sets[one].tolist()) & set(sets[other].tolist()))


def test_a_passage_many_times_over_is_not_looked_at_in_all_places(tmp_path: Path) -> None:
    made = works(tmp_path, {"ann": function(1) * 400, "ben": function(1) * 300})
    with patch.object(comparison, "FEWEST_SHARED", 1):
        (pair,) = compare(made).pairs
    assert len(pair.passages) + pair.more_passages < 20


def test_only_the_whole_is_all() -> None:
    assert [percent(share) for share in (1.0, 0.9999, 0.5, 0.0)] == ["100 %", "99 %", "50 %", "0 %"]
