"""Rebuild a game from its output file, whoever wrote it, and find the first line that breaks the rules.

The lines are the script of the game's seats, and the real rules and round loop play the game once more; each line is compared
with what the rules make of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tiltyard_engine.errors import NotFoundError
from tiltyard_engine.replay import LogError, Replay, ReplayRecorder
from tiltyard_engine.results import SeatFault, Termination
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import ACTION_TITLES, ActionRequest, BattleInfo, TankAlgorithm
from tiltyard_engine.texts.quantities import counted
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.manager import BattleWatcher, claim
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.output import round_actions
from tiltyard_tanks.rounds import Referee
from tiltyard_tanks.rules import DIALECTS

ACTIONS: Final = {title: ActionRequest(number) for number, title in enumerate(ACTION_TITLES)}
KILLED: Final = "killed"
MARK_OF_DEATH: Final = "(killed)"
MARKS: Final = (
    ("(ignored)", "it was ignored, but by the rules it is performed", "it was performed, but by the rules it is ignored"),
    (MARK_OF_DEATH, "it was killed, but by the rules it survives", "it survived, but by the rules it is killed"),
)
"""What may follow an action, and what is wrong with a file that has it or leaves it out."""
ACTION: Final = re.compile(rf"({'|'.join(ACTION_TITLES)})( \(ignored\))?( \(killed\))?")


def read_log(tank_map: TankMap, text: str, rules_name: str = "reference") -> Replay:
    """The game on ``tank_map`` whose output file is ``text``, by the rules of a dialect.

    Line ends of any kind, spaces at the end of lines and around commas, and empty lines at the end do not matter.

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
    referee = Referee(battle, seats, handles, tank_map.max_steps, answer=_tell_nobody, watcher=watcher)
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


class _Script:
    """The output file as the players' script. Its errors speak of the line that is being played."""

    def __init__(self, lines: Sequence[str], battle: Battle) -> None:
        self._lines = lines
        self._battle = battle
        self._read = 0
        self._parts: list[str] = []
        """What this round's line says about each tank."""

    def action(self, tank: int) -> ActionRequest:
        """What a living tank asks for in this round."""
        if self._read != self._battle.round:
            self._read = self._battle.round
            self._parts = self._read_line()
        return ACTIONS[self._parts[tank].partition(" ")[0]]

    def _read_line(self) -> list[str]:
        number = self._battle.round
        if number > len(self._lines):
            raise LogError(number, f"the file ends here, but by the rules the game continues after round {number - 1}")
        line = self._lines[number - 1]
        if _is_result(line):
            raise LogError(number, f"the game ends here with '{line}', but by the rules it continues after round {number - 1}")
        parts = [re.sub(r"\s*\(", " (", part.strip()) for part in line.split(",")]
        tanks = len(self._battle.owner)
        if len(parts) != tanks:
            raise LogError(number, f"expected the actions of {counted(tanks, 'tank')}, got {len(parts)}: '{line[:80]}'")
        for tank, part in enumerate(parts):
            if part != KILLED and not ACTION.fullmatch(part):
                raise self.error(tank, f"'{part[:40]}' is not an action; known: {', '.join(ACTION_TITLES)}")
            died = self._battle.died[tank]
            if part == KILLED and not died:
                raise self.error(tank, "is dead before this round, but by the rules it is alive")
            if part != KILLED and died:
                raise self.error(tank, f"acts here, but by the rules it was killed in round {died}")
        return parts

    def compare(self, requests: list[int]) -> None:
        """Compare this round, as the rules played it, with what its line says."""
        for tank, (entry, ruling) in enumerate(zip(self._parts, round_actions(self._battle, requests))):
            for mark, too_much, missing in MARKS:
                if (mark in entry) != (mark in ruling):
                    claim = too_much if mark in entry else missing
                    hint = ""
                    if mark == MARK_OF_DEATH and mark in entry and self._all_lost(self._battle.owner[tank]):
                        hint = "; a team that fails loses all its tanks at once"
                    raise self.error(tank, f"the file says {claim}: expected '{ruling}'{hint}")

    def _all_lost(self, player: int) -> bool:
        own = [part for part, owner in zip(self._parts, self._battle.owner) if owner == player]
        return all(part == KILLED or MARK_OF_DEATH in part for part in own)

    def check_end(self, message: str) -> None:
        """After the last round: the next line is the result, and nothing follows."""
        number = self._battle.round + 1
        if number > len(self._lines):
            raise LogError(number, f"the file ends without its result line: expected '{message}'")
        line = self._lines[number - 1]
        if not _is_result(line):
            raise LogError(number, f"the game continues here, but by the rules it is over: expected '{message}'")
        if re.sub(r"\s*,\s*", ", ", line) != message:
            raise LogError(number, f"the result is '{line}', but by the rules it is '{message}'")
        if number < len(self._lines):
            raise LogError(number + 1, f"expected nothing after the result line, got '{self._lines[number][:80]}'")

    def error(self, tank: int, message: str) -> LogError:
        """An error in this round's line about one tank."""
        owner = self._battle.owner
        own_number = owner[: tank + 1].count(owner[tank])
        where = f"column {tank + 1} (tank {own_number} of player {owner[tank]})"
        entry = self._lines[self._battle.round - 1].split(",")[tank].strip()
        return LogError(self._battle.round, f"{where}, '{entry[:40]}': {message}")


class _ScriptedTank(TankAlgorithm):
    def __init__(self, script: _Script, tank: int) -> None:
        self._script = script
        self._tank = tank

    def get_action(self) -> ActionRequest:
        return self._script.action(self._tank)

    def update_battle_info(self, info: BattleInfo) -> None:
        """The file knows already what the tank will do."""


class _ScriptedSeat(TankSeat):
    """A seat that reads its tanks' actions from the file."""

    def __init__(self, index: int, script: _Script) -> None:
        self.index = index
        self.name = f"player {index}"
        self.fault = None
        self._script = script

    def charge(self, termination: Termination, message: str) -> SeatFault:
        raise AssertionError("a file cannot fail as a seat does")

    def create_tank(self, tank_index: int) -> TankAlgorithm:
        raise AssertionError("the tanks of a file are made in birth order")

    def get_actions(self, tanks: Sequence[TankAlgorithm]) -> Sequence[ActionRequest]:
        return [tank.get_action() for tank in tanks]


def _tell_nobody(tank: int) -> None:
    """Answer GetBattleInfo with nothing: the actions of a log are fixed."""


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
