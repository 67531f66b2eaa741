"""Players of every game that states its rules: one at random, one that looks a move ahead, one that plays games out in its head.

They get what a team gets, a view, and look ahead from a position that fits it (``Rules.guess``). The same views in the same order
give the same answers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tiltyard_engine.rules.contract import Ending, Rules
from tiltyard_engine.turns import TurnAlgorithm

SAMPLES: Final = 12
"""Answers that are looked at where there are too many to list."""
PLAYOUTS: Final = 200
"""Games that ``mcts`` plays out for each answer."""
HORIZON: Final = 200
"""Moves after which a game that is played out is judged by its scores."""
EXPLORATION: Final = math.sqrt(0.5)
"""The weight of what was tried seldom, for values from 0 to 1 (Kocsis and Szepesvári, 2006)."""


def choices(rules: Rules[Any, Any], position: Any, seat: int, chance: Random) -> Sequence[Any]:
    """The answers to look at: all legal ones, or some of them where the game can't list all."""
    if rules.lists_answers:
        return rules.legal(position, seat)
    return [rules.sample(position, seat, chance) for _ in range(SAMPLES)]


def values(rules: Rules[Any, Any], position: Any, ending: Ending | None) -> Sequence[float]:
    """How good a position with this outcome is for each seat: the share of the others that it is ahead of, equal ones by half.

    Empty where the position says nothing about that.
    """
    orders: Sequence[float] = [-rank for rank in ending.ranks] if ending is not None and ending.ranks else rules.scores(position)
    others = len(orders) - 1
    if others < 1:
        return ()
    return [(sum((own > other) + (own == other) / 2 for other in orders) - 0.5) / others for own in orders]


def mark(answer: Any) -> Any:
    """What stands for an answer in a table: the answer itself, or its text where it can't be a key."""
    try:
        hash(answer)
    except TypeError:
        return repr(answer)
    return answer


class RandomPlayer(TurnAlgorithm[Any, Any]):
    """Gives any legal answer."""

    def __init__(self, rules: Rules[Any, Any], seat: int) -> None:
        self.rules, self.seat, self.chance = rules, seat, Random(seat)

    def choose(self, position: Any) -> Any:
        """The answer for this turn."""
        return self.rules.sample(self.rules.guess(position, self.seat, self.chance), self.seat, self.chance)


class GreedyPlayer(RandomPlayer):
    """Looks one move ahead: wins if it can, else takes the best score. Of equal answers it takes any."""

    def choose(self, position: Any) -> Any:
        """The answer for this turn."""
        rules, seat, chance = self.rules, self.seat, self.chance
        state = rules.guess(position, seat, chance)
        others = {mover: rules.sample(state, mover, chance) for mover in rules.to_move(state) if mover != seat}
        answers = list(choices(rules, state, seat, chance))
        worth = [self._worth(rules.play(state, {**others, seat: answer}, chance)) for answer in answers]
        best = max(worth)
        return chance.choice([answer for answer, each in zip(answers, worth, strict=True) if each == best])

    def _worth(self, position: Any) -> tuple[float, float]:
        """A victory is worth more than any score, and a defeat less."""
        scores, seat = self.rules.scores(position), self.seat
        others = [score for other, score in enumerate(scores, start=1) if other != seat]
        lead = scores[seat - 1] - max(others) if others else 0.0
        ending = self.rules.outcome(position)
        worth = () if ending is None else values(self.rules, position, ending)
        return (worth[seat - 1] if worth else 0.5), lead


class Node:
    """What is known of the positions that some moves lead to: how often each seat gave each answer there, and what came of it."""

    __slots__ = ("after", "visits", "worth")

    def __init__(self) -> None:
        self.after: dict[Any, Node] = {}
        self.visits: dict[tuple[int, Any], int] = {}
        self.worth: dict[tuple[int, Any], float] = {}


class TreePlayer(RandomPlayer):
    """Monte Carlo tree search (UCT), with a number of playouts for each answer and no clock: the same everywhere.

    The tree's branches are moves and not positions, so that it holds for games with chance, and for hidden ones from a new guess
    for each playout. Where several answer at once, each chooses by its own figures.
    """

    playouts = PLAYOUTS

    def choose(self, position: Any) -> Any:
        """The answer for this turn."""
        rules, seat, chance = self.rules, self.seat, self.chance
        root = Node()
        options: Sequence[Any] = ()
        for _ in range(self.playouts):
            state = rules.guess(position, seat, chance)
            options = options or choices(rules, state, seat, chance)
            if len(options) == 1:
                return options[0]
            self._play_out(root, state, options)
        return max(options, key=lambda answer: root.visits.get((seat, mark(answer)), 0))

    def _play_out(self, root: Node, state: Any, options: Sequence[Any]) -> None:
        """Go down the tree to a node that is new, play on from there at random, and note the result on the way."""
        rules, chance = self.rules, self.chance
        path: list[tuple[Node, list[tuple[int, Any]]]] = []
        node, is_new = root, False
        while not is_new and len(path) < HORIZON and rules.outcome(state) is None:
            answers: dict[int, Any] = {}
            for mover in rules.to_move(state):
                offered = options if node is root and mover == self.seat else choices(rules, state, mover, chance)
                answers[mover] = self._pick(node, mover, offered)
            marks = [(mover, mark(answer)) for mover, answer in answers.items()]
            path.append((node, marks))
            state = rules.play(state, answers, chance)
            key = tuple(marks)
            is_new = key not in node.after
            node = node.after.setdefault(key, Node())
        ending, moves = rules.outcome(state), 0
        while ending is None and moves < HORIZON:
            state = rules.play(state, {mover: rules.sample(state, mover, chance) for mover in rules.to_move(state)}, chance)
            ending, moves = rules.outcome(state), moves + 1
        worth = values(rules, state, ending)
        for passed, marks in path:
            for mover, answer in marks:
                passed.visits[mover, answer] = passed.visits.get((mover, answer), 0) + 1
                passed.worth[mover, answer] = passed.worth.get((mover, answer), 0.0) + (worth[mover - 1] if worth else 0.5)

    def _pick(self, node: Node, mover: int, offered: Sequence[Any]) -> Any:
        """An answer that was not tried here yet, or the one whose figures promise most."""
        visits, worth = node.visits, node.worth
        keys = [(mover, mark(answer)) for answer in offered]
        untried = [answer for answer, key in zip(offered, keys) if key not in visits]
        if untried:
            return self.chance.choice(untried)
        total = math.log(sum(visits[key] for key in keys))
        promises = [worth[key] / visits[key] + EXPLORATION * math.sqrt(total / visits[key]) for key in keys]
        return offered[promises.index(max(promises))]
