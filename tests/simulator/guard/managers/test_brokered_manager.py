"""A GameManager in a cell gives the games that it gives inline, and can tell nothing apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.cells.test_teams_in_cells import LOOKING
from tests.simulator.guard.managers.managing import CELLS, FIELD, compared, drawn_map, held, manager_text, under, write_plugins

from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import MANAGER
from tiltyard_engine.results import Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_viewer.command.live_match import LiveMatch

MANAGERS = ("reference", "GM_209277367_322542887", "info-at-once", "tanks-first")


@pytest.fixture(scope="module")
def arena(in_any_test: tuple[str, ...]) -> Iterator[Arena]:
    with Arena() as open_arena:
        open_arena.preload([], in_any_test)
        yield open_arena


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    return made_spec(game=tanks, manager=reference_manager, map=FIELD, teams=(teams["shooter"], teams["crasher"]))


# The same games


@pytest.mark.parametrize("name", MANAGERS)
def test_games_are_the_same_as_inline(arena: Arena, tanks: Reference, registry: Registry, tmp_path: Path, name: str) -> None:
    """Claims with logs, faults, replays, requests and views; teams that draw their actions from what they are shown."""
    manager = registry.find(MANAGER, name).reference
    teams = write_plugins(tmp_path, LOOKING)
    views = 0
    for seed in range(4):
        spec = made_spec(
            game=tanks,
            manager=manager,
            map=drawn_map(seed),
            teams=(teams["rows"], teams["squares"]),
            log=True,
            replay=True,
            trace=True,
            rounds=seed or None,
        )
        spec = spec_with(spec, rounds=None if seed % 3 else 10 + seed)
        inline = arena.play(spec)
        views += len(inline.evidence.views)
        for manager_isolation, seats in ((Isolation.PROCESS, Isolation.INLINE), (Isolation.SANDBOX, Isolation.SANDBOX)):
            assert compared(arena.play(held(spec, manager_isolation, seats))) == compared(inline)
        assert inline.evidence.replay
    assert views > 15


@pytest.mark.parametrize("idle", [True, False])
@pytest.mark.parametrize("name", MANAGERS)
def test_faults_of_teams_are_the_same_as_inline(
    arena: Arena, tanks: Reference, registry: Registry, teams: Mapping[str, Reference], name: str, idle: bool
) -> None:
    manager = registry.find(MANAGER, name).reference
    for seed, names in enumerate((("crasher", "shooter"), ("spinner", "liar"), ("liar", "crasher"))):
        algorithms = tuple(teams[team] for team in names)
        spec = made_spec(
            game=tanks,
            manager=manager,
            map=drawn_map(seed),
            teams=algorithms,
            log=True,
            replay=True,
            trace=True,
            idle_on_fault=idle,
        )
        assert compared(under(arena, spec, Isolation.PROCESS)) == compared(arena.play(spec))


def test_all_managers_written_for_tests_fail_as_inline(arena: Arena, spec: MatchSpec, managers: Mapping[str, Reference]) -> None:
    for name, manager in managers.items():
        if name != "fickle":
            wanted = spec_with(spec, manager=manager, replay=True, log=True)
            assert compared(under(arena, wanted, Isolation.SANDBOX)) == compared(arena.play(wanted)), name


def test_a_match_is_shown_while_it_is_played(spec: MatchSpec) -> None:
    match = LiveMatch("tanks", held(spec, Isolation.PROCESS))
    assert match.started()
    frames = list(match.frames())
    assert match.record is not None
    assert match.record.evidence.claim.rounds == len(frames) > 0


# What a manager can see of its seats

SCENES = {
    "faults": "",
    "tank by tank": """
def second_round(self):
    for number in range(4):
        for tanks in self.tanks:
            for tank in tanks:
                self.note(lambda: tank.get_action().title)
""",
    "tanks of others": """
class Own(TankAlgorithm):
    def get_action(self):
        return ActionRequest.SHOOT
    def update_battle_info(self, info):
        pass
def second_round(self):
    first, second = self.match.seats
    for stranger in (self.Own(), self.tanks[1][0], None):
        self.note(lambda: first.get_actions([stranger]))
        self.note(lambda: first.get_actions([self.tanks[0][0], stranger]))
        self.note(lambda: first.player.update_tank_with_battle_info(stranger, Walls()))
    self.note(lambda: first.get_actions([]))
    self.rounds = 4
""",
    "charges": """
def second_round(self):
    first, second = self.match.seats
    fault = first.charge(Termination.ILLEGAL_MOVE, "moved twice")
    self.note(lambda: (str(fault), fault.fault.seat, fault.fault.round, fault.answers))
    self.note(lambda: str(first.charge(Termination.STALL, "again")))
    self.note(lambda: self.tanks[0][0].get_action())
    self.note(lambda: first.create_tank(7).get_action())
    self.note(lambda: first.player.update_tank_with_battle_info(self.tanks[0][0], Walls()))
    self.note(lambda: self.tanks[0][0].update_battle_info(BattleInfo()))
    self.note(lambda: self.tanks[1][0].update_battle_info(BattleInfo()))
""",
    "seats": """
def second_round(self):
    for seat, tanks in zip(self.match.seats, self.tanks):
        self.note(lambda: (seat.index, seat.name, isinstance(seat, TankSeat), isinstance(seat.player, Player)))
        self.note(lambda: [(tank.tank_index, isinstance(tank, TankAlgorithm)) for tank in tanks])
    match = self.match
    self.note(lambda: (match.map, match.map_name, match.seed, match.verbose, match.recorder.active, len(match.seats)))
""",
    "views": """
class Broken(SatelliteView):
    def get_object_at(self, x, y):
        raise LookupError("the board is lost")
class Fatal(SatelliteView):
    def get_object_at(self, x, y):
        if y == 2:
            raise LookupError("half of it is")
        return "#"
def second_round(self):
    for view in (Walls(), self.Broken(), self.Fatal(), None):
        for seat, tanks in zip(self.match.seats, self.tanks):
            self.note(lambda: seat.player.update_tank_with_battle_info(tanks[0], view))
""",
}
"""Bodies of a manager that notes what its seats do."""

SCENE_TEAMS = """
from tiltyard_engine import (
    ActionRequest, BattleInfo, Game, GameManager, GameMaps, GameResult, Manager, Player, SatelliteView, SeatFault, TankAlgorithm,
    TankSeat, TankTeam, Termination, TurnAlgorithm, TurnInterface, TurnTeam, ViewExpiredError, hookimpl,
)

class Tank(TankAlgorithm):
    def __init__(self, player_index, tank_index):
        self.rounds = 0
    def get_action(self):
        self.rounds += 1
        if self.rounds == self.last:
            raise ValueError("no more")
        return ActionRequest.GET_BATTLE_INFO
    def update_battle_info(self, info):
        if type(info) is not BattleInfo and info.row != "####":
            raise AssertionError(info.row)
    last = 100

class Info(BattleInfo):
    pass

class Looking(Player):
    kept = None
    def __init__(self, player_index, x, y, max_steps, num_shells):
        self.x, self.y = x, y
    def update_tank_with_battle_info(self, tank, satellite_view):
        if Looking.kept is not None:
            try:
                Looking.kept.get_object_at(0, 0)
            except ViewExpiredError:
                pass
        Looking.kept = satellite_view
        info = Info()
        info.row = satellite_view.get_rows(self.x, self.y)[1]
        tank.update_battle_info(info)

class Blind(Looking):
    def update_tank_with_battle_info(self, tank, satellite_view):
        pass

class Stubborn(Looking):
    def update_tank_with_battle_info(self, tank, satellite_view):
        try:
            satellite_view.get_rows(self.x, self.y)
        except Exception:
            pass

@hookimpl
def algorithms():
    yield TankTeam("looking", Looking, Tank)
    yield TankTeam("blind", Blind, Tank)
    yield TankTeam("stubborn", Stubborn, Tank)
    yield TankTeam("failing", Looking, type("Failing", (Tank,), {"last": 2}))
    yield TankTeam("nobody", lambda *arguments: 1 / 0, Tank)
    yield TankTeam("tankless", Looking, lambda player, tank: [][tank - 1])
"""


@pytest.mark.parametrize("on_fault", ["idle", "raise"])
@pytest.mark.parametrize("scene", SCENES)
def test_a_manager_cannot_tell(arena: Arena, spec: MatchSpec, tmp_path: Path, scene: str, on_fault: str) -> None:
    body = f"rounds = 3\n{SCENES[scene].strip()}" if scene not in ("faults",) else "rounds = 4"
    manager = write_plugins(tmp_path, manager_text(body, on_fault=on_fault))["bad"]
    teams = write_plugins(tmp_path, SCENE_TEAMS, "teams.py", head="")
    seen = set()
    for number, pair in enumerate((("looking", "blind"), ("failing", "stubborn"), ("nobody", "tankless"))):
        # What is recorded, how the manager is held and what it does at a fault have nothing to do with each other.
        is_even = (number + (on_fault == "idle")) % 2 == 0
        wanted = spec_with(spec, manager=manager, teams=tuple(teams[name] for name in pair), trace=not is_even, seed=7)
        inline = arena.play(wanted)
        seen.add(inline.evidence.claim.log)
        if on_fault == "idle" or "nobody" not in pair:
            assert inline.outcome.manager_fault is None, inline.outcome.manager_fault
        assert compared(under(arena, wanted, CELLS[is_even])) == compared(inline)
    assert len(seen) >= 2


def test_the_managers_own_error_is_raised_in_its_own_process(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    """The same object that its view raised, wherever the team is."""
    body = """
class Lost(SatelliteView):
    def get_object_at(self, x, y):
        raise self.error
def second_round(self):
    view = self.Lost()
    view.error = LookupError("the board is lost")
    try:
        self.match.seats[0].player.update_tank_with_battle_info(self.tanks[0][0], view)
    except LookupError as error:
        self.lines.append(str(error is view.error))
"""
    manager = write_plugins(tmp_path, manager_text(body.strip()))["bad"]
    team = write_plugins(tmp_path, SCENE_TEAMS, "teams.py", head="")["looking"]
    for seats in Isolation:
        record = arena.play(held(spec_with(spec, manager=manager, teams=(team, team)), Isolation.SANDBOX, seats))
        assert "True" in record.evidence.claim.log.splitlines()
        assert record.outcome.faults == ()


def test_a_view_that_asks_a_seat_is_refused(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    body = """
class Nosy(SatelliteView):
    def get_object_at(self, x, y):
        return self.tank.get_action().title
def second_round(self):
    view = self.Nosy()
    view.tank = self.tanks[0][1]
    self.match.seats[0].player.update_tank_with_battle_info(self.tanks[0][0], view)
"""
    manager = write_plugins(tmp_path, manager_text(body.strip()))["bad"]
    team = write_plugins(tmp_path, SCENE_TEAMS, "teams.py", head="")["looking"]
    record = arena.play(held(spec_with(spec, manager=manager, teams=(team, team)), Isolation.PROCESS, Isolation.PROCESS))
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.termination) == (0, Termination.PROTOCOL)
    assert "own view was being read" in fault.message


def test_names_that_are_no_text(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    """A map's file may have any name: the manager gets it as it is, and what it says of it comes back as far as it can."""
    body = "def play(self):\n    self.lines += [self.match.map_name, repr(self.match.map_name)]"
    manager = write_plugins(tmp_path, manager_text(body))["bad"]
    named = spec_with(spec, manager=manager, map=replace(spec.input.map, name="caf\udce9"))
    assert under(arena, named, Isolation.PROCESS).evidence.claim.log == "caf?\n'caf\\udce9'"
    assert arena.play(named).evidence.claim.log == "caf\udce9\n'caf\\udce9'"


# What is known of it


def test_what_it_prints_and_uses_is_in_the_account(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    manager = write_plugins(tmp_path, manager_text("def second_round(self):\n    print('a word', 'x' * 100_000)"))["bad"]
    record = under(arena, spec_with(spec, manager=manager), Isolation.SANDBOX)
    account = record.evidence.manager_account
    assert account is not None
    assert account.output.startswith(b"a word x")
    assert len(account.output) == spec.holding.manager_limits.output_bytes
    assert account.held.startswith("sandbox, level ")
    assert account.cpu_seconds > 0
    assert account.peak_bytes > 0
    assert arena.play(spec).evidence.manager_account is None


def test_a_strangers_manager_is_never_imported_here(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    manager = write_plugins(tmp_path, manager_text("pass"))["bad"]
    path = Path(manager.source.value)
    marked = path.with_name("marked.py")
    marked.write_text(f"import os\nif os.getpid() == {__import__('os').getpid()}:\n    raise SystemExit\n{path.read_text()}")
    elsewhere = replace(manager, source=replace(manager.source, value=str(marked)))
    assert under(arena, spec_with(spec, manager=elsewhere), Isolation.SANDBOX).evidence.claim.reason == "DONE"


# Turn-based games

NIM = """
from dataclasses import dataclass
from tiltyard_engine import (
    ActionRequest, BattleInfo, Game, GameManager, GameMaps, GameResult, Manager, Player, SatelliteView, SeatFault, TankAlgorithm,
    TankSeat, TankTeam, Termination, TurnAlgorithm, TurnInterface, TurnTeam, ViewExpiredError, hookimpl,
)

@dataclass(frozen=True)
class Heap:
    sticks: int
    names: tuple[str, ...] = ("a", "b")

@dataclass(frozen=True)
class Take:
    sticks: int

class Nim(GameManager):
    def run(self, match):
        heap, turn, lines = match.map, 0, []
        try:
            for seat in match.seats:
                seat.start(heap)
            while heap.sticks:
                seat = match.seats[turn % 2]
                taken = seat.choose(heap)
                assert isinstance(taken, Take)
                lines.append(f"{seat.name} {taken.sticks}")
                if not 1 <= taken.sticks <= min(3, heap.sticks):
                    raise seat.charge(Termination.ILLEGAL_MOVE, f"{taken.sticks} of {heap.sticks}")
                heap, turn = Heap(heap.sticks - taken.sticks), turn + 1
        except SeatFault as fault:
            found, log = fault.fault, "\\n".join(lines)
            return GameResult(3 - found.seat, "FAULT", turn, (str(heap.sticks),), faults=(found,), log=log)
        return GameResult((turn - 1) % 2 + 1, "LAST_STICK", turn, ("0",), log="\\n".join(lines))

class Hasty(GameManager):
    def run(self, match):
        match.seats[0].choose(match.map)

class Vague(GameManager):
    def run(self, match):
        match.seats[0].start("nine sticks")

class Endless(GameManager):
    def run(self, match):
        match.seats[0].start(match.map)
        while True:
            match.seats[0].choose(match.map)

class Perfect(TurnAlgorithm):
    def __init__(self, seat):
        pass
    def choose(self, position):
        assert isinstance(position, Heap) and isinstance(position.names, tuple)
        return Take(position.sticks % 4 or 1)

def planned(plan):
    return type("Planned", (Perfect,), {"choose": lambda self, position: plan()})

class Starter(Perfect):
    def start(self, position):
        raise OSError("not today")

@hookimpl
def games():
    yield Game(
        name="nim",
        seats=range(2, 3),
        maps=GameMaps(lambda name, data, seats: Heap(9)),
        interface=TurnInterface(Heap, Take),
    )

@hookimpl
def game_managers():
    for name, create in {"nim-manager": Nim, "hasty": Hasty, "vague": Vague, "endless": Endless}.items():
        yield Manager(name=name, game="nim", create=create)

@hookimpl
def algorithms():
    for name, create in {
        "perfect": Perfect,
        "starter": Starter,
        "greedy": planned(lambda: Take(4)),
        "crasher": planned(lambda: 1 / 0),
        "liar": planned(lambda: 3),
        "typist": planned(lambda: Take("3")),
        "hoarder": planned(lambda: Take(object())),
    }.items():
        yield TurnTeam(name, "nim", create)
"""


def nim(tmp_path: Path, first: str, manager: str = "nim-manager") -> MatchSpec:
    found = write_plugins(tmp_path, NIM, head="")
    return made_spec(game=found["nim"], manager=found[manager], map=MapSource("heap", b""), teams=(found[first], found["perfect"]))


@pytest.mark.parametrize("first", ["perfect", "starter", "greedy", "crasher", "liar"])
def test_turns_are_the_same_as_inline(arena: Arena, tmp_path: Path, first: str) -> None:
    spec = nim(tmp_path, first)
    inline = arena.play(spec)
    assert inline.outcome.manager_fault is None
    assert inline.evidence.claim.reason == ("LAST_STICK" if first == "perfect" else "FAULT")
    for isolation in CELLS:
        for seats in Isolation:
            assert compared(arena.play(held(spec, isolation, seats))) == compared(inline)


@pytest.mark.parametrize("first", ["typist", "hoarder"])
@pytest.mark.parametrize("seats", Isolation)
def test_an_answer_that_cannot_be_sent_is_the_teams_fault(arena: Arena, tmp_path: Path, first: str, seats: Isolation) -> None:
    record = arena.play(held(nim(tmp_path, first), Isolation.PROCESS, seats))
    assert [(fault.seat, fault.termination) for fault in record.outcome.faults] == [(1, Termination.PROTOCOL)]
    assert record.outcome.winner == 2


@pytest.mark.parametrize(
    ("manager", "termination", "message"),
    [
        ("hasty", Termination.PROTOCOL, "seat 1 was asked to choose before start"),
        ("vague", Termination.PROTOCOL, "start was given a value that is not a position: Expected `object`, got `str`"),
        ("endless", Termination.STALL, "run() asked player 1 more than 20 times in a match"),
    ],
)
def test_a_manager_of_turns_that_breaks_the_contract(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manager: str, termination: Termination, message: str
) -> None:
    monkeypatch.setattr("tiltyard_simulator.guard.seats.turns.MOST_TURNS", 20)
    (fault,) = under(arena, nim(tmp_path, "perfect", manager), Isolation.PROCESS).outcome.faults
    assert (fault.seat, fault.termination) == (0, termination)
    assert fault.message.partition(" (")[0] == message.partition(" (")[0]
