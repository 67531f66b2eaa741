"""The project's formats come through the door that everybody's come through, and the page says what they are."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.docs.pages import page, section
from tests.tournaments.formats.option_rows import HEADERS, options_table
from tests.tournaments.formats.playing import batches, by_chance, field_of, play, result_of

from tiltyard_contest.formats.plugin import formats as contest_formats
from tiltyard_engine.formats import Format
from tiltyard_engine.registry import Registry, Selection
from tiltyard_engine.registry.registry import FORMAT
from tiltyard_tournaments.formats.batch_checks import check_batch, check_groups
from tiltyard_tournaments.formats.plugin import formats

OF_THE_ROOM = {record.name: record for record in formats()}
ALL = OF_THE_ROOM | {record.name: record for record in contest_formats()}


def test_all_are_found_by_their_entry_point() -> None:
    registry = Registry.installed(Selection(only=frozenset(["tiltyard"])))
    assert [entry.name for entry in registry.all(FORMAT)] == sorted(ALL)
    assert registry.failures() == []
    (entry,) = [entry for entry in registry.all(FORMAT) if entry.name == "swiss"]
    assert entry.reference.load() is not None
    assert entry.contribution.description == ALL["swiss"].description


@pytest.mark.parametrize("record", ALL.values(), ids=ALL)
def test_the_page_has_each_with_its_options_as_they_are(record: Format) -> None:
    text = section(page("formats.md"), record.name)
    rows = [
        tuple(cell.strip().strip("`") for cell in line.strip("|\n ").split("|"))
        for line in re.findall(r"^\|.*$", text, re.MULTILINE)
    ]
    wanted = [HEADERS, ("---",) * 4, *options_table(record.options)] if options_table(record.options) else []
    assert rows == wanted
    assert record.description


def test_the_page_has_no_others() -> None:
    names = re.findall(r"^\| \[`([\w-]+)`\]", page("formats.md"), re.MULTILINE)
    assert names == list(ALL)


@given(st.sampled_from(sorted(ALL)), st.integers(2, 7), st.integers(1, 3), st.integers(1, 2), st.integers(0, 2**32))
@settings(deadline=None, max_examples=25)
def test_every_format_ends_and_is_a_pure_function_of_the_results(
    name: str, count: int, boards: int, repeats: int, salt: int
) -> None:
    """Asked again by a new object, with results of every batch at once, it gives the same batches; and placings at any time."""
    record = ALL[name]
    field = field_of(count + 2 * (name == "groups"), boards, games=repeats, seed=salt)
    found = batches(record.create(field, record.options()), field, by_chance(salt))
    games = record.create(field, record.options()).expected_games()
    assert games is not None
    assert games[0] <= sum(map(len, found)) <= games[1]
    played = [result_of(fixture, by_chance(salt)(fixture)) for batch in found for fixture in batch]
    start = 0
    for batch in [*found, []]:
        again = record.create(field, record.options())
        assert list(again.next_batch(played[:start])) == batch
        start += len(batch)
    for end in {0, len(played) // 3, len(played) // 2, len(played)}:
        groups = record.create(field, record.options()).placings(played[:end])
        assert groups is None or check_groups(name, field, groups)
        assert all(0 <= bye.team < len(field.teams) for bye in record.create(field, record.options()).byes(played[:end]))


@pytest.mark.parametrize("name", sorted(set(ALL) - {"until-settled", "knockout", "double-elimination", "groups"}))
def test_who_plays_does_not_depend_on_what_teams_are_called(name: str) -> None:
    record = ALL[name]
    field = field_of(7, 2)
    one = play(record.create(field, record.options()), field, by_chance(1))
    renamed = replace(field, teams=tuple(f"other {place}" for place in range(7)), maps=("x", "y"))
    assert play(record.create(renamed, record.options()), renamed, by_chance(1)) == one


@pytest.mark.parametrize("name", ["round-robin", "pools"])
def test_formats_for_more_than_two_players(name: str) -> None:
    record, field = ALL[name], field_of(6, 2, seats=4)
    assert check_batch(name, field, record.create(field, record.options()).next_batch([]))


def test_importing_the_formats_imports_no_numpy(tmp_path: Path) -> None:
    """Every start of the command imports them."""
    import subprocess
    import sys

    code = "import sys, tiltyard_tournaments.formats.plugin; sys.exit('numpy' in sys.modules or 'pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False).returncode == 0
