from __future__ import annotations

from tiltyard_site.web.bounded_cache import BoundedCache


def test_who_was_not_asked_for_the_longest_goes_first() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    for name in "abc":
        cache.keep(name, name.upper(), 3)
    assert cache.find("a") == "A"
    cache.keep("d", "D", 4)
    assert [cache.find(name) for name in "abcd"] == ["A", None, "C", "D"]
    # In place of the one before, whose room is free again.
    cache.keep("d", "E", 4)
    assert [cache.find(name) for name in "acd"] == ["A", "C", "E"]


def test_what_is_larger_than_all_may_be_is_not_kept() -> None:
    cache: BoundedCache[str] = BoundedCache(10)
    cache.keep("a", "A", 4)
    cache.keep("b", "B", 11)
    assert [cache.find(name) for name in "ab"] == ["A", None]
    cache.keep("a", "AA", 11)
    assert cache.find("a") is None
