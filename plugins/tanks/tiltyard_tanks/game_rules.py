"""Tanks by the engine's contract for rules, for people who play by hand and for whatever looks ahead. The referee is ``manager``.

All tanks are asked at once, each seat for one tank after the other in birth order; when every tank has its request, the round is
played. Whoever plays by these rules sees the whole battle, where a tank in a match sees what it asks for.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any, Final

from tiltyard_engine.replay.panels import TextPanel
from tiltyard_engine.rules import Ending, Picture, Rules
from tiltyard_engine.tanks import ActionRequest
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.manager import claim
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.rounds import Referee
from tiltyard_tanks.rules import REFERENCE, Reason

CHANGING: Final = (
    *("ground", "shells", "resting", "square", "tank_at", "heading", "ammo", "ready", "phase", "died", "round", "steps", "fires"),
    *("asks", "ignored", "deaths", "living", "shells_left", "shells_lost"),
)
"""What a round changes in a battle."""
NOBODY: Final[Any] = None
"""Stands for seats and tanks where only the battle is looked at."""
HEADINGS: Final = ("up", "up right", "right", "down right", "down", "down left", "left", "up left")
NO_REQUESTS: Final[Mapping[int, ActionRequest]] = MappingProxyType({})


class TanksState:
    """A battle, which nobody changes, and what was asked for in its next round until now."""

    __slots__ = ("battle", "board", "failed", "reason", "requests", "zero_since")

    def __init__(
        self,
        board: TankMap,
        battle: Battle,
        *,
        requests: Mapping[int, ActionRequest] = NO_REQUESTS,
        failed: frozenset[int] = frozenset(),
        reason: Reason | None = None,
        zero_since: int = -1,
    ) -> None:
        self.board, self.battle, self.requests = board, battle, requests
        self.failed = failed
        """Seats that lose their tanks in this round."""
        self.reason = reason
        """Why it is over; None: it goes on."""
        self.zero_since = zero_since
        """The round since which nobody has shells; -1: somebody has."""

    def next_tank(self, seat: int) -> int | None:
        """The tank of a seat that is asked next; None: there is none in this round."""
        return next((tank for tank in self.asked_tanks() if self.battle.owner[tank] == seat and tank not in self.requests), None)

    def asked_tanks(self) -> list[int]:
        """All that live and whose seats haven't failed."""
        battle = self.battle
        return [tank for tank, owner in enumerate(battle.owner) if not battle.died[tank] and owner not in self.failed]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TanksState) or self._key() != other._key():
            return False
        return all(getattr(self.battle, name) == getattr(other.battle, name) for name in CHANGING)

    def _key(self) -> tuple[Any, ...]:
        return self.board, self.requests, self.failed, self.reason

    def __hash__(self) -> int:
        return hash((self.battle.round, *self.battle.square))

    def __deepcopy__(self, memo: object) -> TanksState:
        battle, requests = copied(self.board, self.battle), dict(self.requests)
        return TanksState(self.board, battle, requests=requests, failed=self.failed, reason=self.reason, zero_since=self.zero_since)


def copied(board: TankMap, battle: Battle) -> Battle:
    """A battle that can be changed without changing this one."""
    other = Battle(board.grid, board.num_shells, battle.players, battle.rules)
    for name in CHANGING:
        setattr(other, name, copy.copy(getattr(battle, name)))
    return other


def after_answers(state: TanksState, requests: Mapping[int, ActionRequest], failed: frozenset[int]) -> TanksState:
    """The state with these requests; if all tanks have one, after the round."""
    state = TanksState(state.board, state.battle, requests=requests, failed=failed, zero_since=state.zero_since)
    tanks = state.asked_tanks()
    if any(tank not in requests for tank in tanks):
        return state
    battle = copied(state.board, state.battle)
    battle.begin_round()
    battle.judge(tanks, [requests[tank] for tank in tanks])
    battle.remove([tank for tank, owner in enumerate(battle.owner) if owner in failed])
    battle.first_half()
    battle.second_half()
    return _between_rounds(state.board, battle, state.zero_since)


def _between_rounds(board: TankMap, battle: Battle, zero_since: int) -> TanksState:
    """The state between two rounds."""
    referee = Referee(battle, [NOBODY] * battle.players, [NOBODY] * len(battle.owner), board.max_steps, answer=print, watcher=None)
    referee.zero_since = zero_since
    reason = referee.end_reason()
    return TanksState(board, battle, reason=reason, zero_since=referee.zero_since)


class TanksRules(Rules[TanksState, ActionRequest]):
    """The reference rules; a round is what ``battle`` makes of the tanks' requests."""

    most_moves = 1_000_000

    def start(self, board: TankMap, seats: int, chance: Random) -> TanksState:
        return _between_rounds(board, Battle(board.grid, board.num_shells, seats, REFERENCE), -1)

    def to_move(self, position: TanksState) -> Sequence[int]:
        return [seat for seat in range(1, position.battle.players + 1) if position.next_tank(seat) is not None]

    def legal(self, position: TanksState, seat: int) -> Sequence[ActionRequest]:
        return tuple(ActionRequest)

    def play(self, position: TanksState, answers: Mapping[int, ActionRequest], chance: Random) -> TanksState:
        requests = dict(position.requests)
        for seat, answer in answers.items():
            tank = position.next_tank(seat)
            assert tank is not None
            requests[tank] = answer
        return after_answers(position, requests, position.failed)

    def outcome(self, position: TanksState) -> Ending | None:
        if position.reason is None:
            return None
        result = claim(position.battle, position.reason, position.board.max_steps, None)
        return Ending(result.ranks, result.reason, result.message, result.rounds)

    def scores(self, position: TanksState) -> Sequence[int]:
        return position.battle.living[1:]

    def without(self, position: TanksState, seat: int) -> TanksState:
        return after_answers(position, position.requests, position.failed | {seat})

    def draw(self, position: TanksState, names: Sequence[str]) -> Picture | None:
        return None if position.requests else _picture(position.battle)

    def draw_view(self, view: TanksState, seat: int, names: Sequence[str]) -> Picture:
        battle, tank = view.battle, view.next_tank(seat)
        picture = _picture(battle)
        if tank is None:
            return picture
        y, x = divmod(battle.square[tank], battle.width)
        wait = max(0, battle.ready[tank] - battle.round - 1)
        lines = [
            f"it is at {x} {y}, heading {HEADINGS[battle.heading[tank]]}",
            f"shells: {battle.ammo[tank]}, ready in {wait} rounds",
        ]
        return Picture(picture.rows, [TextPanel(f"tank {tank + 1} is asked", lines, seat=seat)])

    def to_text(self, answer: ActionRequest, position: TanksState, seat: int) -> str:
        return answer.name.lower().replace("_", " ")


def _picture(battle: Battle) -> Picture:
    tokens = [battle.token(square) for square in range(len(battle.ground))]
    return Picture([tokens[start : start + battle.width] for start in range(0, len(tokens), battle.width)])
