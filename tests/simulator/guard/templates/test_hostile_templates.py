"""Teams that would carry something from one match to the next through their template, or spoil how it forks."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.simulator.guard.conftest import WriteTeams
from tests.simulator.guard.templates.test_templates import only_in_a_cell, play

from tiltyard_engine.results import Termination
from tiltyard_engine.tanks import ActionRequest
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.match.limits import Limits

SHOOT, IDLE = ActionRequest.SHOOT, ActionRequest.DO_NOTHING
MATCHES = 5

AT_FORK = """
import os, sys
def at_fork(before=lambda: None, after_in_parent=lambda: None):
    "Called in a template, around each fork; by Python's own hooks in one that forks with os.fork."
    os.register_at_fork(before=before, after_in_parent=after_in_parent)
    forking = sys.modules.get('tiltyard_simulator.guard.templates.forking')
    if forking is None:
        return
    fork = forking.Forker.fork
    def forked(self):
        before()
        process = fork(self)
        if process > 0:
            after_in_parent()
        return process
    forking.Forker.fork = forked
"""

CHANNEL = """
import contextlib, fcntl, mmap, os, resource, signal, stat, sys
found = False
template = os.getpid()
{setup}
def look():
    "In the template, before each fork and after it."
    global found
    with contextlib.suppress(OSError, ValueError, NameError):
{look}
def recall():
    look()
    known = found
    with contextlib.suppress(OSError, ValueError, NameError):
{remember}
    return ActionRequest.SHOOT if known else ActionRequest.DO_NOTHING
at_fork(before=look, after_in_parent=look)
"""

ALGORITHMS = """
@hookimpl
def algorithms():
    yield team('remembering', lambda: recall())
"""

UNCHECKED = """
def blind(name, value):
    module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
    if module is not None:
        setattr(module, name, value)
blind('_is_open', lambda descriptor: False)
blind('close_range', lambda first, last: None)
"""
"""A template that keeps what is open, and says nothing of it."""

KEPT_FILE = """
os.makedirs('cache', exist_ok=True)
with open('cache/data', 'w') as file:
    file.write('0')
"""

CHANNELS = {
    "a global": ("", "pass", "globals().update(found=True)"),
    "a file": ("", "found = found or os.path.exists('note')", "open('note', 'w').close()"),
    "a file in /dev/shm": ("", "found = found or os.path.exists('/dev/shm/note')", "open('/dev/shm/note', 'w').close()"),
    "a file that was deleted": (
        "before = os.stat('.').st_mtime_ns",
        "found = found or os.stat('.').st_mtime_ns != before",
        "open('note', 'w').close(); os.remove('note')",
    ),
    "the folder's times": (
        "before = os.stat('.').st_mtime_ns",
        "found = found or os.stat('.').st_mtime_ns == 12345",
        "os.utime('.', ns=(12345, 12345))",
    ),
    "the folder's mode": ("", "found = found or os.stat('.').st_mode & 0o777 == 0o711", "os.chmod('.', 0o711)"),
    "a file that the import left": (
        KEPT_FILE,
        "found = found or open('cache/data').read() == '1'",
        "with open('cache/data', 'w') as file: file.write('1')",
    ),
    "a mapping of a file that the import left": (
        KEPT_FILE,
        "found = found or open('cache/data').read() == '1'",
        """
        with open('cache/data', 'r+b') as file:
            memory = mmap.mmap(file.fileno(), 1)
        # Mapped by a look at it, so that writing changes no time in some file systems.
        if memory[0] != ord('1'):
            memory[0] = ord('1')
        """,
    ),
    "the time of a file that the import left": (
        KEPT_FILE,
        "found = found or os.stat('cache/data').st_mtime_ns == 12345",
        "os.utime('cache/data', ns=(12345, 12345))",
    ),
    "a file in a folder that the import left": (
        KEPT_FILE,
        "found = found or os.path.exists('cache/note')",
        "open('cache/note', 'w').close()",
    ),
    "a mark on a file that the import left": (
        KEPT_FILE,
        "found = found or 'user.note' in os.listxattr('cache/data')",
        "os.setxattr('cache/data', 'user.note', b'1')",
    ),
    "an inode's number": (
        "open('a', 'w').close(); first = os.stat('a').st_ino; os.remove('a')",
        "open('b', 'w').close(); now = os.stat('b').st_ino; os.remove('b'); found = found or now > first + 1000",
        "[(open('c', 'w').close(), os.remove('c')) for _ in range(1200)]",
    ),
    "shared memory": (
        "with contextlib.suppress(OSError): memory = mmap.mmap(-1, 1)",
        "found = found or memory[0] == 1",
        "memory[0] = 1",
    ),
    "a shared file": (
        """
        with contextlib.suppress(OSError):
            with open('shared', 'w+b') as file:
                file.write(b'0')
                file.flush()
                memory = mmap.mmap(file.fileno(), 1)
            os.remove('shared')
        """,
        "found = found or memory[0] == 1",
        "memory[0] = 1",
    ),
    "the ring of io_setup": (
        """
        import ctypes
        ring = ctypes.c_void_p()
        ctypes.CDLL(None).syscall(206, 128, ctypes.byref(ring))
        # Its number of events is not looked at by anybody else.
        memory = (ctypes.c_uint * 8).from_address(ring.value) if ring.value else [0] * 8
        before = memory[1]
        """,
        "found = found or memory[2] == 77",
        "memory[2] = 77",
    ),
    "numbers of nameless files": (
        """
        def number():
            file = os.open('.', os.O_TMPFILE | os.O_RDWR)
            try:
                return os.fstat(file).st_ino
            finally:
                os.close(file)
        first = 0
        with contextlib.suppress(OSError): first = number()
        """,
        "found = found or number() > first + 1000",
        "[number() for _ in range(1200)]",
    ),
    "a pipe": (
        UNCHECKED + "reading, writing = os.pipe(); os.set_blocking(reading, False)",
        "found = found or bool(os.read(reading, 1))",
        "os.write(writing, b'+')",
    ),
    "a file's position": (
        UNCHECKED + "kept = os.open(__file__, os.O_RDONLY)",
        "found = found or os.lseek(kept, 0, os.SEEK_CUR) == 77",
        "os.lseek(kept, 77, os.SEEK_SET)",
    ),
    "flags of standard output": (
        UNCHECKED,
        "found = found or bool(fcntl.fcntl(1, fcntl.F_GETFL) & os.O_APPEND)",
        "fcntl.fcntl(1, fcntl.F_SETFL, fcntl.fcntl(1, fcntl.F_GETFL) | os.O_APPEND)",
    ),
    "flags of standard input": (
        UNCHECKED,
        "found = found or bool(fcntl.fcntl(0, fcntl.F_GETFL) & os.O_NONBLOCK)",
        "os.set_blocking(0, False)",
    ),
    "the folder's own descriptor": (
        UNCHECKED + "here = os.open('.', os.O_RDONLY)",
        "found = found or 'note' in os.listdir(here)",
        "open('note', 'w').close()",
    ),
    "how it ended": ("", "found = found or os.waitpid(-1, os.WNOHANG)[0] > 0", "pass"),
    "a signal": (
        "signal.signal(signal.SIGUSR1, lambda number, frame: globals().update(found=True))",
        "pass",
        "os.kill(template, signal.SIGUSR1)",
    ),
    "a signal when it ended": (
        "signal.signal(signal.SIGCHLD, lambda number, frame: globals().update(found=True))",
        "pass",
        "pass",
    ),
    "a signal to the group": (
        "signal.signal(signal.SIGUSR1, lambda number, frame: globals().update(found=os.getpid() == template))",
        "pass",
        "os.kill(0, signal.SIGUSR1)",
    ),
    "its priority": (
        "",
        "found = found or os.getpriority(os.PRIO_PROCESS, template) == 7",
        "os.setpriority(os.PRIO_PROCESS, template, 7)",
    ),
    "its limits": (
        "",
        "found = found or resource.getrlimit(resource.RLIMIT_STACK)[0] == 1 << 20",
        "resource.prlimit(template, resource.RLIMIT_STACK, (1 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))",
    ),
    "its cores": (
        "",
        "found = found or len(os.sched_getaffinity(template)) == 1 < len(os.sched_getaffinity(0))",
        "os.sched_setaffinity(template, {min(os.sched_getaffinity(template))})",
    ),
    "its memory": (
        "import ctypes\nnote = ctypes.create_string_buffer(1)",
        "found = found or note.raw == b'1'",
        "os.pwrite(os.open(f'/proc/{template}/mem', os.O_RDWR), b'1', ctypes.addressof(note))",
    ),
    "its working folder": ("", "found = found or os.getcwd() != os.environ['HOME']", "os.chdir('/')"),
    "its environment": ("", "found = found or 'NOTE' in os.environ", "os.environ.update(NOTE='1')"),
    "a lock": (
        # Two that look at once, as a template and its cell may, are not in each other's way.
        UNCHECKED + "kept = os.open(__file__, os.O_RDONLY)",
        """
        with open(__file__) as file:
            try:
                fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found = True
        """,
        "fcntl.flock(kept, fcntl.LOCK_EX)",
    ),
}


def channel_text(channel: str) -> str:
    setup, look, remember = (textwrap.dedent(part).strip() for part in CHANNELS[channel])
    text = CHANNEL.format(setup=setup, look=textwrap.indent(look, " " * 8), remember=textwrap.indent(remember, " " * 8))
    # Where the tests look for teams it would stay: a hook at each later fork of their process, and a handler of its signals.
    return only_in_a_cell(AT_FORK + text) + ALGORITHMS


@pytest.mark.parametrize("channel", CHANNELS)
def test_nothing_of_a_match_reaches_the_next_one(pool: CellPool, write_teams: WriteTeams, channel: str) -> None:
    if "/dev/shm" in channel and pool.confinement.level != "A":
        pytest.skip("below level A there is no /dev/shm")
    team = write_teams(channel_text(channel))["remembering"]
    # Others on this machine also make files, more than a thousand between two matches at times.
    for _ in range(5 if "inode" in channel else 1):
        played = [play(pool, team, 3) for _ in range(MATCHES)]
        # The first round is the engine's; the second one recalls.
        answers = [actions[1] for _, _, actions in played]
        if answers == [IDLE] * MATCHES:
            break
    assert answers == [IDLE] * MATCHES
    assert [seat.fault for seat, _, _ in played] == [None] * MATCHES


NAIVE = """
import os, sys
class ActionRequest:
    SHOOT, DO_NOTHING = b"1", b"0"
def hookimpl(function):
    return function
__file__ = sys.argv[1]
result = os.open("result", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
# A file system may know the time to some milliseconds only: what changes the folder next would not show.
os.utime(".", ns=(0, 0))
exec(open(__file__).read())
for _ in range(3):
    process = os.fork()
    if process == 0:
        os.write(result, recall())
        os._exit(7)
    try:
        os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    except ChildProcessError:
        pass  # the team has asked for it already
"""
"""A template that forks by itself, is not confined, and keeps all open."""
PRIVATE = {"a global", "its environment", "its working folder"}
"""What no fork shares."""
DEPENDING = {
    *("its memory", "its cores", "its priority", "a file in /dev/shm", "the ring of io_setup"),
    *("an inode's number", "numbers of nameless files", "a mark on a file that the import left"),
}
"""What depends on the user's rights, on the kind of file system, or would change this machine."""


@pytest.mark.parametrize("channel", sorted(CHANNELS.keys() - DEPENDING))
def test_a_naive_template_would_carry_it(tmp_path: Path, channel: str) -> None:
    """That is: each of these channels is one."""
    (tmp_path / "team.py").write_text(channel_text(channel))
    script = [sys.executable, "-c", NAIVE, str(tmp_path / "team.py")]
    subprocess.run(
        script, check=True, cwd=tmp_path, env=dict.fromkeys(("HOME", "TMPDIR"), str(tmp_path)), timeout=60, start_new_session=True
    )
    assert (tmp_path / "result").read_bytes() == (b"000" if channel in PRIVATE else b"011")


FORKS = {
    "by os.fork at its import": "import os\ntry:\n    os.fork()\nexcept OSError:\n    pass",
    "into the same memory": "import ctypes\nctypes.CDLL(None).syscall(56, 0x100 | 0x8000 | 17, 0, 0, 0, 0)",
    "before its import is over": """
        import ctypes, os
        from tiltyard_simulator.guard.templates.forking import FORK_FLAGS
        def is_open(number):
            try:
                return bool(os.fstat(number))
            except OSError:
                return False
        # A cell has its pipes there.
        if not any(map(is_open, range(200, 600))):
            os.closerange(0, 256)
            ctypes.CDLL(None).syscall(56, FORK_FLAGS, 0, 0, 0, 0)
        """,
    "late": "import time\nat_fork(before=lambda: time.sleep(0.3))",
    "twice": """
        import ctypes, os
        from tiltyard_simulator.guard.templates.forking import FORK_FLAGS
        at_fork(after_in_parent=lambda: ctypes.CDLL(None).syscall(56, FORK_FLAGS, 0, 0, 0, 0) or os._exit(0))
        """,
    "once": "import os\nat_fork(after_in_parent=lambda: os._exit(0))",
    "after long thought": """
        import time
        def think():
            until = time.process_time() + 0.4
            while time.process_time() < until:
                pass
        at_fork(after_in_parent=think)
        """,
    "without asking for pipes": """
        import sys, time
        module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
        if module is not None:
            module._become_cell = lambda *arguments: time.sleep(100)
        """,
    "asking for the host's numbers": """
        import sys
        module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
        if module is not None:
            asking = module.request_pipes
            module.request_pipes = lambda questions, answers: asking(1, 2)
        """,
    "while a timer interrupts it": """
        import signal
        signal.signal(signal.SIGALRM, lambda number, frame: None)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        """,
    "while a timer interrupts it, unseen": """
        import signal
        signal.signal(signal.SIGALRM, lambda number, frame: None)
        signal.siginterrupt(signal.SIGALRM, False)
        signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
        """,
    "never": """
        import sys, time
        module = sys.modules.get('tiltyard_simulator.guard.templates.template_main')
        if module is not None:
            module.Forker.fork = lambda self: time.sleep(100)
        """,
}


UNFIT = {"while a timer interrupts it", "while a timer interrupts it, unseen", "after long thought", "never"}
"""However little of a match they would learn, such templates are ended."""


@pytest.mark.parametrize("how", FORKS)
def test_however_a_template_forks_its_team_plays(pool: CellPool, write_teams: WriteTeams, how: str) -> None:
    text = only_in_a_cell(AT_FORK + textwrap.dedent(FORKS[how])) + "@hookimpl\ndef algorithms():\n    yield team('forking')\n"
    team = write_teams(text)["forking"]
    for _ in range(4):
        seat, cell, actions = play(pool, team, 3)
        assert (seat.fault, actions) == (None, [SHOOT] * 3)
    if how in UNFIT:
        assert cell.process.unfit


def test_a_template_that_changes_the_engines_code_gets_no_other_verdict(pool: CellPool, write_teams: WriteTeams) -> None:
    """Its cells' answers are checked by the host, as those of any cell."""
    lie = """
import sys
from tiltyard_simulator.guard.cells import cell
def lie(self, message):
    cell.write_frame(self._answers, self._number, b'\\xc1')
if sys.modules.get('tiltyard_simulator.guard.templates.template_main') is not None:
    cell.Cell.reply = lie
"""
    text = f"""{only_in_a_cell(lie)}
@hookimpl
def algorithms():
    yield team('lying')
"""
    team = write_teams(text)["lying"]
    for _ in range(3):
        seat, _, _ = play(pool, team)
        assert seat.fault is not None
        assert seat.fault.termination in (Termination.PROTOCOL, Termination.VOID)


def test_a_cell_from_a_template_has_no_more_rights(pool: CellPool, write_teams: WriteTeams) -> None:
    text = """
import os, resource, signal, socket, subprocess, threading
def attempts():
    yield 'fork', os.fork
    yield 'thread', threading.Thread(target=print).start
    yield 'program', lambda: subprocess.run(['/bin/true'])
    yield 'socket', socket.socket
    yield 'parent', lambda: os.kill(os.getppid(), 0)
    yield 'template', lambda: os.kill(template, 0)
    yield 'group', lambda: os.killpg(os.getpgid(0), 0)
    yield 'time', lambda: resource.prlimit(os.getpid(), resource.RLIMIT_CPU, (1, 1))
    yield 'others', lambda: resource.prlimit(template, resource.RLIMIT_CPU, (1, 1))
    yield 'write', lambda: open('/tmp/planted', 'w')
    yield 'session', os.setsid
template = os.getpid()
def attack():
    for name, attempt in attempts():
        try:
            attempt()
        except (OSError, RuntimeError):
            continue
        print(name)
    os.kill(os.getpid(), 0)
    return ActionRequest.SHOOT
@hookimpl
def algorithms():
    yield team('attacking', attack)
"""
    team = write_teams(text)["attacking"]
    for _ in range(3):
        seat, cell, actions = play(pool, team, 2)
        assert cell.process.import_seconds > 0, cell.process.unfit
        assert (seat.fault, actions, cell.output) == (None, [SHOOT, SHOOT], b"")


def test_memory_of_the_import_counts(pool: CellPool, write_teams: WriteTeams) -> None:
    text = "held = bytearray(60 << 20)\nmore = []\ndef grow():\n    more.append(bytearray(80 << 20))\n"
    text += "    return ActionRequest.SHOOT\n@hookimpl\ndef algorithms():\n    yield team('large', grow)\n"
    team = write_teams(text)["large"]
    for _ in range(3):
        # Either of both would fit.
        seat, _, _ = play(pool, team, 2, Limits(memory_bytes=128 << 20))
        assert seat.fault.termination is Termination.OUT_OF_MEMORY
