from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import map_text
from tests.made_specs import made_spec
from tests.simulator.guard.managers.managing import drawn_map, held

from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_engine.replay import Replay
from tiltyard_engine.tanks import SatelliteView
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.play.view_recorder import OTHERWISE, ViewRecorder
from tiltyard_simulator.replays.encoding import decode, encode
from tiltyard_simulator.replays.files import record_replay

LOOKING = """
from tiltyard_engine import *

SHOWN = []

class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.rounds = 0
    def get_action(self):
        self.rounds += 1
        turns = [ActionRequest.GET_BATTLE_INFO, ActionRequest.MOVE_FORWARD, ActionRequest.ROTATE_LEFT_45, ActionRequest.SHOOT]
        return turns[self.rounds % 4]
    def update_battle_info(self, info):
        pass

class Commander(Player):
    def __init__(self, player_index, x, y, max_steps, num_shells):
        self.index, self.size = player_index, (x, y)
    def update_tank_with_battle_info(self, tank, satellite_view):
        with open(FILE, "a") as file:
            rows = ["".join(satellite_view.get_object_at(x, y) for x in range(self.size[0])) for y in range(self.size[1])]
            print(tank.rounds, self.index, "/".join(rows), sep="|", file=file)
        tank.update_battle_info(BattleInfo())

@hookimpl
def algorithms():
    yield TankTeam("looking", Commander, Tank)
"""


def rebuilt(replay: Replay) -> list[str]:
    """What the players must have seen, in the form in which they write it down."""
    lines = []
    for number, seat, square in replay.views:
        cells = list("".join(replay.rows_after(number - 1)))
        cells[square] = "%"
        whole = "".join(cells)
        lines.append(f"{number}|{seat}|{'/'.join(whole[at : at + replay.width] for at in range(0, len(whole), replay.width))}")
    return lines


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena() as opened:
        yield opened


@pytest.mark.parametrize("name", ["reference", "info-at-once", "one-by-one", "tanks-first", "GM_209277367_322542887"])
@pytest.mark.parametrize("isolation", [Isolation.INLINE, Isolation.PROCESS])
def test_the_recorded_views_are_what_the_players_saw(
    arena: Arena, tanks: Reference, registry: Registry, tmp_path: Path, name: str, isolation: Isolation
) -> None:
    seen = tmp_path / "seen"
    (tmp_path / "looking.py").write_text(LOOKING.replace("FILE", repr(str(seen))))
    team = Registry.from_paths([tmp_path / "looking.py"]).find(ALGORITHM, "looking").reference
    manager = registry.find(MANAGER, name).reference
    views = 0
    for seed in range(6):
        seen.write_text("")
        spec = made_spec(game=tanks, manager=manager, map=drawn_map(seed), teams=(team, team), replay=True)
        replay = record_replay(arena.play(held(spec, isolation)))
        assert replay is not None
        assert decode(encode(replay)) == replay
        written = seen.read_text().splitlines()
        # A view that is not the recorded board is told as such, never as something else.
        told = rebuilt(replay)
        assert len(told) == len(written)
        for line, shown, (_, _, square) in zip(told, written, replay.views, strict=True):
            assert square == OTHERWISE or line == shown
        views += sum(square != OTHERWISE for _, _, square in replay.views)
        assert name.startswith("GM_") or all(square != OTHERWISE for _, _, square in replay.views)
    assert views > 20


class Odd(SatelliteView):
    def __init__(self, rows: list[str]) -> None:
        self.rows = rows

    def get_object_at(self, x: int, y: int) -> str:
        return self.rows[y][x]


def test_what_is_not_the_board_is_not_told_as_if_it_were() -> None:
    replay = Replay(game="tanks", width=3, height=1, squares=("1", " ", "#"), seats=("a", "b"))
    recorder = ViewRecorder(replay)
    for row in ("% #", "%##", "1 #", "%% "):
        recorder.saw(1, 0, Odd([row]))
    recorder.saw(1, 0, {"not": "a board"})
    assert replay.views == [(1, 1, 0), (1, 1, OTHERWISE), (1, 1, OTHERWISE), (1, 1, OTHERWISE)]


def test_a_match_that_is_not_recorded_has_no_views(tanks: Reference, registry: Registry) -> None:
    reference = registry.find(MANAGER, "reference").reference
    bramble = registry.find(ALGORITHM, "bramble").reference
    spec = made_spec(
        game=tanks, manager=reference, map=MapSource("m", map_text((" 1  2 ",), 9, 5).encode()), teams=(bramble, bramble)
    )
    with Arena() as arena:
        assert arena.play(spec).evidence.replay == b""
