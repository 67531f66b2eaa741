"""What a comparison of works found: figures and places, and no judgement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

MOST_NAMED: Final = 3
"""In one line."""


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """Where two works are the same. Lines count from 1, and the last one belongs to it."""

    file: str
    first: int
    last: int
    other_file: str
    other_first: int
    other_last: int


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """Two works with much that is the same."""

    team: str
    other: str
    share: float
    """The part of the first work that is in the other too, from 0 to 1, without what was left out of both."""
    other_share: float
    """The part of the other work."""
    passages: tuple[Passage, ...] = ()
    """The largest ones."""
    more_passages: int = 0

    @property
    def larger(self) -> float:
        """The larger share, by which pairs are chosen."""
        return max(self.share, self.other_share)


class Likeness(msgspec.Struct, frozen=True, kw_only=True):
    """The works of a class, compared with each other. Teams are called by the names of their files."""

    compared: int = 0
    pairs: tuple[Pair, ...] = ()
    """Those with the most in common first."""
    more_pairs: Mapping[str, int] = {}
    """How many further pairs of a team aren't among them."""
    common_files: tuple[tuple[str, int], ...] = ()
    """Where what most works have was left out: names of files, and in how many works."""
    left_out: Mapping[str, float] = {}
    """By team, the part of its work that was given code or that most have."""
    given: str = ""
    """Where the given code lies."""
    not_compared: tuple[tuple[str, str], ...] = ()
    """Teams with what wasn't compared, and why."""

    @property
    def count(self) -> int:
        """How many pairs there are, also those that aren't shown."""
        return len(self.pairs) + sum(self.more_pairs.values()) // 2

    def words_of(self, labels: Mapping[str, str]) -> dict[str, str]:
        """A few words for each team that is in a pair.

        Args:
            labels: what teams are called for people.
        """
        pairs: dict[str, list[tuple[float, str]]] = {}
        for pair in self.pairs:
            for team, other, share in ((pair.team, pair.other, pair.share), (pair.other, pair.team, pair.other_share)):
                pairs.setdefault(team, []).append((-share, f"{labels.get(other, other)} ({percent(share)})"))
        phrases: dict[str, str] = {}
        for team, others in pairs.items():
            names = [name for _, name in sorted(others)]
            more = len(names[MOST_NAMED:]) + self.more_pairs.get(team, 0)
            phrases[team] = f"the same as in {', '.join(names[:MOST_NAMED])}{f' and {more} more' if more else ''}"
        return phrases


def percent(share: float) -> str:
    """A share for people. Only what is whole is 100 %."""
    return f"{int(100 * share)} %"
