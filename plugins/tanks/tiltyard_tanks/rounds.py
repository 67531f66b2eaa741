"""A whole match: ask the seats, play the round, check whether the match is over. Compiled together with ``battle``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol

from tiltyard_engine.results import SeatFault
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import TankAlgorithm
from tiltyard_tanks.battle import GET_BATTLE_INFO, Battle
from tiltyard_tanks.rules import Order, Reason, ShellCount

NO_REQUEST: Final = -1


class Watcher(Protocol):
    """Sees every round after it was played: for the output file and for replays."""

    def round_played(self, battle: Battle, requests: list[int]) -> None:
        """``requests`` holds an action number a tank, -1 where none came in this round."""
        ...


class Referee:
    """Plays one battle with its seats. ``answer`` hands one tank's view to its seat's Player.

    ``act``, for a manager whose tanks act one by one by rules of its own: does all that happens in a round
    after the tanks were asked, with ``requests`` as found here.
    """

    def __init__(
        self,
        battle: Battle,
        seats: list[TankSeat],
        handles: list[TankAlgorithm],
        max_steps: int,
        *,
        answer: Callable[[int], None],
        watcher: Watcher | None,
        act: Callable[[], None] | None = None,
    ) -> None:
        self.battle = battle
        self.seats = seats
        self.handles = handles
        self.max_steps = max_steps
        self.answer = answer
        self.watcher = watcher
        self.act = act
        self.requests: list[int] = [NO_REQUEST] * len(battle.owner)
        self.tanks: list[list[int]] = []
        """Living tanks a seat, in birth order."""
        self.living_handles: list[list[TankAlgorithm]] = []
        """Their handles."""
        self.zero_since = -1
        self.decided = False
        """At most one player has tanks left."""
        self.one_by_one = battle.rules.order == Order.ONE_BY_ONE
        self.info_at_once = battle.rules.info_at_once
        self._list_living_tanks()

    def play(self) -> Reason:
        """Play to the end and say why it ended."""
        battle = self.battle
        while True:
            reason = self.end_reason()
            if reason is not None:
                return reason
            battle.begin_round()
            if self.watcher is not None:
                self.requests = [NO_REQUEST] * len(self.requests)
            failed = self._ask_in_turn() if self.info_at_once else self._ask_seats()
            if self.act is not None:
                battle.remove(failed)
                self.act()
            elif battle.shells or battle.steps or battle.fires or battle.asks or failed or self.one_by_one:
                self._play_round(failed)
            if self.watcher is not None:
                self.watcher.round_played(battle, self.requests)
            if battle.deaths:
                self._list_living_tanks()

    def _list_living_tanks(self) -> None:
        battle = self.battle
        self.decided = battle.players_left() <= 1
        self.tanks = [[] for _ in self.seats]
        self.living_handles = [[] for _ in self.seats]
        for tank in range(len(battle.owner)):
            if not battle.died[tank]:
                seat = battle.owner[tank] - 1
                self.tanks[seat].append(tank)
                self.living_handles[seat].append(self.handles[tank])

    def end_reason(self) -> Reason | None:
        """Why the battle is over now, between two rounds; None: it isn't."""
        battle = self.battle
        if self.decided:
            return Reason.ALL_TANKS_DEAD
        if battle.round >= self.max_steps:
            return Reason.MAX_STEPS
        if battle.round and not battle.shells_left:
            rules = battle.rules
            count = rules.zero_shells_count
            if count == ShellCount.NEVER or (count == ShellCount.ALL and battle.shells_lost):
                return None
            if self.zero_since < 0:
                self.zero_since = battle.round
            if battle.round - self.zero_since >= rules.zero_shells_rounds:
                return Reason.ZERO_SHELLS
        return None

    def _ask_seats(self) -> list[int]:
        """All living tanks are asked before anything happens, so a seat can be asked at once.

        The tanks of seats that failed are returned; their requests are not judged.
        """
        battle = self.battle
        failed: list[int] = []
        all_tanks = self.tanks
        for position in range(len(all_tanks)):
            tanks = all_tanks[position]
            if not tanks:
                continue
            try:
                answers: Any = self.seats[position].get_actions(self.living_handles[position])
            except SeatFault as fault:
                failed.extend(tanks)
                for tank, answer in zip(tanks, fault.answers):
                    if isinstance(answer, int):
                        self.requests[tank] = answer
                continue
            # ActionRequests are integers, and seats mostly answer with a list: no copy is needed.
            requests: list[int] = answers if isinstance(answers, list) else list(answers)
            if self.watcher is not None or self.one_by_one:
                for index in range(len(tanks)):
                    self.requests[tanks[index]] = requests[index]
            if not self.one_by_one:
                battle.judge(tanks, requests)
        return failed

    def _ask_in_turn(self) -> list[int]:
        """Tank by tank in birth order; a GetBattleInfo that is not ignored is answered before the next is asked."""
        battle = self.battle
        battle.look()
        failed: list[int] = []
        for tank in range(len(battle.owner)):
            if battle.died[tank] or tank in failed:
                continue
            seat = battle.owner[tank] - 1
            try:
                request: int = self.handles[tank].get_action()
                self.requests[tank] = request
                if request == GET_BATTLE_INFO and battle.phase[tank] in (0, 3):
                    self.answer(tank)
            except SeatFault:
                failed.extend(self.tanks[seat])
        for tank in range(len(battle.owner)):
            if not battle.died[tank] and tank not in failed and not self.one_by_one:
                battle.judge([tank], [self.requests[tank]])
        battle.asks = []
        return failed

    def _play_round(self, failed: list[int]) -> None:
        battle = self.battle
        one_by_one = self.one_by_one
        if battle.asks or one_by_one:
            battle.asks.sort()
            battle.look()
        # Not before the look: a view shows the end of the previous round.
        if failed:
            battle.remove(failed)
        if one_by_one:
            for tank in range(len(battle.owner)):
                if not battle.died[tank]:
                    battle.act_alone(tank, self.requests[tank])
            if self.info_at_once:
                battle.asks = []
        else:
            battle.first_half()
        if battle.rules.ends_mid_round and battle.deaths and battle.players_left() <= 1:
            return
        if battle.asks:
            self.answer_asks()
        battle.second_half()

    def answer_asks(self) -> None:
        """In birth order; tanks killed in the first half-step get no answer, a faulted team's tanks vanish."""
        battle = self.battle
        for tank in battle.asks:
            if battle.died[tank]:
                continue
            try:
                self.answer(tank)
            except SeatFault:
                battle.remove(self.tanks[battle.owner[tank] - 1])
