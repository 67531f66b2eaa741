"""Brackets on the first page: where each team stands, what is still to be played, and who has won."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from tests.site.made_cups import MadeCup, drawing_of, ended, field_of, made_cup, page_of
from tests.tournaments.made_matches import duel

from tiltyard_contest.formats.knockout import Knockout, KnockoutOptions
from tiltyard_engine.formats import Bracket, BracketMeeting
from tiltyard_site.publication import SiteData
from tiltyard_tournaments.standings import Rules, standings


@pytest.mark.parametrize("teams", [2, 3, 5, 8, 13])
def test_a_bracket_leads_from_the_first_round_to_the_champion(teams: int) -> None:
    data = made_cup("knockout", teams).data()
    drawing = drawing_of(data)
    columns = drawing.brackets[0].columns
    assert drawing.champion == data.teams[0]
    assert [len(column.boxes) for column in columns] == [2**n for n in reversed(range((teams - 1).bit_length()))]
    for column, following in pairwise(columns):
        through = [next(side.team for side in box.sides if side.is_through) for box in column.boxes if box]
        # Winners of neighbours meet next, also beside byes.
        assert [set(pair) for pair in zip(through[::2], through[1::2])] == [
            {side.team for side in box.sides} for box in following.boxes if box
        ]
    assert sum(box.word == "bye" for box in columns[0].boxes if box) == 2 ** (teams - 1).bit_length() - teams
    assert ended(data, drawing.champion) == "champion"
    if teams > 3:
        assert ended(data, data.teams[2]) == "third"


def test_a_bracket_that_is_being_played_has_places_to_fill() -> None:
    data = made_cup("knockout", 8, most=5).data()
    drawing = drawing_of(data)
    columns = drawing.brackets[0].columns
    assert [(column.name, len(column.boxes)) for column in columns] == [
        ("quarter-final", 4),
        ("semi-final", 2),
        ("final", 1),
    ]
    assert drawing.champion == ""
    assert all(side.team == "" for column in columns[1:] for box in column.boxes if box for side in box.sides)
    assert ended(data, data.teams[0]) == "in the quarter-final"


@pytest.mark.parametrize("most", [0, 3, 9, 14, 20, 27, 10**9])
def test_a_team_of_a_double_elimination_is_somewhere_in_its_brackets(most: int) -> None:
    data = made_cup("double-elimination", 6, maps=1, most=most).data()
    words = {team: ended(data, team) for team in data.teams}
    drawing = drawing_of(data)
    lost = Counter(box.loser for box in drawing.boxes if box.loser and all(side.team for side in box.sides))
    assert all(words.values())
    for team, said in words.items():
        is_out = said.startswith("lost the ")
        assert is_out == (lost[team] == 2 or (drawing.champion not in ("", team) and "grand final" in said))
        assert not is_out or not said.startswith("lost the upper")
        if lost[team] == 1 and said.startswith("in the"):
            assert said.startswith(("in the lower", "in the grand final"))
    assert bool(drawing.champion) == (len(data.matches) == data.planned)


def test_a_double_elimination_has_two_brackets_that_end_in_a_grand_final(tmp_path: Path) -> None:
    data = made_cup("double-elimination", 6, maps=1).data()
    page = page_of(data, tmp_path)
    assert re.findall(r'<h3 id="bracket-\d" class="bracket-name">([^<]*)', page) == ["Upper bracket", "Lower bracket"]
    assert re.findall(r"<h4>([^<]*)", page)[:5] == [
        "Upper quarter-final",
        "Upper semi-final",
        "Upper final",
        "Grand final",
        "Champion",
    ]
    assert f"{drawing_of(data).champion}</bdi>".replace("'", "&#39;") in page
    assert "is the champion</strong>" in page
    assert "Who beat whom" not in page


def test_a_format_of_a_plugin_has_the_brackets_that_it_says(tmp_path: Path) -> None:
    """The name says nothing, and byes, drawn meetings and places where nobody plays are told by the format too."""
    meetings = (
        (BracketMeeting("first", ("a", "b"), "b", "by the toss of a coin"), None, BracketMeeting("first", ("c",), "c"), None),
        (BracketMeeting("second", ("b",)), BracketMeeting("second", ("c",))),
        (BracketMeeting[str]("last"),),
    )
    matches = [duel("a", "b", 0, stage="first")]
    data = SiteData(
        title="Cup",
        teams=["a", "b", "c"],
        matches=matches,
        standings=standings("abc", matches),
        planned=9,
        format="ladder",
        brackets=[Bracket("", meetings)],
    )
    page = page_of(data, tmp_path)
    assert '<h2 id="bracket">' in page
    assert "<span>by the toss of a coin</span>" in page
    assert page.count('class="vacant" aria-hidden="true"') == 2
    assert ">bye</span>" in page
    assert [ended(data, team) for team in "abc"] == ["lost the first to b", "in the second", "in the second"]


def test_losers_that_play_for_places_have_brackets_too(tmp_path: Path) -> None:
    field = field_of(8, 1)
    cup = MadeCup("knockout", Knockout(field, KnockoutOptions(places=8)), field, Rules())
    page = page_of(cup.data(), tmp_path)
    assert re.findall(r'class="bracket-name">([^<]*)|class="third"><h3>([^<]*)', page) == [
        ("Places 5 to 8", ""),
        ("", "Third place"),
        ("", "Seventh place"),
    ]
    whole = cup.data()
    assert [ended(whole, team).partition(" ")[0] for team in whole.teams[::2]] == ["champion", "third", "fifth", "seventh"]
    half = replace(cup, most=len(whole.matches) - 12).data()
    assert {ended(half, team).partition(" ")[0] for team in half.teams[4:]} <= {"plays", "lost"}


def test_who_is_in_quarantine_has_not_won_the_final() -> None:
    """By the standings, which know more than the format: the other team is the champion."""
    data = made_cup("knockout", 4).data()
    rows = [list(row) for row in data.standings.rows]
    rows[0][0], rows[1][0] = 4, 1
    drawing = drawing_of(replace(data, standings=replace(data.standings, rows=tuple(map(tuple, rows)))))
    assert drawing.champion == data.teams[1]


def test_a_knockout_has_a_bracket_and_no_crosstable(tmp_path: Path) -> None:
    page = page_of(made_cup("knockout", 6).data(), tmp_path)
    assert '<h2 id="bracket">' in page
    assert "<h3>Champion</h3>" in page
    assert "is the champion</strong>" in page
    assert 'class="none"' not in page
    assert "Who beat whom" not in page
    assert ">points<" not in page
    assert ">bye<" in page
