"""Cells from templates: what their teams can see is what they see in cells of their own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.simulator.guard.conftest import WriteTeams, open_tanks

from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.cells.cell_client import CellClient
from tiltyard_simulator.guard.cells.cell_port import cell_of
from tiltyard_simulator.guard.cells.messages import Fork
from tiltyard_simulator.guard.cells.zygote import PRELOADED
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import CellPolicy, Level
from tiltyard_simulator.guard.templates.family import MOST_FOR_LATER, MOST_OF_A_TEAM, Family
from tiltyard_simulator.guard.templates.keeper import TemplateKeeper
from tiltyard_simulator.guard.templates.template import Order, State, Template
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits

LIMITS = Limits()
SHOOT = ActionRequest.SHOOT


def play(pool: CellPool, team: Reference, rounds: int = 1, limits: Limits = LIMITS) -> tuple[Any, CellClient, list[ActionRequest]]:
    """One match of a team alone: its seat, its cell, and what its tank did."""
    seat = open_tanks(pool, 1, team, Isolation.SANDBOX, limits=limits)
    tank = seat.create_tank(0)
    actions = [tank.get_action() for _ in range(rounds)]
    cell = cell_of(seat)
    assert cell is not None
    pool.end_match()
    return seat, cell, actions


def only_in_a_cell(text: str) -> str:
    """Not where the tests look for teams: only where a scratch folder is all there is."""
    lines = textwrap.indent(text.strip(), "    ")
    return f"import os\nif os.environ.get('TMPDIR', '') == os.environ['HOME']:\n{lines}\n"


def is_from_template(cell: CellClient) -> bool:
    return cell.process.import_seconds > 0


def test_a_teams_code_is_imported_once_for_many_matches(pool: CellPool, write_teams: WriteTeams) -> None:
    teams = write_teams("import uuid\nprint('imported', uuid.uuid4())\n@hookimpl\ndef algorithms():\n    yield team('sound')\n")
    played = [play(pool, teams["sound"], 3) for _ in range(6)]
    assert all(actions == [SHOOT] * 3 and seat.fault is None for seat, _, actions in played)
    assert [cell.process.unfit for _, cell, _ in played] == [""] * 6
    assert all(is_from_template(cell) for _, cell, _ in played)
    # What was printed at the import is each match's output. One template plays, the next match's cell is from another one; on a
    # busy machine, more may be starting.
    assert all(cell.output.startswith(b"imported ") for _, cell, _ in played)
    assert len({cell.output for _, cell, _ in played}) <= MOST_OF_A_TEAM


def test_all_algorithms_of_a_file_share_its_import(pool: CellPool, write_teams: WriteTeams) -> None:
    names = [f"player-{number}" for number in range(12)]
    text = "import uuid\nprint('imported', uuid.uuid4())\n"
    teams = write_teams(f"{text}@hookimpl\ndef algorithms():\n    for name in {names}:\n        yield team(name)\n")
    played = [play(pool, teams[name]) for name in names]
    assert [(seat.name, actions, seat.fault) for seat, _, actions in played] == [(name, [SHOOT], None) for name in names]
    assert all(is_from_template(cell) for _, cell, _ in played)
    assert len({cell.output for _, cell, _ in played}) <= MOST_FOR_LATER


@pytest.fixture
def impatient(in_any_test: tuple[str, ...]) -> Iterator[CellPool]:
    """A pool for which an import of 0.05 s is a long one. How many templates there are has nothing to do with the level."""
    if probe_confinement().level > Level.B:
        pytest.skip("this machine confines nothing")
    preload = (*PRELOADED, "tests.simulator.guard.templates.short_of_time")
    with CellPool(level=Level.B, readable=(*in_any_test, str(Path(__file__).parent)), preload=preload) as cells:
        yield cells
        cells.end_match()


def test_a_file_plays_against_itself_in_each_match(impatient: CellPool, write_teams: WriteTeams) -> None:
    pool = impatient
    busy = "import time\nuntil = time.process_time() + 0.1\nwhile time.process_time() < until:\n    pass\n"
    teams = write_teams(f"{busy}@hookimpl\ndef algorithms():\n    yield team('one')\n    yield team('other')\n")
    for _ in range(4):
        seats = [open_tanks(pool, index, teams[name], Isolation.SANDBOX) for index, name in ((1, "one"), (2, "other"))]
        # Cells for the next match are ordered while this one is played, as a match does it.
        pool.prepare_next()
        assert [seat.create_tank(0).get_action() for seat in seats] == [SHOOT, SHOOT]
        assert [cell.process.unfit for cell in map(cell_of, seats) if cell is not None] == ["", ""]
        pool.end_match()


def test_cells_for_later_matches_wait_for_a_template_of_a_long_import() -> None:
    def template(state: State) -> Template:
        return Template(os.getpid(), -1, ours, -1, 1.0, None, "", state=state)

    ours, theirs = socket.socketpair()
    with ours, theirs:
        order = Order(Fork(1, CellPolicy((), (), "", LIMITS), spare=True), ())
        family = Family()
        assert not family.should_wait()
        family.templates.append(template(State.LOADING))
        assert family.should_wait()
        family.templates[0].state = State.PLAYING
        family.import_seconds = 0.1
        assert not family.should_wait()
        family.templates += [template(State.PLAYING) for _ in range(MOST_FOR_LATER - 1)]
        assert family.should_wait()
        del family.templates[1:]
        family.import_seconds = 1000.0
        family.let_wait(order)
        assert family.should_wait()
        # None became free for so long that the next match may be waiting for this cell.
        family._changed -= 3000.0
        assert not family.should_wait()
        # Nor is there one that could become free.
        family.templates.clear()
        assert not family.should_wait()


@pytest.mark.parametrize("changes", ["", "open(path, 'w').write('As imported')"])
def test_what_the_import_writes_is_there_in_each_match(pool: CellPool, write_teams: WriteTeams, changes: str) -> None:
    text = f"""
import os
path = os.path.abspath('cache/fonts.json')
os.makedirs('cache', exist_ok=True)
with open(path, 'w') as file:
    file.write('as imported')
def look():
    with open(path) as file:
        print(os.listdir('.'), os.listdir('cache'), file.read())
    {changes or "pass"}
    return ActionRequest.SHOOT
@hookimpl
def algorithms():
    yield team('caching', look)
"""
    team = write_teams(text)["caching"]
    played = [play(pool, team, 2) for _ in range(7)]
    assert {cell.output for _, cell, _ in played} == {b"['cache'] ['fonts.json'] as imported\n"}
    assert [seat.fault for seat, _, _ in played] == [None] * 7
    if not changes:
        assert all(is_from_template(cell) for _, cell, _ in played), played[-1][1].process.unfit
    else:
        assert not is_from_template(played[-1][1])


def test_a_first_match_waits_until_what_it_changes_will_show() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        template = Template(os.getpid(), -1, ours, -1, 1.0, None, "", state=State.WAITING)
        assert template.seconds_to_fork == float("inf")
        template.order = Order(Fork(1, CellPolicy((), (), "", LIMITS)), ())
        assert template.seconds_to_fork == 0.0
        template._shows_changes = time.monotonic() + 1000
        assert 0.0 < template.seconds_to_fork <= 1000
        template.state = State.PLAYING
        assert template.seconds_to_fork == float("inf")


def test_the_import_counts_as_the_teams_time(pool: CellPool, write_teams: WriteTeams) -> None:
    busy = "import time\nuntil = time.process_time() + 0.08\nwhile time.process_time() < until: pass\n"
    teams = write_teams(busy + "@hookimpl\ndef algorithms():\n    yield team('busy')\n")
    for _ in range(3):
        seat, cell, _ = play(pool, teams["busy"])
        assert seat.fault is None
        assert is_from_template(cell), cell.process.unfit
        assert cell.cpu_seconds >= 0.08
    seat, _, _ = play(pool, teams["busy"], limits=Limits(startup_seconds=0.05))
    assert seat.fault.termination is Termination.TIMEOUT
    assert "starting up used" in seat.fault.message


def test_random_numbers_are_a_teams_own_seeds_or_new_ones(pool: CellPool, write_teams: WriteTeams) -> None:
    text = """
import random
{seeding}
drawn = []
def draw():
    print([random.random(), random.random()])
    return ActionRequest.SHOOT
@hookimpl
def algorithms():
    yield team('drawing', draw)
"""
    outputs: dict[str, list[bytes]] = {}
    for name, seeding in (("seeded", "random.seed(7)"), ("drew", "random.random()"), ("plain", "")):
        team = write_teams(text.format(seeding=seeding), f"{name}.py")["drawing"]
        outputs[name] = [play(pool, team, 2)[1].output for _ in range(4)]
    assert len({*outputs["seeded"]}) == 1
    assert len({*outputs["drew"]}) == len({*outputs["plain"]}) == 4


def test_numpys_random_numbers_likewise(pool: CellPool, write_teams: WriteTeams) -> None:
    pytest.importorskip("numpy")
    text = """
import numpy
{seeding}
def draw():
    print(numpy.random.random(2))
    return ActionRequest.SHOOT
@hookimpl
def algorithms():
    yield team('drawing', draw)
"""
    seeded = write_teams(text.format(seeding="numpy.random.seed(7)"), "seeded.py")["drawing"]
    plain = write_teams(text.format(seeding=""), "plain.py")["drawing"]
    assert len({play(pool, seeded, 2)[1].output for _ in range(4)}) == 1
    assert len({play(pool, plain, 2)[1].output for _ in range(4)}) == 4


@pytest.mark.parametrize(
    "begins",
    [
        "import threading\nthreading.Thread(target=print).start()\n",
        "raise ValueError('not today')\n",
        "import os\nos._exit(3)\n",
        "kept = open(__file__)\n",
        "for number in range(300): open(f'{number}.txt', 'w').close()\n",
        "open('kept.txt', 'w').write('x' * 5_000_000)\n",
        "import os\nos.mkfifo('kept')\n",
        "print('x' * 200_000)\n",
        "import mmap\nshared = mmap.mmap(-1, 100)\n",
        "import socket\nsockets = socket.socketpair()\n",
        "import ctypes\nctypes.string_at(0)\n",
        "big = bytearray(10 << 30)\n",
    ],
)
def test_what_is_not_fit_for_a_template_is_judged_as_ever(
    pool: CellPool, pool_without: CellPool, write_teams: WriteTeams, begins: str
) -> None:
    team = write_teams(only_in_a_cell(begins) + "@hookimpl\ndef algorithms():\n    yield team('unfit')\n")["unfit"]
    seats = [play(pool, team) for _ in range(2)]
    expected, alone, actions = play(pool_without, team)
    for seat, cell, done in seats:
        assert not is_from_template(cell)
        assert (seat.fault, done, cell.output) == (expected.fault, actions, alone.output)


def test_an_import_without_end_costs_its_limit_and_no_more(pool: CellPool, write_teams: WriteTeams) -> None:
    text = only_in_a_cell("while True:\n    pass\n") + "@hookimpl\ndef algorithms():\n    yield team('endless')\n"
    seat, cell, _ = play(pool, write_teams(text)["endless"], limits=Limits(startup_seconds=0.1, wall_factor=1000.0))
    # Not at the end of the wall time that templates are given on a busy machine.
    assert cell.process.unfit == "its import used more than 0.1 s"
    assert seat.fault is not None
    assert seat.fault.termination is Termination.TIMEOUT


# It burns CPU time, and the limit has nothing to do with the level.
@pytest.mark.parametrize("pool", [Level.B], indirect=True)
def test_an_import_within_the_organisers_limit_is_not_taken_for_endless(pool: CellPool, write_teams: WriteTeams) -> None:
    burn = "import time\nwhile time.process_time() < 0.4:\n    pass\n"
    team = write_teams(f"{only_in_a_cell(burn)}\n@hookimpl\ndef algorithms():\n    yield team('heavy')\n")["heavy"]
    _, cell, _ = play(pool, team, limits=Limits(startup_seconds=60.0))
    assert cell.process.unfit == ""
    assert cell.process.import_seconds > 0.2


class StartsAnything:
    """What a keeper of templates asks a zygote for. Its templates only sleep."""

    def __init__(self) -> None:
        self.started: list[subprocess.Popen[bytes]] = []

    def watch(self, descriptor: int, callback: Callable[[], None]) -> None:
        pass

    def forget(self, descriptor: int) -> None:
        pass

    def start_template(self, policy: CellPolicy, order: Order, channel: socket.socket, output: int) -> tuple[int, int]:
        self.started.append(subprocess.Popen(["sleep", "60"]))
        return self.started[-1].pid, os.pidfd_open(self.started[-1].pid)

    def fork_fresh(self, order: Order, unfit: str) -> None:
        raise AssertionError(unfit)

    def admit(self, process: int, handle: int, order: Order, template: Template) -> None:
        raise AssertionError


def test_an_import_may_take_as_long_as_the_organiser_says(tmp_path: Path) -> None:
    zygote = StartsAnything()
    keeper = TemplateKeeper(zygote)
    for number, seconds in enumerate((0.5, 5.0, 60.0)):
        policy = CellPolicy((), (), str(tmp_path / f"cell-{number}"), Limits(startup_seconds=seconds))
        keeper.fill(Order(Fork(number, policy), ()))
    assert [template.limit_seconds for _, template in keeper._all()] == [0.5, 5.0, 60.0]
    keeper.close()
    assert [process.wait() for process in zygote.started] == [-signal.SIGKILL] * 3


def test_a_changed_file_is_loaded_anew(pool: CellPool, write_teams: WriteTeams) -> None:
    def printed(word: str) -> bytes:
        team = write_teams(f"print('{word}')\n@hookimpl\ndef algorithms():\n    yield team('sound')\n")["sound"]
        return play(pool, team)[1].output

    assert [printed("one"), printed("one"), printed("three")] == [b"one\n", b"one\n", b"three\n"]


def test_teams_with_threads_of_their_own_have_no_templates(pool: CellPool, write_teams: WriteTeams) -> None:
    text = "import threading\nrunning = threading.Event()\nthreading.Thread(target=running.wait, daemon=True).start()\n"
    text += "def look():\n    return ActionRequest.SHOOT if threading.active_count() == 2 else ActionRequest.DO_NOTHING\n"
    team = write_teams(text + "@hookimpl\ndef algorithms():\n    yield team('threaded', look)\n")["threaded"]
    for _ in range(3):
        seat, cell, actions = play(pool, team, 2, Limits(processes=4))
        assert (seat.fault, actions, is_from_template(cell)) == (None, [SHOOT, SHOOT], False)


def test_a_scratch_folder_is_new_for_each_match(pool: CellPool, write_teams: WriteTeams) -> None:
    text = """
import os
def write():
    found = os.listdir('.')
    for number in range(3):
        open(f'{number}.txt', 'w').close()
    return ActionRequest.SHOOT if found == [] else ActionRequest.DO_NOTHING
@hookimpl
def algorithms():
    yield team('writing', write)
"""
    team = write_teams(text)["writing"]
    played = [play(pool, team, 2) for _ in range(7)]
    assert all(actions == [SHOOT, SHOOT] and seat.fault is None for seat, _, actions in played)
    # Its templates are of no use, as each match leaves files behind.
    assert not is_from_template(played[-1][1])


def test_templates_can_be_turned_off(pool_without: CellPool, write_teams: WriteTeams) -> None:
    team = write_teams("@hookimpl\ndef algorithms():\n    yield team('sound')\n")["sound"]
    assert [is_from_template(play(pool_without, team)[1]) for _ in range(3)] == [False] * 3


def test_no_template_outlives_its_pool(write_teams: WriteTeams) -> None:
    team = write_teams("@hookimpl\ndef algorithms():\n    yield team('sound')\n")["sound"]
    with CellPool() as cells:
        play(cells, team)
        root = Path(cells.scratch_root)
        assert root.exists()
    assert not root.exists()
