"""Dragoon against every other sample team: all shipped two-player maps, both seats, and the time it takes to think.

Run it from the checkout, with the sample teams installed::

    python benchmarks/champion.py [opponent ...]

A tie does not count as a win. Dragoon is timed without its seat: what one tank spends in one round, the Player's
work for it included.
"""

from __future__ import annotations

from importlib.metadata import entry_points
from pathlib import Path
from time import perf_counter

from measuring import command_line, told_times

import tiltyard_tanks
from tiltyard_engine import ActionRequest, BattleInfo, Player, SatelliteView, TankAlgorithm, TankTeam
from tiltyard_engine.match import Match
from tiltyard_engine.seat_kinds.inline import InlineTankSeat
from tiltyard_tanks.manager import TanksGameManager
from tiltyard_tanks.maps import TankMap, count_players, player_arguments, read_map

CHAMPION = "dragoon"
OPPONENTS = ("acorn", "bramble", "coyote")
MAPS = Path(tiltyard_tanks.__file__).parent / "shipped_maps"


def load_team(name: str) -> TankTeam:
    """The team of an installed package, by the name of its entry point."""
    (entry,) = entry_points(group="tiltyard", name=name)
    team = next(iter(entry.load().algorithms()))
    assert isinstance(team, TankTeam)
    return team


def two_player_maps() -> list[tuple[str, TankMap]]:
    """The shipped maps that were made for two."""
    maps: list[tuple[str, TankMap]] = []
    for path in sorted(MAPS.glob("*.txt")):
        data = path.read_bytes()
        if count_players(path.name, data) == 2:
            maps.append((path.stem, read_map(path.name, data, 2)))
    return maps


def timed(team: TankTeam, times: list[float]) -> TankTeam:
    """The same team, noting the milliseconds that each tank spends in each round."""

    class TimedTank(TankAlgorithm):
        def __init__(self, player_index: int, tank_index: int) -> None:
            self.inner = team.tank(player_index, tank_index)

        def get_action(self) -> ActionRequest:
            start = perf_counter()
            action = self.inner.get_action()
            times.append((perf_counter() - start) * 1000)
            return action

        def update_battle_info(self, info: BattleInfo) -> None:
            self.inner.update_battle_info(info)

    class TimedPlayer(Player):
        def __init__(self, player_index: int, x: int, y: int, max_steps: int, num_shells: int) -> None:
            self.inner = team.player(player_index, x, y, max_steps, num_shells)

        def update_tank_with_battle_info(self, tank: TankAlgorithm, satellite_view: SatelliteView) -> None:
            start = perf_counter()
            self.inner.update_tank_with_battle_info(tank, satellite_view)
            times.append((perf_counter() - start) * 1000)

    return TankTeam(team.name, player=TimedPlayer, tank=TimedTank, description=team.description)


def play(tank_map: TankMap, name: str, teams: tuple[TankTeam, TankTeam]) -> int:
    """The winner's seat, 0 for a tie. A team that crashes spoils the measurement, so it stops it."""
    arguments = player_arguments(tank_map)
    seats = [InlineTankSeat(number, team, arguments, "raise") for number, team in enumerate(teams, start=1)]
    result = TanksGameManager().run(Match(map=tank_map, map_name=name, seats=seats))
    for seat in seats:
        if seat.fault is not None:
            raise SystemExit(f"{seat.name} failed on {name}: {seat.fault}")
    return result.winner


def main() -> None:
    """Play all games and print the tables."""
    parser = command_line(__doc__)
    parser.add_argument("opponents", nargs="*", default=OPPONENTS, metavar="OPPONENT")
    opponents: list[str] = parser.parse_args().opponents
    times: list[float] = []
    champion = timed(load_team(CHAMPION), times)
    maps = two_player_maps()
    print(f"{CHAMPION} on {len(maps)} maps, both seats; W win, T tie, L loss with seat 1 and seat 2")
    totals: dict[str, list[int]] = {}
    for name in opponents:
        rival = load_team(name)
        totals[name] = counts = [0, 0, 0]
        print(f"\nagainst {name}")
        for map_name, tank_map in maps:
            winners = play(tank_map, map_name, (champion, rival)), play(tank_map, map_name, (rival, champion))
            letters = ""
            for seat, winner in enumerate(winners, start=1):
                place = 0 if winner == seat else 1 if winner == 0 else 2
                counts[place] += 1
                letters += " " + "WTL"[place]
            print(f"  {map_name:20}{letters}", flush=True)
    print(f"\n{'opponent':12}{'wins':>6}{'ties':>6}{'losses':>8}{'won':>8}")
    for name, (wins, ties, losses) in totals.items():
        print(f"{name:12}{wins:6}{ties:6}{losses:8}{100 * wins / max(1, wins + ties + losses):7.1f}%")
    answers = [spent for spent in times if spent >= 0.05]
    print(f"\n{len(times)} actions; {len(answers)} of them took thought (0.05 ms or more):")
    print(f"  {told_times(answers)}")


if __name__ == "__main__":
    main()
