"""Games that only repeat others: where neither teams nor game use chance, a further seed shows the same game again.

Such a game is no further evidence, however often it is played. Judged by digests of how matches went.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from tiltyard_engine.data_classes import dataclass

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class GameDigest:
    """Who played where, and how it went."""

    seats: tuple[Hashable, ...]
    """Teams, seat 1 first."""
    map: Hashable
    digest: str
    """Equal for two matches that went the same way. Empty: not known, and then nothing is taken for a repeat."""


def repeats_itself(games: Iterable[GameDigest]) -> bool:
    """Whether the games of a pair, or larger group, go the same way whatever the seed, so that more of them would tell nothing.

    All games in the same seats on the same map are equal, and there is more than one of some. So two games that are
    alike by chance are no repeats where others differ.
    """
    digests: dict[tuple[tuple[Hashable, ...], Hashable], list[str]] = {}
    for game in games:
        digests.setdefault((game.seats, game.map), []).append(game.digest)
    same = all(len(set(values)) == 1 and values[0] for values in digests.values())
    return same and any(len(values) > 1 for values in digests.values())


def without_repeats(games: Sequence[T], digest: Callable[[T], GameDigest]) -> list[T]:
    """The games, and of a group that repeats itself each game only once, the first one; in their order."""
    groups: dict[frozenset[Hashable], list[int]] = {}
    digests = [digest(game) for game in games]
    for number, one in enumerate(digests):
        groups.setdefault(frozenset(one.seats), []).append(number)
    selection: list[int] = []
    for numbers in groups.values():
        if repeats_itself(digests[number] for number in numbers):
            # The first of equals comes last here, and stays.
            selection += {(digests[number].seats, digests[number].map): number for number in reversed(numbers)}.values()
        else:
            selection += numbers
    return [games[number] for number in sorted(selection)]
