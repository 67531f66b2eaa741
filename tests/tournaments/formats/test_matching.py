"""The pairing of least weight, against trying everything."""

from __future__ import annotations

from functools import cache
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tiltyard_tournaments.formats import matching
from tiltyard_tournaments.formats.matching import least_weight_pairs

Weights = list[list[int]]


def least_by_trying(weights: Weights) -> int:
    """The least sum, by dynamic programming over the sets of paired vertices."""
    size = len(weights)

    @cache
    def least(paired: int) -> int:
        if paired == (1 << size) - 1:
            return 0
        first = next(vertex for vertex in range(size) if not paired >> vertex & 1)
        others = [vertex for vertex in range(first + 1, size) if not paired >> vertex & 1]
        return min(weights[first][other] + least(paired | 1 << first | 1 << other) for other in others)

    return least(0)


@st.composite
def graphs(draw: st.DrawFn) -> Weights:
    size = 2 * draw(st.integers(0, 5))
    largest = draw(st.sampled_from([1, 2, 5, 50, 10**30]))
    numbers = st.integers(draw(st.sampled_from([0, -largest])), largest)
    return [[draw(numbers) if other > one else 0 for other in range(size)] for one in range(size)]


TWO_TRIANGLES = [[0 if one // 3 == other // 3 else 9 for other in range(6)] for one in range(6)]
"""Cheap edges within two triples only: one dear edge must be taken, and both triples become blossoms."""


@given(graphs())
@example(TWO_TRIANGLES)
def test_everybody_is_paired_once_at_the_least_weight(weights: Weights) -> None:
    pairs = least_weight_pairs(weights)
    assert sorted(vertex for pair in pairs for vertex in pair) == list(range(len(weights)))
    assert all(one < other for one, other in pairs)
    assert sum(weights[one][other] for one, other in pairs) == least_by_trying(weights)


@given(graphs(), st.sampled_from([1, 2, 3]))
@example(TWO_TRIANGLES, 1)
def test_the_answer_does_not_depend_on_how_many_edges_are_looked_at(weights: Weights, near: int) -> None:
    """Also among many pairings of the same weight: published pairings stay as they are."""
    with mock.patch.object(matching, "NEAR", len(weights)):
        wanted = least_weight_pairs(weights)
    with mock.patch.object(matching, "NEAR", near):
        assert least_weight_pairs(weights) == wanted


def test_nested_blossoms() -> None:
    """A graph of nothing but rings of odd length, weighed so that rings of rings are shrunk and opened again."""
    ring = {(a, (a + 1) % 5) for a in range(5)}
    near = ring | {(5 + a, 5 + (a + 1) % 5) for a in range(5)} | {(0, 5), (10, 3), (11, 8), (10, 12), (11, 13), (12, 13)}
    weights = [[1 if (a, b) in near or (b, a) in near else 7 + (a * b) % 3 for b in range(14)] for a in range(14)]
    pairs = least_weight_pairs(weights)
    assert sum(weights[one][other] for one, other in pairs) == least_by_trying(weights)


@pytest.mark.parametrize("size", [40, 80])
def test_large_graphs_against_a_known_answer(size: int) -> None:
    """Points on a line in a shuffled order: neighbours are paired, whatever the order."""
    places = [(number * 37) % 1009 for number in range(size)]
    weights = [[abs(one - other) for other in places] for one in places]
    line = sorted(places)
    wanted = sum(right - left for left, right in zip(line[::2], line[1::2]))
    assert sum(weights[one][other] for one, other in least_weight_pairs(weights)) == wanted
