"""Small games for tests: boards as lists of strings, a script of action letters a tank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tiltyard_engine.match import GameManager, Match
from tiltyard_engine.records import TankTeam
from tiltyard_engine.replay import Replay, ReplayRecorder
from tiltyard_engine.results import GameResult
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_engine.seat_kinds.seat_ports import OnFault
from tiltyard_engine.seats import TankSeat
from tiltyard_engine.tanks import BattleInfo, Player, SatelliteView, TankAlgorithm
from tiltyard_tanks.conformance import ScriptedTank
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, player_arguments
from tiltyard_tanks.rules import DIALECTS, REFERENCE, Rules

Manager = GameManager[TankMap, TankSeat]


@dataclass(frozen=True)
class Played:
    """A game that is over, and everything that could be seen of it."""

    result: GameResult
    replay: Replay
    views: list[list[str]]
    """Every view handed out, in order, as its rows."""

    @property
    def lines(self) -> list[str]:
        """The output file's lines, a round each, without the result line."""
        return self.result.log.splitlines()[:-1]

    @property
    def final(self) -> list[str]:
        return list(self.result.final_state)

    def board(self, round_number: int) -> list[str]:
        """The plain board after a round; 0 is the start."""
        return list(self.replay.rows_after(round_number))

    def tokens(self, round_number: int) -> list[str]:
        """What is not empty after a round, as tokens, row by row."""
        return [token for token in self.replay.squares_after(round_number) if token != " "]


class CopyingPlayer(Player):
    """Keeps a copy of every view, in a list shared by all seats."""

    def __init__(self, views: list[list[str]], width: int, height: int) -> None:
        self._views = views
        self._size = width, height

    def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
        self._views.append(list(satellite_view.get_rows(*self._size)))
        tank.update_battle_info(BattleInfo())


def births(rows: Sequence[str]) -> Iterator[int]:
    """The player of each tank, in birth order."""
    return (int(character) for row in rows for character in row if character in "123456789")


def scripted(scripts: Sequence[str], owners: Sequence[int], views: list[list[str]]) -> list[TankTeam]:
    """A team a player; ``scripts`` are in birth order, missing ones are empty."""
    own: dict[int, list[str]] = {player: [] for player in range(1, 10)}
    for number, owner in enumerate(owners):
        own[owner].append(scripts[number] if number < len(scripts) else "")
    return [
        TankTeam(
            f"script{player}",
            player=lambda index, width, height, max_steps, num_shells: CopyingPlayer(views, width, height),
            tank=lambda index, tank_index: ScriptedTank(own[index][tank_index]),
        )
        for player in range(1, 10)
    ]


def a_map(rows: Sequence[str], max_steps: int = 100, num_shells: int = 10, players: int = 2) -> TankMap:
    assert len({len(row) for row in rows}) == 1, "rows of different widths"
    return TankMap(title="test", max_steps=max_steps, num_shells=num_shells, grid=tuple(rows), players=players)


def play_teams(
    tank_map: TankMap, teams: Sequence[TankTeam], manager: Manager, on_fault: OnFault = "raise"
) -> tuple[Played, list[InlineTankSeat]]:
    """Play with these teams in the seats; the seats come back for their faults. Views are not collected."""
    seats = [InlineTankSeat(index, team, player_arguments(tank_map), on_fault) for index, team in enumerate(teams, start=1)]
    recorder = ReplayRecorder("tanks", [seat.name for seat in seats], tank_map.title)
    result = manager.run(Match(map=tank_map, map_name=tank_map.title, seats=list(seats), recorder=recorder, verbose=True))
    return Played(result, recorder.replay, []), seats


def play(
    rows: Sequence[str],
    *scripts: str,
    steps: int = 100,
    shells: int = 10,
    players: int = 2,
    rules: Rules | str = REFERENCE,
    manager: Manager | None = None,
) -> Played:
    """Play scripts, given in birth order, by ``rules`` (or the name of a dialect) or a manager of one's own."""
    if isinstance(rules, str):
        rules = DIALECTS[rules][0]
    views: list[list[str]] = []
    teams = scripted(scripts, list(births(rows)), views)[:players]
    played, _ = play_teams(a_map(rows, steps, shells, players), teams, manager or TanksGameManager(rules))
    return Played(played.result, played.replay, views)
