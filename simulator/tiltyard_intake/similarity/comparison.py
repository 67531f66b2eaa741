"""Which works of a class have much in common: an index of all fingerprints, and the places of those that two works share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tiltyard_intake.similarity.fingerprints import PASSAGE, WINDOW, Fingerprints
from tiltyard_intake.similarity.likeness import Likeness, Pair, Passage

LEAST_SHARE: Final = 0.3
"""Pairs below aren't named. Of 610 pairs of real works of four courses seven are above, and all others below 0.18."""
FEWEST_SHARED: Final = 20
"""Fingerprints that a pair shares at least, about fifteen lines: short works are alike by chance."""
COMMON_PART: Final = 0.5
"""What more than this part of the works in a language have is left out ..."""
FEWEST_WITH_COMMON: Final = 5
"""... if so many have it."""
MOST_PAIRS: Final = 5
"""Of one team, unless the other team has fewer."""
MOST_PASSAGES: Final = 12
MOST_PLACES: Final = 3
"""Of one fingerprint in one work, that are looked at."""
MOST_MATCHES: Final = 20_000
MOST_OPEN: Final = 50
"""Passages that may still grow, and matches in all: nobody's work takes long to compare."""
REACH: Final = 2 * (PASSAGE + WINDOW)
"""Tokens from one fingerprint to the next in the same passage."""
MOST_COMMON_FILES: Final = 50

Hashes = NDArray[np.uint64]


@dataclass(slots=True)
class _Work:
    team: str
    prints: Fingerprints
    own: Hashes
    """Without given code and what most have."""
    ungiven: Hashes
    """Without given code."""
    digests: tuple[bytes, ...]
    """Of its files that aren't given code."""


def compare(works: Mapping[str, Fingerprints], common_code: Sequence[Fingerprints] = ()) -> Likeness:
    """Compare the works of a class.

    The time grows with the sources, and with what is in several works.

    Args:
        works: by team.
        common_code: of code that all may have.
    """
    given_hashes = np.unique(np.concatenate([np.array([], np.uint64), *map(_hashes, common_code)]))
    given_digests = frozenset(digest for prints in common_code for digest in prints.digests)
    all_hashes = {team: _hashes(prints) for team, prints in works.items()}
    common = _common(works, all_hashes)
    works_of_class: list[_Work] = []
    for team, prints in works.items():
        ungiven = np.setdiff1d(all_hashes[team], given_hashes)
        digests = tuple(sorted(digest for digest in prints.digests if digest not in given_digests))
        works_of_class.append(_Work(team, prints, np.setdiff1d(ungiven, common), ungiven, digests))
    counts = _shared_counts([work.own for work in works_of_class])
    candidates = sorted(_candidates(works_of_class, counts), key=lambda each: (-each.larger, each.team, each.other))
    pairs: list[Pair] = []
    pair_counts: Counter[str] = Counter()
    more: Counter[str] = Counter()
    by_team = {work.team: work for work in works_of_class}
    for pair in candidates:
        both = (pair.team, pair.other)
        if min(pair_counts[team] for team in both) >= MOST_PAIRS:
            more.update(both)
        else:
            pair_counts.update(both)
            pairs.append(_with_passages(pair, by_team[pair.team], by_team[pair.other]))
    return Likeness(
        compared=len(works_of_class),
        pairs=tuple(pairs),
        more_pairs=dict(more),
        common_files=tuple(_files_with(common, works)),
        left_out={work.team: 1 - len(work.own) / len(hashes) for work in works_of_class if len(hashes := all_hashes[work.team])},
        not_compared=tuple((team, f"too large: {name}") for team, prints in works.items() for name in prints.left_out),
    )


def _hashes(prints: Fingerprints) -> Hashes:
    return np.unique(np.frombuffer(prints.hashes, np.uint64))


def _common(works: Mapping[str, Fingerprints], all_hashes: Mapping[str, Hashes]) -> Hashes:
    """What most works in a language have. Fingerprints of two languages are never equal."""
    in_language = Counter(language for prints in works.values() for language in set(prints.languages))
    parts: list[Hashes] = []
    for language, count in in_language.items():
        users = [all_hashes[team] for team, prints in works.items() if language in prints.languages]
        values, holders = np.unique(np.concatenate(users), return_counts=True)
        parts.append(values[holders >= max(FEWEST_WITH_COMMON, int(COMMON_PART * count) + 1)])
    return np.unique(np.concatenate(parts)) if parts else np.array([], np.uint64)


def _shared_counts(sets: Sequence[Hashes]) -> NDArray[np.int64]:
    """How many fingerprints each pair of works share."""
    counts = np.zeros((len(sets), len(sets)), np.int64)
    if not sets:
        return counts
    values = np.concatenate(sets)
    owners = np.repeat(np.arange(len(sets)), [len(each) for each in sets])
    order = np.argsort(values, kind="stable")
    values, owners = values[order], owners[order]
    starts = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1]))) if len(values) else np.array([], np.int64)
    sizes = np.diff(np.append(starts, len(values)))
    twos = starts[sizes == 2]
    # Most of what is shared is so by two.
    np.add.at(counts, (owners[twos], owners[twos + 1]), 1)
    for start, size in zip(starts[sizes > 2], sizes[sizes > 2]):
        group = owners[start : start + size]
        counts[np.ix_(group, group)] += 1
    # Owners of equal values come in their order, so that pairs stand above the diagonal.
    return counts


def _candidates(works: Sequence[_Work], counts: NDArray[np.int64]) -> Iterator[Pair]:
    """The pairs above the bounds, without their passages."""
    equal: dict[tuple[bytes, ...], list[int]] = defaultdict(list)
    for place, work in enumerate(works):
        if work.digests and (work.prints.tokens >= PASSAGE or not work.prints.languages):
            equal[work.digests].append(place)
    same = {(one, other) for places in equal.values() for at, one in enumerate(places) for other in places[at + 1 :]}
    for one, other in sorted(same):
        yield Pair(team=works[one].team, other=works[other].team, share=1.0, other_share=1.0)
    for one, other in np.argwhere(np.triu(counts, 1) >= FEWEST_SHARED).tolist():
        if (one, other) in same:
            continue
        share, other_share = (float(counts[one, other] / len(works[place].own)) for place in (one, other))
        if max(share, other_share) >= LEAST_SHARE:
            yield Pair(team=works[one].team, other=works[other].team, share=share, other_share=other_share)


def _with_passages(pair: Pair, work: _Work, other: _Work) -> Pair:
    shared = np.intersect1d(work.own, other.own)
    if not len(shared):
        # Equal works whose code most have.
        shared = np.intersect1d(work.ungiven, other.ungiven)
    passages = _apart(_passages(_places(work.prints, shared), _places(other.prints, shared)))
    passages_shown = tuple(
        Passage(
            file=work.prints.files[each.file],
            first=each.first,
            last=each.last,
            other_file=other.prints.files[each.other_file],
            other_first=each.other_first,
            other_last=each.other_last,
        )
        for each in passages
    )
    return Pair(
        team=pair.team,
        other=pair.other,
        share=pair.share,
        other_share=pair.other_share,
        passages=passages_shown[:MOST_PASSAGES],
        more_passages=len(passages_shown[MOST_PASSAGES:]),
    )


Place = tuple[int, int, int, int]
"""A file, the first token there, its line, and the last line."""


def _places(prints: Fingerprints, shared: Hashes) -> dict[int, list[Place]]:
    """Where the shared fingerprints are, in the order of the work."""
    hashes = np.frombuffer(prints.hashes, np.uint64)
    lines = np.frombuffer(prints.places, np.int32).reshape(-1, 4)
    by_hash: dict[int, list[Place]] = {}
    positions = np.flatnonzero(np.isin(hashes, shared))[:MOST_MATCHES]
    for value, (file, at, first, last) in zip(hashes[positions].tolist(), lines[positions].tolist()):
        places = by_hash.setdefault(value, [])
        if len(places) < MOST_PLACES:
            places.append((file, at, first, last))
    return by_hash


@dataclass(slots=True)
class _Passage:
    file: int
    at: int
    """The first token of its last fingerprint."""
    first: int
    last: int
    other_file: int
    other_at: int
    other_first: int
    other_last: int
    matches: int = 1


def _passages(places: Mapping[int, Sequence[Place]], others: Mapping[int, Sequence[Place]]) -> list[_Passage]:
    """Neighbours among what is shared, put together."""
    matches = sorted((place, other) for value, each in places.items() for place in each for other in others.get(value, ()))
    finished: list[_Passage] = []
    growing: dict[tuple[int, int], list[_Passage]] = defaultdict(list)
    for (file, at, first, last), (other_file, other_at, other_first, other_last) in matches:
        open_passages = [each for each in growing[file, other_file] if at <= each.at + REACH][-MOST_OPEN:]
        growing[file, other_file] = open_passages
        for each in open_passages:
            if each.other_at < other_at <= each.other_at + REACH and each.at < at:
                each.at, each.last = at, last
                each.other_at, each.other_last = other_at, other_last
                each.matches += 1
                break
        else:
            new = _Passage(file, at, first, last, other_file, other_at, other_first, other_last)
            finished.append(new)
            open_passages.append(new)
    return finished


def _apart(passages: Sequence[_Passage]) -> list[_Passage]:
    """The largest first, each line of either work mostly in one."""
    passages_apart: list[_Passage] = []
    lines: set[tuple[int, int]] = set()
    others: set[tuple[int, int]] = set()
    for each in sorted(passages, key=lambda each: (-each.matches, each.file, each.first, each.other_file, each.other_first)):
        own = {(each.file, line) for line in range(each.first, each.last + 1)}
        theirs = {(each.other_file, line) for line in range(each.other_first, each.other_last + 1)}
        if _is_new(own, lines) and _is_new(theirs, others):
            passages_apart.append(each)
            lines |= own
            others |= theirs
    return passages_apart


def _is_new(lines: Set[tuple[int, int]], before: Set[tuple[int, int]]) -> bool:
    return 2 * len(lines & before) <= len(lines)


def _files_with(common: Hashes, works: Mapping[str, Fingerprints]) -> Iterator[tuple[str, int]]:
    """The names of files in which most of what is common lies, and in how many works it does."""
    counts: Counter[str] = Counter()
    for prints in works.values():
        inside = np.isin(np.frombuffer(prints.hashes, np.uint64), common)
        files = np.frombuffer(prints.places, np.int32).reshape(-1, 4)[inside][:, 0]
        counts.update({prints.files[file].rpartition("/")[2] for file in np.unique(files).tolist()})
    yield from sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_COMMON_FILES]
