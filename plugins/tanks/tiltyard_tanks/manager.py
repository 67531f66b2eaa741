"""The reference GameManager of tanks; a dialect is the same class with other rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.replay import Recorder
from tiltyard_engine.results import GameResult, SeatFault
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import OUTSIDE, ActionRequest, BattleInfo, SatelliteView, TankAlgorithm
from tiltyard_tanks.battle import Battle
from tiltyard_tanks.maps import TankMap
from tiltyard_tanks.output import result_line, round_actions
from tiltyard_tanks.rounds import Referee
from tiltyard_tanks.rules import REFERENCE, Reason, Rules


class TanksGameManager(GameManager[TankMap, TankSeat]):
    """Plays by ``rules``; see docs/reference/tanks-rules.md."""

    def __init__(self, rules: Rules = REFERENCE) -> None:
        self.rules = rules

    def run(self, match: Match[TankMap, TankSeat]) -> GameResult:
        """Play the match. A failed seat loses its tanks in the round of its fault."""
        tank_map = match.map
        battle = Battle(tank_map.grid, tank_map.num_shells, len(match.seats), self.rules)
        handles = create_tanks(battle.owner, match.seats)
        watcher = BattleWatcher(battle, match.recorder, match.verbose) if match.verbose or match.recorder.active else None

        def answer(tank: int) -> None:
            view = BoardView(battle.picture, battle.width, battle.height, battle.square[tank])
            match.seats[battle.owner[tank] - 1].player.update_tank_with_battle_info(handles[tank], view)

        referee = Referee(battle, list(match.seats), handles, tank_map.max_steps, answer=answer, watcher=watcher)
        reason = referee.play()
        return claim(battle, reason, tank_map.max_steps, watcher.log if watcher is not None and match.verbose else None)


def create_tanks(owners: Sequence[int], seats: Sequence[TankSeat]) -> list[TankAlgorithm]:
    """A handle a tank, in birth order. A seat that fails here fails again when it is first asked."""
    handles: list[TankAlgorithm] = []
    created = [0] * (len(seats) + 1)
    for owner in owners:
        try:
            handle = seats[owner - 1].create_tank(created[owner])
        except SeatFault as fault:
            handle = _LostTank(fault)
        created[owner] += 1
        handles.append(handle)
    return handles


class _LostTank(TankAlgorithm):
    """Stands where a seat could not create a tank: asking it meets the seat's fault again."""

    def __init__(self, fault: SeatFault) -> None:
        self._fault = fault

    def get_action(self) -> ActionRequest:
        raise SeatFault(self._fault.fault)

    def update_battle_info(self, info: BattleInfo) -> None:
        raise SeatFault(self._fault.fault)


def claim(
    battle: Battle, reason: Reason, max_steps: int, log: list[str] | None, final_state: tuple[str, ...] | None = None
) -> GameResult:
    """The result of a battle that is over. ``log`` holds the output file's lines but the last.

    ``final_state`` is for a manager with a board of its own; without it the battle's board is the final one.
    """
    remaining = tuple(battle.living[1:])
    winner = 0
    if reason is Reason.ALL_TANKS_DEAD:
        winner = next((player for player, tanks in enumerate(remaining, start=1) if tanks), 0)
    message = result_line(reason, winner, remaining, max_steps)
    return GameResult(
        winner,
        reason.value,
        battle.round,
        battle.rows() if final_state is None else final_state,
        remaining_tanks=remaining,
        ranks=ranks(battle),
        message=message,
        log="" if log is None else "\n".join([*log, message]) + "\n",
    )


def ranks(battle: Battle) -> tuple[int, ...]:
    """Places by the round of each player's last loss, later is better; survivors share the first place."""
    ends: list[float] = []
    for player in range(1, battle.players + 1):
        deaths = [died for tank, died in enumerate(battle.died) if battle.owner[tank] == player]
        ends.append(float("inf") if battle.living[player] else max(deaths, default=-1))
    return tuple(1 + sum(1 for other in ends if other > end) for end in ends)


class BoardView(SatelliteView):
    """The board as one tank sees it: itself as ``%``."""

    def __init__(self, picture: list[str], width: int, height: int, own_square: int) -> None:
        self._picture = picture
        self._width, self._height = width, height
        self._own_square = own_square

    def get_object_at(self, x: int, y: int) -> str:
        """The character of a square; ``&`` outside of the board."""
        if not (0 <= x < self._width and 0 <= y < self._height):
            return OUTSIDE
        square = y * self._width + x
        return "%" if square == self._own_square else self._picture[square]

    def get_rows(self, width: int, height: int) -> list[str]:
        """The rows of the board; of a larger size, filled up with ``&``."""
        cells = list(self._picture)
        cells[self._own_square] = "%"
        whole = "".join(cells)
        rows = [
            whole[start : start + self._width][:width].ljust(width, OUTSIDE)
            for start in range(0, min(height, self._height) * self._width, self._width)
        ]
        return rows + [OUTSIDE * width] * (height - len(rows))


class BattleWatcher:
    """Writes the output file's lines and feeds the recorder."""

    def __init__(self, battle: Battle, recorder: Recorder, verbose: bool) -> None:
        self.log: list[str] = []
        self._verbose = verbose
        self._recorder = recorder if recorder.active else None
        self._tokens: list[str] = []
        if self._recorder is not None:
            self._tokens = [self.token(battle, square) for square in range(len(battle.ground))]
            self._recorder.start(battle.width, battle.height, self._tokens)
            battle.look()

    def token(self, battle: Battle, square: int) -> str:
        """What the replay holds there."""
        return battle.token(square)

    def touched(self, battle: Battle) -> Iterable[int]:
        """Squares whose token may have changed in the round just played: those that moved, and tanks that turned."""
        touched = {*battle.dirty, *battle.square}
        battle.look()
        return touched

    def round_played(self, battle: Battle, requests: list[int]) -> None:
        """Add a line to the log and a frame to the replay."""
        actions = round_actions(battle, requests)
        if self._verbose:
            self.log.append(", ".join(actions))
        if self._recorder is not None:
            notes = [f"tank {tank + 1} of player {battle.owner[tank]} lost" for tank in sorted(battle.deaths)]
            scores = [float(count) for count in battle.living[1:]]
            self._recorder.frame(self._changes(battle), actions, scores, notes)

    def _changes(self, battle: Battle) -> list[tuple[int, str]]:
        """Squares whose token has changed."""
        changes: list[tuple[int, str]] = []
        for square in sorted(self.touched(battle)):
            token = self.token(battle, square)
            if token != self._tokens[square]:
                self._tokens[square] = token
                changes.append((square, token))
        return changes
