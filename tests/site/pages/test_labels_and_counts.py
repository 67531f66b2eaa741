from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tournaments.made_matches import NO_RESULT, duel

from tiltyard_engine.match_record import Outcome
from tiltyard_site.pages.labels import harmless, safe_address, slugs
from tiltyard_site.pages.table_parts import results_by, scale
from tiltyard_tournaments.standings import Meeting


def test_pairs_of_a_match_of_three() -> None:
    match = Outcome(teams=("a", "b", "c"), map="m", winner=1, ranks=(1, 2, 2))
    found = results_by(lambda match, seat, other: (match.teams[seat], match.teams[other]), [match])
    assert found["a", "b"] == Meeting(wins=1)
    assert found["b", "a"] == Meeting(losses=1)
    assert found["b", "c"] == Meeting(ties=1)
    assert results_by(lambda match, seat, other: match.teams[seat], [match])["a"] == Meeting(wins=2)
    assert results_by(lambda match, seat, other: seat, [match])[2] == Meeting(ties=1, losses=1)


def test_a_bye_is_no_meeting() -> None:
    assert results_by(lambda match, seat, other: seat, [Outcome(teams=("a",), map="", winner=1, ranks=(1,))]) == {}


def test_what_does_not_count_is_not_counted() -> None:
    assert results_by(lambda match, seat, other: seat, [duel("a", "b", 0, "m", NO_RESULT)]) == {}


@given(st.lists(st.floats(-5000, 5000), min_size=1, max_size=8))
def test_scales_hold_all_values_between_a_few_round_ticks(values: list[float]) -> None:
    shown = scale(values)
    assert shown.low <= min(values) + 1e-6
    assert shown.high >= max(values) - 1e-6
    assert 2 <= len(shown.ticks) <= 8


@given(st.lists(st.text(max_size=30), unique=True, max_size=8))
def test_slugs_are_plain_and_different(names: list[str]) -> None:
    found = slugs(names)
    assert list(found) == names
    assert len(set(found.values())) == len(names)
    for slug in found.values():
        assert slug
        assert set(slug) <= set("abcdefghijklmnopqrstuvwxyz0123456789-")


def test_slugs_of_names_that_collide() -> None:
    assert slugs(["A b", "a-b", "a b 2", "Ünï", "漢"]) == {
        "A b": "a-b",
        "a-b": "a-b-2",
        "a b 2": "a-b-2-2",
        "Ünï": "uni",
        "漢": "team",
    }


@given(st.text())
def test_harmless_texts_can_be_written(text: str) -> None:
    harmless(text + "\ud800\u202e\x1b").encode("utf-8")


@pytest.mark.parametrize("address", ["https://x.org", "mailto:a@b", "rules.html", "#top", "//x.org/a"])
def test_plain_addresses_are_let_through(address: str) -> None:
    assert safe_address(address) == address
