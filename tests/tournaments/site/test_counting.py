from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltyard_tournaments.played import PlayedMatch
from tiltyard_tournaments.site.charts import scale
from tiltyard_tournaments.site.counting import Tally, against, in_seats, on_maps, overall
from tiltyard_tournaments.site.words import harmless, safe_address, slugs


def test_wilson_intervals_are_those_of_the_books() -> None:
    # 81 of 263: Newcombe, Two-sided confidence intervals for the single proportion, 1998, table I, method 3.
    low, high = Tally(wins=81, losses=263 - 81).interval()
    assert (round(low, 4), round(high, 4)) == (0.2553, 0.3662)
    low, high = Tally(losses=20).interval()
    assert (round(low, 4), round(high, 4)) == (0.0, 0.1611)
    assert Tally().interval() == (0.0, 1.0)


def test_pairs_of_a_match_of_three() -> None:
    match = PlayedMatch(("a", "b", "c"), "m", 1, (1, 2, 2))
    found = against([match])
    assert found["a", "b"] == Tally(wins=1)
    assert found["b", "a"] == Tally(losses=1)
    assert found["b", "c"] == Tally(ties=1)
    assert overall([match])["a"] == Tally(wins=2)
    assert on_maps([match])["b", "m"] == Tally(ties=1, losses=1)
    assert in_seats([match])["c", 3] == Tally(ties=1, losses=1)


def test_a_bye_is_no_meeting() -> None:
    assert overall([PlayedMatch(("a",), "", 1, (1,))]) == {}


def test_what_does_not_count_is_not_counted() -> None:
    assert against([PlayedMatch(("a", "b"), "m", 0, (1, 1), counts=False)]) == {}


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
