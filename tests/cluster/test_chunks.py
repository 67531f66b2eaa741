from __future__ import annotations

from collections.abc import Iterator
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.made_specs import made_spec

from tiltyard_cluster.chunks import MOST_SECONDS, SUSPECT_LOSSES, Chunks, MatchTimes, PendingMatch, wanted_seconds
from tiltyard_engine.registry import Reference, Source
from tiltyard_engine.registry.sources import Origin
from tiltyard_simulator.match.spec import MapSource, MatchSpec


def match(map_name: str = "m", *teams: str, place: int = 0) -> MatchSpec:
    references = [
        Reference(kind="algorithm", name=name, game="g", source=Source(name=name, origin=Origin.FILE, value=f"/{name}.py"))
        for name in teams or ("a", "b")
    ]
    return made_spec(game=references[0], manager=references[0], map=MapSource(map_name, b""), teams=tuple(references), number=place)


def cut(count: int, times: MatchTimes) -> list[int]:
    """The sizes of the chunks of so many equal matches."""
    chunks = Chunks(iter([match(place=place) for place in range(count)]), times)
    return [len(chunk) for chunk in iter(chunks.next, [])]


def test_matches_of_which_nothing_is_known_are_chunks_of_their_own() -> None:
    assert cut(3, MatchTimes()) == [1, 1, 1]


@pytest.mark.parametrize(
    ("seconds", "sizes"), [(0.1, [5, 5, 2]), (0.4, [2] * 6), (0.45, [2] * 6), (0.6, [1] * 12), (9.0, [1] * 12)]
)
def test_chunks_take_about_half_a_second(seconds: float, sizes: list[int]) -> None:
    times = MatchTimes()
    times.learn(match().input, seconds)
    assert cut(12, times) == sizes


@pytest.mark.parametrize(("threads", "sizes"), [(16, [1] * 12), (100, [1] * 12), (400, [2] * 6), (1000, [5, 5, 2])])
def test_on_a_large_cluster_chunks_take_longer(threads: int, sizes: list[int]) -> None:
    times = MatchTimes()
    times.learn(match().input, 1.0)
    chunks = Chunks(iter([match(place=place) for place in range(12)]), times)
    assert [len(chunk) for chunk in iter(lambda: chunks.next(wanted_seconds(threads)), [])] == sizes


def test_the_nearest_thing_known_counts() -> None:
    times = MatchTimes()
    assert (times.expected(match().input), times.typical()) == (None, inf)
    times.learn(match("small", "a", "b").input, 0.1)
    times.learn(match("small", "a", "c").input, 0.3)
    times.learn(match("large", "a", "b").input, 2.0)
    assert times.expected(match("small", "b", "a").input) == pytest.approx(0.1)
    assert times.expected(match("small", "x", "y").input) == pytest.approx(0.2)
    assert times.expected(match("new").input) == times.typical() == pytest.approx(0.8)


@given(st.lists(st.floats(0.001, 3.0), max_size=40), st.sets(st.integers(0, 39)))
def test_every_match_is_handed_out_once_and_no_chunk_is_long(seconds: list[float], lost: set[int]) -> None:
    times = MatchTimes()
    specs = [match(f"m{place}", place=place) for place in range(len(seconds))]
    for spec, each in zip(specs, seconds, strict=True):
        times.learn(spec.input, each)
    chunks = Chunks(iter(specs), times)
    played: list[int] = []
    while chunk := chunks.next():
        assert len(chunk) == 1 or sum(seconds[pending.spec.place.number] for pending in chunk) <= MOST_SECONDS + 1e-9
        for pending in chunk:
            if pending.spec.place.number in lost:
                lost.remove(pending.spec.place.number)
                chunks.put_back(pending)
            else:
                played.append(pending.spec.place.number)
    assert sorted(played) == list(range(len(specs)))


def test_no_more_is_taken_out_of_the_schedule_than_can_begin() -> None:
    taken: list[int] = []

    def schedule() -> Iterator[MatchSpec]:
        for place in range(9):
            taken.append(place)
            yield match(place=place)

    times = MatchTimes()
    chunks = Chunks(schedule(), times)
    chunks.next()
    assert taken == [0]
    times.learn(match().input, 0.2)
    assert len(chunks.next()) == 3
    assert taken == [0, 1, 2, 3]


def test_what_lost_machines_comes_back_alone_and_first() -> None:
    times = MatchTimes()
    times.learn(match().input, 0.2)
    chunks = Chunks(iter([match(place=place) for place in range(4)]), times)
    chunk = chunks.next()
    for pending in chunk:
        chunks.put_back(pending)
    assert [[pending.spec.place.number for pending in chunks.next()] for _ in range(4)] == [[0], [1], [2], [3]]
    suspect = PendingMatch(match(place=9), lost=SUSPECT_LOSSES)
    chunks.put_back(PendingMatch(match(place=8), lost=SUSPECT_LOSSES - 1))
    assert not chunks.has_suspects
    chunks.put_back(suspect)
    assert chunks.has_suspects
    assert chunks.next() == [suspect]
    assert not chunks.has_suspects


def test_whether_there_is_more() -> None:
    chunks = Chunks(iter([match()]), MatchTimes())
    assert chunks.has_more()
    assert chunks.has_more()
    (pending,) = chunks.next()
    assert not chunks.has_more()
    chunks.put_back(pending)
    assert chunks.has_more()
    assert chunks.next() == [pending]
    assert (chunks.next(), chunks.has_more()) == ([], False)
