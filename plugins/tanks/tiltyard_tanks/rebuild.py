"""Rebuild a game from its output file, whoever wrote it, and find the first line that breaks the rules.

The lines play the game once more: they are the script of its seats, the real rules and the real round loop
do the rest, and what comes out is compared line by line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tiltyard_engine.errors import LogError, NotFoundError
from tiltyard_engine.replay import Replay, ReplayRecorder
from tiltyard_engine.results import SeatFault, Termination
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ACTION_TITLES, ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.manager import BattleWatcher, claim
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.output import round_actions
from tiltyard_tanks.rounds import Referee
from tiltyard_tanks.rules import DIALECTS

ACTIONS: Final = {title: ActionRequest(number) for number, title in enumerate(ACTION_TITLES)}
KILLED: Final = "killed"


def read_log(tank_map: TankMap, text: str, rules_name: str = "reference") -> Replay:
    """The game on ``tank_map`` whose output file is ``text``, by the rules of a dialect.

    Line ends of any kind, spaces at the end of lines and around commas, and empty lines at the end are no matter.

    Raises:
        LogError: names the first line that breaks the rules, and how; its ``replay`` holds the game up to there.
        NotFoundError: no dialect has this name.
    """
    if rules_name not in DIALECTS:
        raise NotFoundError("tank dialect", rules_name, DIALECTS)
    rules = DIALECTS[rules_name][0]
    battle = Battle(tank_map.grid, tank_map.num_shells, tank_map.players, rules)
    script = _Script(_lines(text), battle)
    recorder = ReplayRecorder("tanks", [f"player {player}" for player in range(1, tank_map.players + 1)], tank_map.title)
    watcher = _Comparison(script, battle, recorder)
    handles: list[TankAlgorithm] = [_ScriptedTank(script, tank) for tank in range(len(battle.owner))]
    seats: list[TankSeat] = [_ScriptedSeat(player, script) for player in range(1, tank_map.players + 1)]
    referee = Referee(battle, seats, handles, tank_map.max_steps, _tell_nobody, watcher)
    try:
        reason = referee.play()
        message = claim(battle, reason, tank_map.max_steps, None).message
        script.check_end(message)
    except LogError as error:
        error.replay = recorder.replay
        raise
    recorder.replay.message = message
    return recorder.replay


def _lines(text: str) -> list[str]:
    """The file's lines without the spaces at their ends, and without empty ones after the last."""
    lines = [line.strip() for line in text.rstrip().splitlines()]
    return lines if lines != [""] else []


def _is_result(line: str) -> bool:
    """Whether a line says how the game ended; no action begins like this."""
    return line.startswith(("Player ", "Tie"))


@dataclass(frozen=True, slots=True)
class _Entry:
    """What a line says of one tank."""

    action: ActionRequest | None
    """None: dead since an earlier round."""
    ignored: bool = False
    killed: bool = False


def _read_entry(text: str) -> _Entry | None:
    """One tank's part of a line; None if it is nothing that a manager writes."""
    if text == KILLED:
        return _Entry(None)
    parts = re.fullmatch(r"(\w+)(\s*\(ignored\))?(\s*\(killed\))?", text)
    if parts is None or parts[1] not in ACTIONS:
        return None
    return _Entry(ACTIONS[parts[1]], parts[2] is not None, parts[3] is not None)


class _Script:
    """The output file as the players' script. Its errors speak of the line that is being played."""

    def __init__(self, lines: Sequence[str], battle: Battle) -> None:
        self._lines = lines
        self._battle = battle
        self._read = 0
        self._entries: list[_Entry] = []

    def action(self, tank: int) -> ActionRequest:
        """What a living tank asks for in this round."""
        if self._read != self._battle.round:
            self._read = self._battle.round
            self._entries = self._read_line()
        action = self._entries[tank].action
        assert action is not None
        return action

    def _read_line(self) -> list[_Entry]:
        number = self._battle.round
        if number > len(self._lines):
            raise LogError(number, f"the file ends here, but by the rules the game goes on after round {number - 1}")
        line = self._lines[number - 1]
        if _is_result(line):
            raise LogError(number, f"the game ends here with '{line}', but by the rules it goes on after round {number - 1}")
        parts = [part.strip() for part in line.split(",")]
        tanks = len(self._battle.owner)
        if len(parts) != tanks:
            raise LogError(number, f"expected the actions of {tanks} tanks, found {len(parts)}: '{line[:80]}'")
        entries: list[_Entry] = []
        for tank, part in enumerate(parts):
            entry = _read_entry(part)
            if entry is None:
                raise self.error(tank, f"'{part[:40]}' is no action; known are {', '.join(ACTION_TITLES)}")
            died = self._battle.died[tank]
            if entry.action is None and not died:
                raise self.error(tank, "is dead before this round, but by the rules it lives")
            if entry.action is not None and died:
                raise self.error(tank, f"acts, but by the rules it was killed in round {died}")
            entries.append(entry)
        return entries

    def compare(self, requests: list[int]) -> None:
        """Hold what the rules made of this round against what its line says."""
        battle = self._battle
        ruled = round_actions(battle, requests)
        for tank, entry in enumerate(self._entries):
            if entry.action is None:
                continue
            ignored = tank in battle.ignored
            killed = battle.died[tank] == battle.round
            if entry.ignored and not ignored:
                raise self.error(tank, f"is ignored, but the rules perform it: expected '{ruled[tank]}'")
            if ignored and not entry.ignored:
                raise self.error(tank, f"is performed, but the rules ignore it: expected '{ruled[tank]}'")
            if entry.killed and not killed:
                hint = "; a team that fails loses all its tanks at once" if self._all_lost(battle.owner[tank]) else ""
                raise self.error(tank, f"is killed, but by the rules it lives: expected '{ruled[tank]}'{hint}")
            if killed and not entry.killed:
                raise self.error(tank, f"lives, but by the rules it is killed: expected '{ruled[tank]}'")

    def _all_lost(self, player: int) -> bool:
        own = [entry for entry, owner in zip(self._entries, self._battle.owner) if owner == player]
        return all(entry.killed or entry.action is None for entry in own)

    def check_end(self, message: str) -> None:
        """After the last round: the next line is the result, and nothing follows."""
        number = self._battle.round + 1
        if number > len(self._lines):
            raise LogError(number, f"the file ends without its result line: expected '{message}'")
        line = self._lines[number - 1]
        if not _is_result(line):
            raise LogError(number, f"the game goes on here, but by the rules it is over: expected '{message}'")
        if re.sub(r"\s*,\s*", ", ", line) != message:
            raise LogError(number, f"the result is '{line}', but by the rules '{message}'")
        if number < len(self._lines):
            raise LogError(number + 1, f"nothing may follow the result line, found '{self._lines[number][:80]}'")

    def error(self, tank: int, message: str) -> LogError:
        """An error in this round's line about one tank."""
        owner = self._battle.owner
        own_number = owner[: tank + 1].count(owner[tank])
        where = f"column {tank + 1} (tank {own_number} of player {owner[tank]})"
        written = self._lines[self._battle.round - 1].split(",")[tank].strip()
        return LogError(self._battle.round, f"{where}, '{written[:40]}': {message}")


class _ScriptedTank(TankAlgorithm):
    def __init__(self, script: _Script, tank: int) -> None:
        self._script = script
        self._tank = tank

    def get_action(self) -> ActionRequest:
        return self._script.action(self._tank)

    def update_battle_info(self, info: BattleInfo) -> None:
        """The file knows already what the tank will do."""


class _Silent(Player):
    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        """Nobody needs to be told."""


class _ScriptedSeat(TankSeat):
    """A seat that reads its tanks' actions from the file."""

    def __init__(self, index: int, script: _Script) -> None:
        self.index = index
        self.name = f"player {index}"
        self.fault = None
        self.player = _Silent(index, 0, 0, 0, 0)
        self._script = script

    def charge(self, termination: Termination, message: str) -> SeatFault:
        raise AssertionError("a file cannot fail as a seat does")

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        raise AssertionError("the tanks of a file are made in birth order")

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        return [tank.get_action() for tank in tanks]


def _tell_nobody(tank: int) -> None:
    """The answer to GetBattleInfo."""


class _Comparison(BattleWatcher):
    """Records each round as the rules play it, then compares it with its line."""

    def __init__(self, script: _Script, battle: Battle, recorder: ReplayRecorder) -> None:
        super().__init__(battle, recorder, verbose=False)
        self._script = script
        self._frames = recorder.replay.frames

    def round_played(self, battle: Battle, requests: list[int]) -> None:
        super().round_played(battle, requests)
        try:
            self._script.compare(requests)
        except LogError as error:
            self._frames[-1] = replace(self._frames[-1], notes=(*self._frames[-1].notes, str(error)))
            raise
