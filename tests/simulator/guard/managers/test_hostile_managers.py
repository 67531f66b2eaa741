"""GameManagers that attack, fail or go on for ever: each gets its own verdict, and no team is charged with it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from tests.made_specs import made_spec, spec_with
from tests.simulator.guard.cells.test_team_client import PIPES
from tests.simulator.guard.managers.managing import CELLS, FIELD, HEAD, held, manager_text, write_plugins

from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference
from tiltyard_engine.results import MANAGER_SEAT, Fault, Termination
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import MOST_ATTEMPTS, Arena

T = Termination
SOUND = Path(__file__).parents[3] / "programs" / "teams" / "sound.py"
LIMITS = Limits(move_seconds=0.3, memory_bytes=64 << 20, reply_bytes=1 << 20)

SAYS = """
import msgspec

def say(message):
    '''Written past the seats, as an answer to the current question.'''
    import gc
    from tiltyard_simulator.guard.managers.manager_cell import ManagerCell
    (cell,) = [found for found in gc.get_objects() if type(found) is ManagerCell]
    cell.reply(message)

class NoChecks:
    '''In place of the recorder's own, so that records which it would refuse are sent.'''
    start = frame = staticmethod(lambda *told: None)

def requests(*request, recorded=()):
    from tiltyard_simulator.guard.broker import messages
    from tiltyard_simulator.guard.seats import turns
    from tiltyard_simulator.guard.seats.tanks import broker
    from tiltyard_simulator.guard.cells.messages import ENCODER
    name, *fields = request
    kind = next(getattr(module, name) for module in (messages, broker, turns) if hasattr(module, name))
    say(messages.Step(kind(*fields), [msgspec.Raw(ENCODER.encode(each)) for each in recorded]))
    stay()
"""

HOSTILE: dict[str, tuple[str, Termination, str]] = {
    "loop": ("spin()", T.TIMEOUT, "a step of run() used 0."),
    "bare-except": ("while True:\n    try: 1 / 0\n    except: pass", T.TIMEOUT, "a step of run() used 0."),
    "sleep": ("stay()", T.STALL, "a step of run() did not answer within"),
    "exit": ("raise SystemExit", T.CRASH, "run() raised SystemExit"),
    "os-exit": ("os._exit(0)", T.CRASH, "a step of run(): the process exited with code 0"),
    "exit-as-if-unconfined": ("os._exit(115)", T.CRASH, "a step of run(): the process exited with code 115"),
    "abort": ("os.abort()", T.CRASH, "a step of run(): the process was killed by SIGABRT"),
    "interrupt": ("raise KeyboardInterrupt", T.CRASH, "run() raised KeyboardInterrupt"),
    "recursion": ("def deep(): deep()\ndeep()", T.CRASH, "run() raised RecursionError"),
    "bomb": ("x = []\nwhile True: x.append(bytearray(1 << 20))", T.OUT_OF_MEMORY, "run() raised MemoryError"),
    "bomb-caught": (
        "x = []\nwhile True:\n    try: x.append(bytearray(1 << 20))\n    except MemoryError: pass",
        T.TIMEOUT,
        "a step of run() used 0.",
    ),
    "hangs-up": ("os.close(answers()); stay()", T.DISCONNECT, "a step of run(): the process closed its pipe"),
    "garbage": ("os.write(answers(), b'hello, is this on?'); stay()", T.PROTOCOL, "a step of run(): garbage instead of an answer"),
    "huge": (
        "os.write(answers(), header(number(), 1 << 30)); stay()",
        T.PROTOCOL,
        "a step of run(): an answer of 1073741824 bytes",
    ),
    "wrong-types": (
        "os.write(answers(), header(number(), 2) + bytes([0x91, 11])); stay()",
        T.PROTOCOL,
        "a step of run(): the answer has the wrong types",
    ),
    "a-teams-word": (
        "os.write(answers(), header(number(), 2) + bytes([0x91, 4])); stay()",
        T.PROTOCOL,
        "a step of run(): the answer",
    ),
    "no-such-player": ("requests('ActionsRequest', 3, [0])", T.PROTOCOL, "a step of run(): there is no player 3"),
    "player-0": ("requests('ChargeRequest', 0, Termination.CRASH, 'x')", T.PROTOCOL, "a step of run(): there is no player 0"),
    "no-such-tank": ("requests('ActionsRequest', 1, [0, 2])", T.PROTOCOL, "run(): player 1 has no tank number 2"),
    "tank-minus-2": ("requests('OneActionRequest', 2, -2)", T.PROTOCOL, "run(): player 2 has no tank number -2"),
    "turns": ("requests('StartRequest', 1, msgspec.Raw(b'\\xc0'))", T.PROTOCOL, "a step of run(): unexpected message StartRequest"),
    "unasked-view": ("requests('Shown', ['x'])", T.PROTOCOL, "a step of run(): unexpected message Shown"),
    "nothing": ("return 3", T.PROTOCOL, "run() returned int, not a GameResult"),
    "no-winner": ("return GameResult(7, '', 0, ())", T.PROTOCOL, "winner is 7, expected 0 (tie) or a seat from 1 to 2"),
    "big-number": ("return GameResult(0, '', 1 << 70, ())", T.PROTOCOL, "run() returned a result that cannot be sent"),
    "claims-falsely": (
        "requests('Claimed', GameResult(7, '', 0, ()))",
        T.PROTOCOL,
        "winner is 7, expected 0 (tie) or a seat from 1 to 2",
    ),
    "long-log": ("return GameResult(0, '', 0, (), log='x' * (2 << 20))", T.PROTOCOL, "a step of run(): an answer of 20"),
    "asks-for-ever": (
        "while True: self.match.seats[0].get_actions(self.tanks[0])",
        T.STALL,
        "run() asked tank 0 of player 1 more than 70 times in a match of 6 rounds",
    ),
    "asks-one-for-ever": (
        "while True: self.tanks[1][1].get_action()",
        T.STALL,
        "run() asked tank 1 of player 2 more than 70 times in a match of 6 rounds",
    ),
    "asks-in-one-go": (
        "self.match.seats[0].get_actions(self.tanks[0][1:] * 100)",
        T.STALL,
        "run() asked tank 1 of player 1 more than 70 times in a match of 6 rounds",
    ),
    "updates-for-ever": (
        "while True: self.match.seats[0].player.update_tank_with_battle_info(self.tanks[0][0], Walls())",
        T.STALL,
        "run() updated tank 0 of player 1 more than 70 times in a match of 6 rounds",
    ),
    "creates-for-ever": (
        "while True: self.match.seats[1].create_tank(0)",
        T.STALL,
        "run() created a tank of player 2 more than 84 times in a match of 6 rounds",
    ),
    "charges-for-ever": (
        "while True: self.match.seats[1].charge(Termination.ILLEGAL_MOVE, 'so there')",
        T.STALL,
        "run() called player 2 without asking it anything more than 1070 times in a match of 6 rounds",
    ),
    "records-a-flood": (
        "self.match.recorder.start(1, 1, ['x'])\nwhile True: self.match.recorder.frame([(0, 'y' * 100_000)])",
        T.PROTOCOL,
        "run(): more than 1 MiB was recorded",
    ),
    "records-one-big-frame": (
        "self.match.recorder.start(1, 1, ['x' * (3 << 20)]); self.match.seats[0].get_actions([])",
        T.PROTOCOL,
        "a step of run(): an answer of 31",
    ),
    "records-nowhere": (
        "recorder = self.match.recorder\nrecorder._checks = NoChecks\nrecorder.start(2, 1, 'xy'); recorder.frame([(2, 'y')])",
        T.PROTOCOL,
        "run(): a recorded change puts 'y' on square 2 of a board of 2 x 1",
    ),
    "records-no-board": (
        "self.match.recorder._checks = NoChecks\nself.match.recorder.start(3, 1, ['x', 'y'])",
        T.PROTOCOL,
        "run(): the recorded board has 2 squares, expected 3 x 1 with a token each, row by row",
    ),
    "records-nothing-for-ever": (
        "while True:\n    self.match.recorder._cell.converse(self.match.recorder.step(recorded()))",
        T.STALL,
        "run() sent records 10001 times",
    ),
    "records-garbage": (
        "requests('Recorded', recorded=[{1: 2}])",
        T.PROTOCOL,
        "run(): a record has the wrong types",
    ),
}


@pytest.fixture(scope="module")
def arena(in_any_test: tuple[str, ...]) -> Iterator[Arena]:
    with Arena() as open_arena:
        open_arena.preload([], in_any_test)
        yield open_arena


@pytest.fixture
def spec(tanks: Reference, reference_manager: Reference, teams: Mapping[str, Reference]) -> MatchSpec:
    algorithms = (teams["shooter"], teams["idler"])
    return made_spec(game=tanks, manager=reference_manager, map=FIELD, teams=algorithms, replay=True, manager_limits=LIMITS)


def hostile_text(body: str) -> str:
    """A manager that does that after its first round."""
    indented = body.replace("\n", "\n    ")
    recorded = "def recorded():\n    from tiltyard_simulator.guard.broker.messages import Recorded\n    return Recorded()\n"
    text = manager_text(
        "rounds = 1\ndef run(self, match):\n    super().run(match)\n    self.tanks = self.tanks\n    " + indented, on_fault="raise"
    )
    return PIPES + SAYS + recorded + text


def the_fault(record: MatchRecord) -> Fault:
    """The only one but for what the manager charged the teams with; it is the manager's."""
    fault, *charged = record.outcome.faults
    assert all(other.termination is T.ILLEGAL_MOVE for other in charged)
    assert fault.seat == MANAGER_SEAT, fault
    return fault


@pytest.mark.parametrize("name", HOSTILE)
def test_a_verdict_for_each(arena: Arena, spec: MatchSpec, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltyard_simulator.guard.managers.brokered_manager.MOST_RECORDED_BYTES", 1 << 20)
    body, termination, message = HOSTILE[name]
    slow = termination in (T.TIMEOUT, T.DISCONNECT) or name == "sleep"
    limits = LIMITS if slow else replace(LIMITS, move_seconds=5.0)
    if termination is T.TIMEOUT:
        # It uses CPU time for ever; by the clock it may run as long as all others.
        limits = replace(LIMITS, move_seconds=LIMITS.move_seconds / 2, wall_factor=LIMITS.wall_factor * 2)
    manager = write_plugins(tmp_path, hostile_text(body))["bad"]
    record = arena.play(held(spec_with(spec, manager=manager, manager_limits=limits), Isolation.SANDBOX))
    fault = the_fault(record)
    assert (fault.termination, fault.round) == (termination, -1), fault
    assert fault.message.startswith(message), fault
    assert (record.outcome.winner, record.outcome.ranks) == (0, (1, 1))
    assert record.outcome.incidents == ()


def test_a_crash_comes_with_the_managers_own_traceback(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    manager = write_plugins(tmp_path, hostile_text("self.match.seats[0].get_actions(7)"))["bad"]
    fault = the_fault(arena.play(held(spec_with(spec, manager=manager), Isolation.SANDBOX)))
    assert fault.message == "run() raised TypeError: 'int' object is not iterable"
    assert "self.match.seats[0].get_actions(7)" in fault.traceback
    assert "manager_cell.py" not in fault.traceback


@pytest.mark.parametrize(
    ("line", "message", "termination"),
    [
        ("while True: pass", "loading used 0.", T.TIMEOUT),
        ("os._exit(2)", "loading: the process exited with code 2", T.CRASH),
        ("1 / 0", "loading: ", T.CRASH),
        ("x = [0] * (1 << 30)", "loading: ", T.CRASH),
    ],
)
def test_trouble_in_the_import(
    arena: Arena, spec: MatchSpec, tmp_path: Path, line: str, message: str, termination: Termination
) -> None:
    manager = write_plugins(tmp_path, manager_text("pass"))["bad"]
    Path(manager.source.value).write_text(f"import os\n{line}\n{HEAD}")
    limits = replace(LIMITS, startup_seconds=0.2, wall_factor=20.0)
    outcome = arena.play(held(spec_with(spec, manager=manager, manager_limits=limits), Isolation.SANDBOX))
    fault = the_fault(outcome)
    assert fault.termination is termination, fault
    assert fault.message.startswith(message), fault


def test_a_match_has_a_limit_too(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    body = (
        "import time\nfor _ in range(6):\n    until = time.process_time() + 0.1\n    while time.process_time() < until: pass\n    "
    )
    body += "self.match.seats[0].get_actions([])"
    manager = write_plugins(tmp_path, hostile_text(body))["bad"]
    limits = replace(LIMITS, match_seconds=0.3)
    fault = the_fault(arena.play(held(spec_with(spec, manager=manager, manager_limits=limits), Isolation.PROCESS)))
    assert fault.termination is T.TIMEOUT
    assert fault.message.startswith("a step of run(): the GameManager used 0.")


WASTEFUL = """
rounds = 6
def play(self):
    for _ in range(self.rounds):
        for seat in self.match.seats:
            for index in range(2):
                # A tank for each action, and each is asked twice.
                tank = seat.create_tank(index)
                seat.get_actions([tank])
                seat.get_actions([tank])
"""


def test_a_wasteful_manager_is_no_faulty_one(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    manager = write_plugins(tmp_path, manager_text(WASTEFUL))["bad"]
    assert arena.play(held(spec_with(spec, manager=manager), Isolation.PROCESS)).outcome.faults == ()


def test_ten_times_as_often_as_the_map_says_is_not_too_often(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    """Six rounds, and a look beyond the end."""
    text = manager_text("rounds = 70")
    for rounds, faults in ((70, 0), (71, 1)):
        manager = write_plugins(tmp_path, text.replace("70", str(rounds)), f"often{rounds}.py")["bad"]
        for manager_rounds in (None, 2):
            # A match that is to end early is no shorter for the players.
            wanted = held(spec_with(spec, manager=manager, rounds=manager_rounds), Isolation.PROCESS)
            assert len(arena.play(wanted).outcome.faults) == faults


# What it can reach

OTHERS = "[int(pid) for pid in os.listdir('/proc') if pid.isdigit() and int(pid) != os.getpid()]"
REACHES: dict[str, str] = {
    "a player's files": "open(SECRET).read()",
    "a player's folder": "os.listdir(os.path.dirname(SECRET))",
    "a player's memory": f"[open(f'/proc/{{pid}}/mem', 'rb') for pid in {OTHERS}][0]",
    "a player's process": f"[os.kill(pid, 0) for pid in {OTHERS}][0]",
    "the machine's users": "open('/etc/shadow').read()",
    "a file of its own making": "open(SECRET + '.mine', 'w')",
    "a fork": "os.fork() or stay()",
    "a program": "import subprocess; subprocess.run(['/bin/true'])",
    "the network": "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', 9))",
}
"""Each raises in a sandbox; where it does not, the manager claims to have got there."""


def reaching(spec: MatchSpec, tmp_path: Path, name: str, isolation: Isolation) -> MatchSpec:
    """A match of a stranger's team under a manager that tries that."""
    team = write_plugins(tmp_path / "players", SOUND.read_text(), "secret.py", head="")["shooter"]
    body = REACHES[name].replace("SECRET", repr(team.source.value))
    manager = write_plugins(tmp_path / "managers", hostile_text(f"{body}\nreturn GameResult(1, 'GOT THERE', 0, ())"))["bad"]
    return held(spec_with(spec, manager=manager, teams=(team, team)), isolation, isolation)


@pytest.mark.skipif(probe_confinement().level is Level.C, reason="nothing can be confined here")
@pytest.mark.parametrize("name", REACHES)
def test_it_reaches_nothing(arena: Arena, spec: MatchSpec, tmp_path: Path, name: str) -> None:
    fault = the_fault(arena.play(reaching(spec, tmp_path, name, Isolation.SANDBOX)))
    assert fault.termination is T.CRASH
    assert fault.message.startswith("run() raised "), fault


@pytest.mark.parametrize("name", ["a player's files", "a player's folder"])
def test_without_a_sandbox_it_would(arena: Arena, spec: MatchSpec, tmp_path: Path, name: str) -> None:
    assert arena.play(reaching(spec, tmp_path, name, Isolation.PROCESS)).evidence.claim.reason == "GOT THERE"


# Faults of the machine


def killing(arena: Arena, spec: MatchSpec, times: int) -> tuple[MatchRecord, int]:
    """The outcome of a match whose manager's cell is killed from outside so often; it waits to be."""
    killed: list[int] = []
    # A match doesn't wait for its cells to end, so those of an earlier one may still be there.
    earlier = set(waiting_cells())
    over = threading.Event()

    def kill() -> None:
        while len(killed) < times and not over.is_set():
            for pid in waiting_cells():
                if pid not in earlier and pid not in killed:
                    killed.append(pid)
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.005)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        return arena.play(spec), len(killed)
    finally:
        over.set()
        killer.join()


def waiting_cells() -> list[int]:
    """Processes that named themselves so."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                if (folder / "comm").read_text() == f"{TO_KILL}\n":
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


TO_KILL = f"kill-{os.getpid()}"
WAITING = """
import ctypes, time
ctypes.CDLL(None).prctl(15, b"NAME", 0, 0, 0)
until = time.monotonic() + 1
while time.monotonic() < until: time.sleep(0.01)
return GameResult(0, "SPARED", 0, ())
"""


@pytest.mark.parametrize("isolation", CELLS)
def test_a_cell_killed_from_outside_is_played_again(arena: Arena, spec: MatchSpec, tmp_path: Path, isolation: Isolation) -> None:
    manager = write_plugins(tmp_path, hostile_text(WAITING.strip().replace("NAME", TO_KILL)))["bad"]
    wanted = held(spec_with(spec, manager=manager, manager_limits=Limits()), isolation)
    record, killed = killing(arena, wanted, 1)
    assert killed == 1
    assert record.outcome.faults == ()
    assert record.evidence.claim.reason == "SPARED"
    assert len(record.outcome.incidents) == 1
    assert record.outcome.incidents[0].startswith("GameManager: a step of run(): the process was killed from outside")


def test_a_manager_that_is_lost_every_time_is_charged_after_all(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    manager = write_plugins(tmp_path, hostile_text("import signal; os.kill(os.getpid(), signal.SIGKILL); stay()"))["bad"]
    record = arena.play(held(spec_with(spec, manager=manager), Isolation.PROCESS))
    fault = the_fault(record)
    assert fault.termination is T.CRASH
    assert fault.message.endswith(f"in {MOST_ATTEMPTS} attempts")
    assert len(record.outcome.incidents) == MOST_ATTEMPTS - 1


def test_a_lost_zygote_is_played_again(arena: Arena, spec: MatchSpec, tmp_path: Path) -> None:
    """A zygote is the parent of its cells; without a sandbox a manager can kill it."""
    body = """
import signal
if not os.path.exists(MARK):
    open(MARK, "w").close()
    os.kill(os.getppid(), signal.SIGKILL)
    stay()
return GameResult(0, "SPARED", 0, ())
"""
    mark = tmp_path / "mark"
    manager = write_plugins(tmp_path, hostile_text(body.strip().replace("MARK", repr(str(mark)))))["bad"]
    record = arena.play(held(spec_with(spec, manager=manager, manager_limits=Limits()), Isolation.PROCESS))
    assert mark.exists()
    assert record.outcome.faults == ()
    assert record.evidence.claim.reason == "SPARED"
    assert len(record.outcome.incidents) == 1
