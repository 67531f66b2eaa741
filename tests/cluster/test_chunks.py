from __future__ import annotations

from collections.abc import Iterable
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made_specs import made_spec

from tiltyard_cluster.chunks import MOST_SECONDS, SUSPECT_LOSSES, WANTED_SECONDS, Chunks, MatchTimes, PendingMatch, wanted_seconds
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.match.spec import MapSource, MatchSpec


def match(map_name: str = "m", *teams: str, place: int = 0) -> MatchSpec:
    references = [
        Reference(kind="algorithm", name=name, game="g", source=Source(name=name, origin=Origin.FILE, value=f"/{name}.py"))
        for name in teams or ("a", "b")
    ]
    return made_spec(game=references[0], manager=references[0], map=MapSource(map_name, b""), teams=tuple(references), number=place)


def cut(specs: Iterable[MatchSpec], times: MatchTimes, seconds: float = WANTED_SECONDS) -> list[list[int]]:
    """The places of the matches in each chunk."""
    chunks = Chunks(times)
    chunks.seconds = seconds
    for spec in specs:
        chunks.add(PendingMatch(spec))
    chunks.end_chunk()
    return [[pending.spec.place.number for pending in chunks.next()] for _ in range(len(chunks))]


def sizes_of(count: int, times: MatchTimes, seconds: float = WANTED_SECONDS) -> list[int]:
    """The sizes of the chunks of so many equal matches."""
    return [len(chunk) for chunk in cut([match(place=place) for place in range(count)], times, seconds)]


def test_matches_of_which_nothing_is_known_are_chunks_of_their_own() -> None:
    assert sizes_of(3, MatchTimes()) == [1, 1, 1]


@pytest.mark.parametrize(
    ("seconds", "sizes"), [(0.1, [5, 5, 2]), (0.4, [2] * 6), (0.45, [2] * 6), (0.6, [1] * 12), (9.0, [1] * 12)]
)
def test_chunks_take_about_half_a_second(seconds: float, sizes: list[int]) -> None:
    times = MatchTimes()
    times.learn(match().input, seconds)
    assert sizes_of(12, times) == sizes


@pytest.mark.parametrize(("threads", "sizes"), [(16, [1] * 12), (100, [1] * 12), (400, [2] * 6), (1000, [5, 5, 2])])
def test_on_a_large_cluster_chunks_take_longer(threads: int, sizes: list[int]) -> None:
    times = MatchTimes()
    times.learn(match().input, 1.0)
    assert sizes_of(12, times, wanted_seconds(threads)) == sizes


def test_each_match_may_be_a_chunk() -> None:
    times = MatchTimes()
    times.learn(match().input, 0.01)
    assert sizes_of(3, times, 0.0) == [1, 1, 1]


def test_the_nearest_thing_known_counts() -> None:
    times = MatchTimes()
    assert (times.expected(match().input), times.typical()) == (None, inf)
    times.learn(match("small", "a", "b").input, 0.1)
    times.learn(match("small", "a", "c").input, 0.3)
    times.learn(match("large", "a", "b").input, 2.0)
    assert times.expected(match("small", "b", "a").input) == pytest.approx(0.1)
    assert times.expected(match("small", "x", "y").input) == pytest.approx(0.2)
    assert times.expected(match("new").input) == times.typical() == pytest.approx(0.8)


@given(st.lists(st.floats(0.001, 3.0), max_size=40))
def test_every_match_is_handed_out_once_and_in_order_and_no_chunk_is_long(seconds: list[float]) -> None:
    times = MatchTimes()
    specs = [match(f"m{place}", place=place) for place in range(len(seconds))]
    for spec, each in zip(specs, seconds, strict=True):
        times.learn(spec.input, each)
    chunks = cut(specs, times)
    assert [place for chunk in chunks for place in chunk] == list(range(len(specs)))
    assert all(len(chunk) == 1 or sum(seconds[place] for place in chunk) <= MOST_SECONDS + 1e-9 for chunk in chunks)


def test_a_chunk_goes_out_when_it_is_long_enough() -> None:
    times = MatchTimes()
    chunks = Chunks(times)
    chunks.add(PendingMatch(match(place=0)))
    assert [len(chunks.next()) for _ in range(len(chunks))] == [1]
    times.learn(match().input, 0.2)
    waiting = []
    for place in range(4):
        chunks.add(PendingMatch(match(place=place)))
        waiting.append(len(chunks))
    assert waiting == [0, 0, 1, 1]
    assert len(chunks.next()) == 3
    chunks.clear()
    chunks.end_chunk()
    assert len(chunks) == 0


def test_what_lost_machines_comes_back_alone_and_first() -> None:
    times = MatchTimes()
    times.learn(match().input, 0.2)
    chunks = Chunks(times)
    for place in range(4):
        chunks.add(PendingMatch(match(place=place)))
    for pending in chunks.next():
        chunks.put_back(pending)
    chunks.end_chunk()
    assert [[pending.spec.place.number for pending in chunks.next()] for _ in range(4)] == [[0], [1], [2], [3]]
    suspect = PendingMatch(match(place=9), lost=SUSPECT_LOSSES)
    chunks.put_back(PendingMatch(match(place=8), lost=SUSPECT_LOSSES - 1))
    assert not chunks.has_suspects
    chunks.put_back(suspect)
    assert chunks.has_suspects
    assert chunks.next() == [suspect]
    assert not chunks.has_suspects


def test_what_nobody_can_play_yet_keeps_its_place() -> None:
    chunks = Chunks(MatchTimes())
    for place in range(4):
        chunks.add(PendingMatch(match(place=place)))
    chunks.put_back_whole([chunks.next(), chunks.next()])
    assert [[pending.spec.place.number for pending in chunks.next()] for _ in range(4)] == [[0], [1], [2], [3]]
