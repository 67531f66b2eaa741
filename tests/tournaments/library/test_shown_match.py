"""A match and a replay as programs get them."""

from __future__ import annotations

import pytest
from tests.conftest import DUEL, map_text

import tiltyard_tournaments as tiltyard
from tiltyard_engine import MapFile, MatchRecord, Outcome
from tiltyard_tournaments.library.shown_match import PlayedMatch


@pytest.fixture(scope="module")
def match() -> PlayedMatch:
    return tiltyard.play(["acorn", "bramble"], MapFile("duel", "tanks", map_text(DUEL, 20, 5).encode()))


def test_it_is_a_record_with_a_small_text(match: PlayedMatch) -> None:
    assert isinstance(match, Outcome)
    assert isinstance(match, MatchRecord), "the name that programs have for it from before"
    assert repr(match) == f"<acorn - bramble on duel: {match.message}>"
    assert [account.held for account in match.accounts] == ["inline", "inline"]
    assert match.claim.final_state
    assert repr(match.replay) == f"<replay of acorn - bramble on duel: {match.rounds} rounds, 10 x 3 squares>"


def test_its_rows_are_its_seats(match: PlayedMatch) -> None:
    rows = match.rows()
    assert [(row["seat"], row["team"], row["opponents"]) for row in rows] == [(1, "acorn", "bramble"), (2, "bramble", "acorn")]
    assert {row["rounds"] for row in rows} == {match.rounds}


def test_its_page_needs_nothing_from_elsewhere(match: PlayedMatch) -> None:
    html = match._repr_html_()
    assert "http://" not in html.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in html
    assert 'sandbox="allow-scripts"' in html
    assert len(html) < 200_000
