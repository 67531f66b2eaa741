"""The games that the first page offers to watch."""

from __future__ import annotations

import re

from tests.made_records import made_record

from tiltyard_engine.decisions import Decision, DecisionKind, as_decided
from tiltyard_engine.match_record import Outcome
from tiltyard_engine.results import GameResult
from tiltyard_site.pages.match_scripts import Listed
from tiltyard_site.pages.pages import Pages
from tiltyard_site.publication import SiteData
from tiltyard_tournaments.standings import standings

WATCH = re.compile(r'<h2 id="watch" class="kicker">([^<]+)</h2>\s*<a class="card" href="match\.html#match=(\d+)">')
CARD = re.compile(r'<a class="card" href="match\.html#match=(\d+)"><span class="kicker">([^<]+)</span>')


def won(rounds: int, map_name: str, winner: int = 1) -> Outcome:
    """A decided game of so many rounds."""
    claim = GameResult(winner=winner, reason="", rounds=rounds, final_state=())
    ranks = (1, 2) if winner == 1 else (2, 1)
    return made_record(teams=("ann", "bob"), map=map_name, winner=winner, ranks=ranks, claim=claim).outcome


def highlights(*matches: Outcome) -> list[tuple[str, int]]:
    """The kind and the number of each highlighted game, the one beside the standings first."""
    teams = "ann", "bob"
    data = SiteData(title="Cup", teams=teams, matches=matches, standings=standings(["ann", "bob"], matches))
    listed = [Listed(number, match, replay="all") for number, match in enumerate(matches, start=1)]
    text = dict(Pages(data, listed, {"ann": "ann", "bob": "bob"}, "").all())["index.html"]()
    watch = [(kind, int(number)) for kind, number in WATCH.findall(text)]
    return watch + [(kind, int(number)) for number, kind in CARD.findall(text)]


def test_games_of_the_usual_length_are_not_called_long() -> None:
    assert highlights(*[won(7, "small")] * 5) == [("The top two", 5)]


def test_a_long_game_is_long_for_its_own_map() -> None:
    small = [won(7, "small"), won(7, "small"), won(14, "small")]
    large = [won(100, "large"), won(110, "large"), won(199, "large")]
    assert highlights(*small, *large) == [("Long game", 3)]


def test_an_awarded_game_is_no_upset() -> None:
    decision = Decision(number=1, kind=DecisionKind.AWARD, about="", why="", made_at="", games=(), team="bob")
    games = [won(7, "small"), won(7, "small"), as_decided(won(7, "small"), decision, 2)]
    assert [kind for kind, _ in highlights(*games)] == ["The top two"]


def test_an_upset_stands_before_a_long_game() -> None:
    games = [won(7, "small"), won(7, "small"), won(40, "small"), won(7, "small", winner=2)]
    assert highlights(*games) == [("Upset", 4), ("Long game", 3)]
