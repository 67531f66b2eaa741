"""Each format has the first page that fits it, with results that nobody played."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.site.axe import OPTIONS, violations
from tests.site.made_cups import MadeCup, drawing_of, field_of, made_cup, page_of
from tests.tournaments.made_matches import NO_RESULT, duel, fault

from tiltyard_engine.decisions import DecidedGame, Decision, DecisionKind
from tiltyard_engine.errors import UserError
from tiltyard_engine.lifecycle import Pairing
from tiltyard_engine.match_record import WALKOVERS, WITHDRAWAL, Outcome
from tiltyard_engine.results import PairingEnding, Termination
from tiltyard_site.pages.data import RatedTeams, Rating
from tiltyard_site.pages.front import FrontStandings, Headline, Progress, headline, team_places, time_in_words
from tiltyard_site.pages.stages import unplayed_word
from tiltyard_site.publication import SiteData, publish
from tiltyard_tournaments.standings import Rules, rank, standings, standings_table
from tiltyard_tournaments.standings.scoring import TIE_BREAK_MATCH

Visiting = Callable[..., Any]


def line_of(data: SiteData, champion: str = "") -> Headline:
    return headline(data, team_places(data), Progress(len(data.matches), data.planned, ("round 1", "round 2"), champion))


# The line below the title


def test_the_headline_says_who_won_when_and_in_which_format() -> None:
    data = made_cup("round-robin", 4).data()
    line = line_of(data)
    assert (line.leaders, line.words) == ((data.teams[0],), "won")
    assert line.when == "finished 26 Nov 2026, 13:35 UTC"
    assert line.facts == ("round robin", "4 teams", "24 games")


def test_the_headline_says_that_more_is_to_come() -> None:
    line = line_of(made_cup("swiss", 8, rounds=3, most=12).data())
    assert line.words in ("leads", "share the lead")
    assert line.when.startswith("last game 26 Nov")
    assert line.facts == ("Swiss, round 2", "8 teams", "12 of 16 games")


@pytest.mark.parametrize(
    ("sharing", "expected"),
    [(1, (("a",), "won")), (2, (("a", "b"), "share the first place")), (4, ((), "4 teams share the first place"))],
)
def test_a_shared_first_place_is_called_so(sharing: int, expected: tuple[tuple[str, ...], str]) -> None:
    teams = ["a", "b", "c", "d"]
    matches = [duel("a", "b", 0)] if sharing > 1 else [duel("a", "b", 1)]
    table = standings(teams, matches)
    rows = tuple((1 if number < sharing else number + 1, *row[1:]) for number, row in enumerate(table.rows))
    data = SiteData(title="Cup", teams=teams, matches=matches, standings=replace(table, rows=rows))
    line = line_of(data)
    assert (line.leaders, line.words) == expected


def test_before_the_first_game_nobody_leads() -> None:
    line = line_of(made_cup("round-robin", 4, most=0).data())
    assert (line.leaders, line.words, line.when) == ((), "not begun", "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2026-11-26T13:35:12.345+00:00", "26 Nov 2026, 13:35 UTC"),
        ("2026-01-01T00:30:00+01:00", "31 Dec 2025, 23:30 UTC"),
        ("2026-11-26T13:35:12", ""),
        ("soon", ""),
        ("", ""),
    ],
)
def test_times_have_their_zone(text: str, words: str) -> None:
    assert time_in_words(text) == words


# The standings


def headers(data: SiteData) -> list[str]:
    return [head.text for head in FrontStandings(data, drawing_of(data) if data.brackets else None).headers()]


def test_columns_that_are_zero_for_everybody_are_left_out() -> None:
    teams = ["a", "b"]
    plain = [duel("a", "b", 1)]
    data = SiteData(title="Cup", teams=teams, matches=plain, standings=standings(teams, plain))
    assert headers(data) == ["place", "team", "games", "wins", "losses", "points"]
    failed = [*plain, duel("b", "a", 0), duel("a", "b", 1, "m", fault(2))]
    data = SiteData(title="Cup", teams=teams, matches=failed, standings=standings(teams, failed))
    assert headers(data) == ["place", "team", "games", "wins", "ties", "losses", "points", "faults"]


def test_place_team_rating_results_and_points_stand_in_one_row(tmp_path: Path) -> None:
    data = made_cup("swiss", 8, rounds=3).data()
    assert headers(data) == ["place", "team", "rating", "games", "wins", "ties", "losses", "points", "BH"]
    page = page_of(data, tmp_path)
    assert '<abbr title="buchholz: sum of the points of all opponents">BH</abbr>' in page
    assert '<p class="note">BH: sum of the points of all opponents.</p>' in page
    assert headers(made_cup("knockout", 8).data()) == ["place", "team", "result", "rating", "wins", "ties", "losses"]


# Groups


def test_each_group_has_a_table_and_a_crosstable(tmp_path: Path) -> None:
    cup = made_cup("groups", 10, maps=1)
    data = cup.data()
    page = page_of(data, tmp_path)
    assert re.findall(r"<h3[^>]*>(Group [A-Z])</h3>", page) == ["Group A", "Group B", "Group C"] * 2
    table = FrontStandings(data, None)
    assert [head.text for head in table.headers()] == ["place", "team", "rating", "games", "wins", "ties", "losses", "points"]
    shown = {name: {cell.text for row in rows for cell in row if cell.column == "team"} for name, rows in table.tables()}
    assert shown == {name: {cup.field.teams[team] for team in group} for name, group in cup.form.groups}
    # Who is in another group stands in no row and in no column.
    assert page.count('class="none"') == 10
    line = line_of(data)
    assert (len(line.leaders), line.words) == (3, "won their groups")
    assert '<h2 id="findings">The draw</h2>' in page
    assert line_of(made_cup("groups", 10, maps=1, most=9).data()).words in ("lead their groups", "3 groups")


def test_tie_break_matches_stand_apart(tmp_path: Path) -> None:
    """They are on the page and in the list of games, and in no round, no crosstable and no number of wins."""
    matches = [duel("a", "b", 0, stage="round 1")]
    played_off = [duel("b", "a", 1, stage=TIE_BREAK_MATCH, place=1), duel("a", "b", 0, stage=TIE_BREAK_MATCH, place=2)]
    rules = Rules(tie_breaks=("match",))
    every = [*matches, *played_off]
    data = SiteData(title="Cup", teams=["b", "a"], matches=every, standings=standings("ab", every, rules), format="swiss")
    page = page_of(data, tmp_path)
    assert '<h2 id="tie-breaks">Tie-break matches</h2>' in page
    assert '<span class="score">1½</span>' in page
    assert re.findall(r'<th scope="col"><a href="(round-\d\.html)">', page) == ["round-1.html"]
    assert team_places(data) == {"b": "1", "a": "2"}
    line = [cell.text for cell in FrontStandings(data, None).tables()[0][1][0]]
    assert line == ["1", "b", "1", "1", "1", "1.5"]


# Swiss


def test_a_swiss_has_a_column_a_round_and_a_page_of_its_pairings(tmp_path: Path) -> None:
    data = made_cup("swiss", 7, rounds=3).data()
    page = page_of(data, tmp_path)
    assert re.findall(r'<th scope="col"><a href="(round-\d\.html)">', page) == ["round-1.html", "round-2.html", "round-3.html"]
    assert page.count('>bye <span class="muted">') == 3
    assert "Who beat whom" not in page
    first = data.matches[0]
    pairing = (tmp_path / "round-1.html").read_text(encoding="utf-8")
    assert f"<bdi>{first.teams[0]}</bdi>".replace("'", "&#39;") in pairing
    assert "<td>bye</td>" in pairing
    assert 'href="round-2.html"' in pairing
    assert "round 3: " in page


def test_a_cell_of_a_swiss_tells_opponent_seat_and_result(tmp_path: Path) -> None:
    matches = [duel("a", "b", 1, stage="round 1"), duel("c", "d", 0, stage="round 1", place=1)]
    table = standings("abcd", matches)
    data = SiteData(title="Cup", teams=["a", "c", "d", "b"], matches=matches, standings=table, format="swiss")
    page = page_of(data, tmp_path)
    assert 'aria-label="round 1: 1\u20130 against b, seat 1">1\u20130 <span class="muted">4①</span>' in page
    assert 'aria-label="round 1: ½\u2013½ against c, seat 2">½\u2013½ <span class="muted">2②</span>' in page


@pytest.mark.parametrize(
    ("teams", "games", "word"),
    [
        (("a",), [], "bye"),
        (("a", "b"), [], "to play"),
        (("a", "b"), [duel("a", "b", 1)], ""),
        (("a", "b"), [duel("a", "b", 1, "m", fault(2, Termination.FORFEIT))], "forfeit"),
        (("a", "b"), [replace(duel("a", "b", 1, "m", fault(2, Termination.FORFEIT)), reason=min(WALKOVERS))], "walkover"),
        (("a", "b"), [duel("a", "b", 0, "m", NO_RESULT)], "no result"),
    ],
)
def test_a_pairing_without_a_played_game_has_a_word(teams: tuple[str, ...], games: list[Outcome], word: str) -> None:
    assert unplayed_word(teams, games) == word


def test_why_a_team_has_no_opponent_stands_in_its_round(tmp_path: Path) -> None:
    matches = [duel("a", "b", 1, stage="round 1")]
    absences = [Pairing("round 1", ("c",), 1, PairingEnding.ABSENT), Pairing("round 1", ("d",), 1, PairingEnding.HALF_POINT_BYE)]
    table = standings("abcd", matches)
    data = SiteData(title="Cup", teams=list("abcd"), matches=matches, standings=table, format="swiss", pairings=absences)
    page = page_of(data, tmp_path)
    assert 'aria-label="round 1: absent"' in page
    assert 'aria-label="round 1: half-point bye"' in page
    assert "<td>half-point bye</td>" in (tmp_path / "round-1.html").read_text(encoding="utf-8")


# Round robin and the others


def test_where_points_are_scores_the_cells_show_points(tmp_path: Path) -> None:
    data = made_cup("scored", 3, maps=1).data()
    page = page_of(data, tmp_path)
    one, other = data.teams[:2]
    own = sum(match.scores[match.teams.index(one)] for match in data.matches if {one, other} == set(match.teams))
    shown = re.search(rf'aria-label="{one} against {other}[^"]*">([^<]+)</a>'.replace("'", "&#39;"), page)
    assert shown is not None
    assert shown[1].replace("½", ".5") == f"{own:g}"
    assert "Points of the row against the column" in page


def test_many_columns_have_numbers_above_them(tmp_path: Path) -> None:
    page = page_of(made_cup("round-robin", 14, maps=1).data(), tmp_path)
    heads = re.findall(r'<th scope="col"><a href="team-[^"]+" aria-label="[^"]+" title="[^"]+"><bdi>(\d+)</bdi>', page)
    assert heads == [str(number) for number in range(1, 15)] * 2


def test_a_gauntlet_says_how_the_challenger_does(tmp_path: Path) -> None:
    page = page_of(made_cup("gauntlet", 6).data(), tmp_path)
    assert '<h2 id="challengers">Challenger</h2>' in page
    # Whoever meets all others has the most points, which says nothing.
    assert re.search(r"Aurora</bdi></a> scored \d+\u202f% against the others</strong>", page)
    crosstable = page[page.index('<h2 id="crosstable">') :]
    # One column, and no row for the challenger itself.
    assert crosstable.count("against Aurora: ") == 5
    assert 'class="none"' not in crosstable[: crosstable.index("</table>")]


def test_a_gauntlet_has_a_page_before_its_first_game(tmp_path: Path) -> None:
    page = page_of(made_cup("gauntlet", 4, most=0).data(), tmp_path)
    assert "<strong>not begun</strong>" in page
    assert 'id="challengers"' not in page


def test_until_settled_says_how_certain_the_order_is(tmp_path: Path) -> None:
    data = made_cup("until-settled", 4).data()
    page = page_of(data, tmp_path)
    section = page[page.index('<h2 id="findings">How certain the order is') : page.index('<h2 id="ratings">')]
    assert section.count("<li>") == len(data.findings) >= 4


# Previews of links


def test_a_preview_of_a_link_has_a_picture_where_the_address_is_known(cup: SiteData, tmp_path: Path) -> None:
    page = page_of(replace(cup, address="https://example.org/cup/"), tmp_path)
    assert '<meta property="og:title" content="Test Cup">' in page
    assert f'<meta property="og:description" content="{cup.teams[0]} won. round robin, 3 teams, 12 games.">' in page
    assert '<meta property="og:image" content="https://example.org/cup/data/share.png">' in page
    with Image.open(tmp_path / "data/share.png") as picture:
        assert picture.size == (1200, 630)
        colors = picture.convert("RGB").getcolors()
    # Paper, floor, walls, and tanks of both players.
    assert colors is not None
    assert len(colors) >= 5
    again = page_of(cup, tmp_path)
    assert "og:image" not in again
    assert not (tmp_path / "data/share.png").exists()


def test_an_address_that_is_none_is_refused(cup: SiteData, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"expected one such as https://example\.org/cup/"):
        publish(replace(cup, address="javascript:alert(1)"), tmp_path)


# All of them in a browser

FORMATS = [
    ("knockout", 4, 0),
    ("double-elimination", 4, 0),
    ("swiss", 5, 2),
    ("groups", 6, 0),
    ("round-robin", 10, 0),
    ("gauntlet", 4, 0),
    ("until-settled", 3, 0),
]


@pytest.mark.parametrize(("name", "teams", "rounds"), FORMATS, ids=[name for name, *_ in FORMATS])
def test_axe_finds_nothing_and_nothing_sticks_out(name: str, teams: int, rounds: int, visit: Visiting, tmp_path: Path) -> None:
    data = made_cup(name, teams, maps=1, rounds=rounds).data()
    games = (DecidedGame(data.matches[0].key), DecidedGame(data.matches[1].key))
    decision = Decision(number=1, kind=DecisionKind.VOID, about="two games", why="noise", made_at="2026-11-26T09:12", games=games)
    taken_back = replace(decision, number=2, kind=DecisionKind.AWARD, team=data.teams[0], taken_back_at="2026-11-26T09:13:00+00:00")
    publish(replace(data, decisions=[decision, taken_back]), tmp_path)
    here = visit(tmp_path, **OPTIONS)
    for path in ("index.html", *(["round-2.html", "decisions.html"] if rounds else [])):
        page = here.open(path)
        assert violations(page) == []
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_twenty_teams_fit_the_window_of_a_laptop(visit: Visiting, tmp_path: Path) -> None:
    publish(made_cup("swiss", 20, rounds=5).data(), tmp_path)
    page = visit(tmp_path).open("index.html")
    last = page.locator(".standings tbody tr").last.bounding_box()
    assert last["y"] + last["height"] <= 800


def test_a_table_that_goes_on_to_the_right_says_so(visit: Visiting, tmp_path: Path) -> None:
    publish(made_cup("swiss", 8, rounds=6).data(), tmp_path)
    page = visit(tmp_path, viewport={"width": 390, "height": 844}).open("index.html")
    box = page.locator(".scroll:has(.rounds)")
    page.wait_for_selector(".scroll.more-right:has(.rounds)")
    box.evaluate("(node) => { node.scrollLeft = node.scrollWidth; }")
    page.wait_for_selector(".scroll:not(.more-right):has(.rounds)")
    # The names stay where they are.
    assert page.locator(".rounds tbody th").first.bounding_box()["x"] < 60


def test_the_first_page_does_not_grow_with_the_games(tmp_path: Path) -> None:
    teams = list(field_of(70).teams)
    pairs = list(combinations(range(70), 2))
    sizes = []
    for games in (150, 600):
        matches = [
            duel(teams[one], teams[other], 1 + (one * other) % 2, stage="round 1", place=place)
            for place, (one, other) in enumerate(pairs[:games])
        ]
        data = SiteData(title="Cup", teams=teams, matches=matches, standings=standings(teams, matches))
        sizes.append(len(page_of(data, tmp_path / str(games))))
    few, many = sizes
    assert many < 1.1 * few
    assert many < 100_000


# Late, leaving and decided otherwise


def test_whoever_lost_is_not_still_in_while_the_round_goes_on(tmp_path: Path) -> None:
    """Neither in the line nor by a place, but in a double elimination one loss is none."""
    for name, many in (("knockout", 8), ("double-elimination", 8)):
        cup = made_cup(name, many)
        cup.tie_share, cup.most = 0.0, next(each for each in range(1, 99) if _losers(replace(cup, tie_share=0.0, most=each)))
        data = cup.data()
        (loser, *_), is_out = _losers(cup), name == "knockout"
        assert line_of(data).words == f"{many - is_out} teams still in"
        page = page_of(data, tmp_path / name)
        assert page.count(">so far<") == len([box for box in drawing_of(data).boxes if box.games and not box.is_decided])
        row = re.search(rf"<tr[^>]*>(?:(?!</tr>).)*team-{loser.lower().replace(' ', '-')}(?:(?!</tr>).)*</tr>", page)
        assert row is not None
        assert ('column-place">\u2013</td>' in row[0]) is is_out
        assert ('class="first"' in row[0]) is not is_out


def _losers(cup: MadeCup) -> list[str]:
    return [box.loser for box in drawing_of(cup.data()).boxes if box.loser]


def test_all_that_share_the_first_place_look_so(tmp_path: Path) -> None:
    matches = [duel("a", "b", 0), duel("a", "c", 1), duel("b", "c", 1)]
    data = SiteData(title="Cup", teams=list("abc"), matches=matches, standings=standings("abc", matches))
    assert page_of(data, tmp_path).count('class="first"') == 2


def test_a_team_without_a_rating_has_that_column_too() -> None:
    """A narrow page leaves it out. Games of a team may all have been walkovers."""
    data = made_cup("round-robin", 3).data()
    table = FrontStandings(replace(data, rated=lambda: RatedTeams([Rating(data.teams[0], 0.0, -1.0, 1.0)])), None)
    assert [cell.column for cell in table.row(data.standings.rows[1])] == [head.column for head in table.headers()]


def test_walkovers_of_who_has_left_are_no_faults(tmp_path: Path) -> None:
    left = replace(duel("a", "b", 1, "m", fault(2, Termination.FORFEIT)), reason=WITHDRAWAL)
    matches = [left, duel("a", "c", 1, "m", fault(2, Termination.CRASH))]
    data = SiteData(title="Cup", teams=list("abc"), matches=matches, standings=standings("abc", matches))
    page = page_of(data, tmp_path)
    assert "1 crash" in page
    assert "1 forfeit" not in page
    assert re.search(r"has left: 1 game of it is a walkover", page)


def test_the_points_of_a_late_team_are_told(tmp_path: Path) -> None:
    matches = [duel("a", "b", 1, stage="round 1")]
    late = [Pairing("round 1", ("c",), 1, PairingEnding.LATE, 3.0), Pairing("round 1", ("d",), 1, PairingEnding.LATE)]
    data = SiteData(
        title="Cup", teams=list("abcd"), matches=matches, standings=standings("abcd", matches), format="swiss", pairings=late
    )
    page = page_of(data, tmp_path)
    assert 'aria-label="round 1: late, 3 points"' in page
    assert 'aria-label="round 1: late"' in page


def test_a_challenger_has_no_place_among_those_whom_it_meets(tmp_path: Path) -> None:
    data = made_cup("gauntlet", 5).data()
    (challenger,) = data.challengers
    places = team_places(data)
    assert places[challenger] == "\u2013"
    assert "1" in places.values()
    page = page_of(data, tmp_path)
    assert page.count('column-place">\u2013</td>') == 1
    assert page.count('class="first"') == list(places.values()).count("1")


@pytest.mark.parametrize(("winner", "words"), [(1, "won their groups"), (0, "are first in their groups")])
def test_a_shared_first_place_of_a_group_is_not_won(winner: int, words: str) -> None:
    matches = [duel("a", "b", winner), duel("c", "d", 1)]
    lines = [
        replace(line, group=name)
        for name, own in (("A", "ab"), ("B", "cd"))
        for line in rank(own, [match for match in matches if match.teams[0] in own])
    ]
    data = SiteData(title="Cup", teams=list("abcd"), matches=matches, standings=standings_table(lines), format="groups")
    assert line_of(replace(data, planned=2)).words == words
