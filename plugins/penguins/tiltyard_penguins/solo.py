"""Alone on a piece of ice: no one else can come there, so only the way counts on which most of its fish are taken.

A beam search: after each move the best few of all states are kept. The whole of a dead end can be had by sliding to its end
first and walking back, so slides of all lengths are tried.
"""

from __future__ import annotations

from typing import Final

from tiltyard_penguins.search import Budget, OutOfWorkError, Step, steps_of
from tiltyard_penguins.territory import Ice, region

WIDEST: Final = 200
"""States that are kept at most."""


def find_way(ice: Ice, penguins: int, floes: int, budget: Budget) -> tuple[int, list[Step]]:
    """Fish that can be taken on these floes, and the moves by which they are; not always the most that there are.

    The widths double until the budget is used up.
    """
    best = (-1, list[Step]())
    whole = ice.fish(region(penguins, floes, ice.stride) if floes else 0)
    width = 1
    while width <= WIDEST and best[0] < whole:
        try:
            way = _beam(ice, penguins, floes, budget, width)
        except OutOfWorkError:
            break
        if way[0] > best[0]:
            best = way
        width *= 2
    return best if best[1] else (0, _greedily(ice, penguins, floes))


def _greedily(ice: Ice, penguins: int, floes: int) -> list[Step]:
    """One move, where not even one way was found in time."""
    steps = steps_of(penguins, floes, ice.stride)
    return [max(steps, key=lambda step: ice.fish(step[1]))] if steps else []


def _beam(ice: Ice, penguins: int, floes: int, budget: Budget, width: int) -> tuple[int, list[Step]]:
    stride = ice.stride
    states: list[tuple[int, int, int, tuple[object, ...]]] = [(0, penguins, floes, ())]
    """Fish taken, penguins, floes, and the moves as a chain from the last to the first."""
    best: tuple[int, tuple[object, ...]] = (0, ())
    while states:
        next_states: dict[tuple[int, int], tuple[int, int, int, tuple[object, ...]]] = {}
        for fish, own, free, chain in states:
            for step in steps_of(own, free, stride):
                origin, target = step
                now, free_after = own ^ origin ^ target, free ^ target
                if (now, free_after) in next_states:
                    continue
                budget.take()
                fish_after = fish + ice.fish(target)
                if fish_after > best[0]:
                    best = (fish_after, (step, chain))
                near = region(now, free_after, stride)
                value = 16 * (fish_after + ice.fish(near)) - _ends(near, now, stride)
                next_states[now, free_after] = (value, fish_after, free_after, (step, chain))
        ranked = sorted(next_states.items(), key=lambda item: -item[1][0])[:width]
        states = [(fish_after, now, free_after, chain) for (now, free_after), (_, fish_after, _, chain) in ranked]
    return best[0], _unroll(best[1])


def _ends(near: int, penguins: int, stride: int) -> int:
    """Floes with at most one neighbour: from each of them but the last one there is no way on."""
    ground = near | penguins
    one = two = 0
    for side in (ground << 1, ground >> 1, ground << stride, ground >> stride):
        two |= one & side
        one |= side
    return (near & ~two).bit_count()


def _unroll(chain: tuple[object, ...]) -> list[Step]:
    steps: list[Step] = []
    while chain:
        step, chain = chain  # type: ignore[assignment]
        steps.append(step)  # type: ignore[arg-type]
    return steps[::-1]
