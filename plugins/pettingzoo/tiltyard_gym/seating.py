"""Who sits where: the match that an environment plays again and again, from what its user named."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from tiltyard_engine.errors import NotFoundError, UserError
from tiltyard_engine.host import HostMatch, find_host, own_player
from tiltyard_engine.learning import TankEncoding, TurnEncoding
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import GameEncoding, check_players, usual_players
from tiltyard_engine.rules import Rules
from tiltyard_engine.seat_kinds.seat_ports import SeatPort
from tiltyard_gym.board import BoardRecorder
from tiltyard_gym.match_thread import MatchThread
from tiltyard_gym.rules_encoding import RulesEncoding

LARGEST_SEED: Final = 2**31
RANKS: Final = "ranks"
LEAD: Final = "lead"
REWARDS: Final = (RANKS, "scores", LEAD)
RENDER_MODES: Final = ("ansi", "human", "rgb_array")


class Seating:
    """A match that can be played with any seed, and the thread that plays it. For arguments and errors see ``tiltyard_gym.env``."""

    def __init__(
        self,
        game: str,
        map_text: str,
        opponents: Mapping[int, str],
        players: int,
        *,
        manager: str,
        rewards: str,
        render_mode: str | None,
        trust: Sequence[str] = (),
    ) -> None:
        if rewards not in REWARDS:
            raise NotFoundError("reward", rewards, REWARDS)
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise NotFoundError("render mode", render_mode, RENDER_MODES)
        self.rewards = rewards
        self.render_mode = render_mode
        self._host = find_host(trust=trust)
        self.game = self._host.find_game(game)
        if not isinstance(self.game.encoding, TurnEncoding | TankEncoding) and not isinstance(self.game.rules, Rules):
            raise UserError(
                f"the game {game} doesn't say what its observations and actions are, and states no rules, so no agents can be"
                " trained in it: give its Game rules, or an encoding"
            )
        map_file = self._host.find_map(map_text, game)
        self.players = players or map_file.seats or usual_players(self.game)
        check_players(self.game, self.players)
        seats = range(1, self.players + 1)
        strange = [seat for seat in opponents if seat not in seats]
        if strange:
            raise UserError(f"there is no seat {strange[0]} for '{opponents[strange[0]]}': the seats are 1 to {self.players}")
        self.agents = tuple(seat for seat in seats if seat not in opponents)
        """Their seats."""
        if not self.agents:
            raise UserError("every seat has an opponent: leave at least one to an agent")
        self.board: Any = self.game.maps.read(map_file.name, map_file.data, self.players)
        self._encodings: dict[int, GameEncoding | None] = dict.fromkeys(seats, self.game.encoding)
        if isinstance(self.game.rules, Rules) and self.game.encoding is None:
            derived = RulesEncoding(self.game.rules, self.board, self.players)
            self._encodings |= {seat: derived.at(seat) for seat in seats}
        by_seat = {seat: self._host.find_player(text, game) for seat, text in opponents.items()}
        self._match = HostMatch(
            game=game,
            manager=self._host.find_manager(manager, game),
            map_name=map_file.name,
            map_data=map_file.data,
            players=tuple(by_seat[seat] if seat in by_seat else own_player(f"agent {seat}", game) for seat in seats),
        )
        form = self.encoding(self.agents[0]).spaces(self.board)
        kind: Any = np.float32 if form.fractions else np.uint8
        self.box = spaces.Box(form.low, form.high, form.shape, kind)
        """All observations are in it."""
        self.actions = form.actions
        """How many there are."""
        self._seeds = random.Random()
        self.thread = MatchThread(self._host.close)

    @property
    def has_tanks(self) -> bool:
        """Whether each agent is a tank, and all act at once."""
        return isinstance(self.game.encoding, TankEncoding)

    def encoding(self, seat: int) -> Any:
        """That of an agent: the game's own, or the one that follows from its rules."""
        return self._encodings[seat]

    @property
    def metadata(self) -> dict[str, Any]:
        """As PettingZoo wants it. Its name has an underscore where that of a game in a family has a slash."""
        return {"name": f"{self.game.name.replace('/', '_')}_v0", "render_modes": list(RENDER_MODES), "is_parallelizable": False}

    def begin(self, seed: int | None, ports: Mapping[int, SeatPort], recorder: BoardRecorder) -> Any:
        """Begin a match; what it returns and raises is that of ``MatchThread.begin``.

        Args:
            seed: of this match, and of the seeds of those after it that get None.
            ports: to the agents' seats.
            recorder: gets the match.
        """
        if seed is not None:
            self._seeds.seed(seed)
        match = replace(self._match, seed=self._seeds.randrange(LARGEST_SEED))
        return self.thread.begin(partial(self._host.play_with, match, ports, recorder))

    def growth(self, before: tuple[float, ...], after: tuple[float, ...]) -> dict[int, float]:
        """By seat of an agent, the reward for scores that grew."""
        if self.rewards == RANKS or len(after) != self.players:
            return dict.fromkeys(self.agents, 0.0)
        grown = [new - old for new, old in zip(after, before or (0.0,) * self.players)]
        if self.rewards == LEAD:
            others = max(1, self.players - 1)
            grown = [own - (sum(grown) - own) / others for own in grown]
        return {seat: grown[seat - 1] for seat in self.agents}

    def last_rewards(self, before: tuple[float, ...], record: PlayedMatch) -> dict[int, float]:
        """By seat of an agent, the reward for the end of a match."""
        if self.rewards != RANKS:
            return self.growth(before, record.claim.scores)
        ranks, others = record.ranks, max(1, self.players - 1)
        return {seat: sum((rank > ranks[seat - 1]) - (rank < ranks[seat - 1]) for rank in ranks) / others for seat in self.agents}

    def info_of(self, seat: int, record: PlayedMatch) -> dict[str, Any]:
        """What an agent learns about the end of a match: its rank, the result, and its fault if it has one."""
        info: dict[str, Any] = {"rank": record.ranks[seat - 1], "message": record.message}
        faults = [fault.message for fault in record.faults if fault.seat == seat]
        return info | ({"fault": faults[0]} if faults else {})
