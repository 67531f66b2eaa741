"""Runs installed commands for tests: each in a process of its own, but without importing everything anew for each.

The server imports what the commands import, the installed plugins too, and forks for each request. The fork has the caller's
environment, folder and streams, calls the command's ``main`` as its script does, and runs what is to be run at its end. It has
one core. How commands start is tested elsewhere, and the README starts all that it shows. ``StartedCommand`` is one that a test
does things to while it runs.

``QuickCommands`` is the same for shell lines: a folder of small scripts that have a server run what they are named after.

All test processes of a run share what has imported everything: each has a fork of it for its server.
"""

from __future__ import annotations

import atexit
import fcntl
import functools
import gc
import hashlib
import importlib
import json
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Final, NoReturn, TextIO

MODULES: Final = {
    "tiltyard": "tiltyard_tournaments.cli.start",
    "simulator": "tiltyard_matchups.simulator_command",
    "tanks_game": "tiltyard_tanks.tanks_game",
    "game_engine": "tiltyard_filler.game_engine",
    "penguins-master": "tiltyard_penguins.programs.penguins_master",
}
DASK_MODULES: Final = {"scheduler": "distributed.cli.dask_scheduler", "worker": "distributed.cli.dask_worker"}
"""A server of its own has these: what they import would be found in all commands."""
LARGEST: Final = 1 << 17
"""Bytes of a request."""
REQUESTS, CLIENTS = b"requests", b"clients"
"""What a test process wants of its fork: to serve its own requests, or those of the clients that come to a socket.

Any other word is a module to import before the first.
"""
places: Final[list[Path]] = []
"""A folder in which the test processes of a run find what they share; without one, each process has its own."""
UMASK: Final = os.umask(0o022)
"""That of the run. A test may have changed its own when it needs a server."""
os.umask(UMASK)


class ForkServer:
    """The server as a test process sees it.

    Args:
        prefix: words of another command that starts it, such as in a namespace.
        cwd: its folder, where it has a prefix.
        modules: what it runs.
        more: a module that it imports as well, where it has no prefix.
    """

    def __init__(
        self, prefix: Sequence[str] = (), cwd: Path | None = None, modules: Mapping[str, str] = MODULES, more: str = ""
    ) -> None:
        self._python = python_settings(os.environ)
        self._modules = modules
        kind = "commands" if modules is MODULES else "dask"
        self._process: subprocess.Popen[bytes] | None = None
        if places and not prefix:
            self._channel = shared_channel(kind, os.environ)
            self._channel.send(more.encode() or REQUESTS)
            return
        self._channel, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            command = [*prefix, sys.executable, __file__, kind, str(theirs.fileno())]
            # Where its own streams could seek, those of its forks would try to.
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(
                command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, pass_fds=[theirs.fileno()]
            )

    def close(self) -> None:
        """End it."""
        self._channel.close()
        if self._process is not None:
            self._process.communicate()

    def can_run(self, name: str, environment: Mapping[str, str] = os.environ) -> bool:
        """Whether it has the command, and was itself started with what the command's own Python would be started with."""
        return name in self._modules and python_settings(environment) == self._python

    def start(
        self, name: str, words: Sequence[str], cwd: Path, environment: Mapping[str, str], output: int | None = None
    ) -> StartedCommand:
        """Start a command as the first process of a session; ``output`` is a file for all that it prints."""
        argv = [str(Path(sys.executable).with_name(name)), *words]
        request = json.dumps([name, argv, str(cwd), dict(environment)]).encode()
        (from_stdout, stdout), (from_stderr, stderr) = (os.pipe(), os.pipe()) if output is None else ((-1, output), (-1, output))
        told, teller = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with teller:
            socket.send_fds(self._channel, [request], [stdout, stderr, teller.fileno()])
        if output is None:
            os.close(stdout)
            os.close(stderr)
        return StartedCommand(argv, told, from_stdout, from_stderr)

    def run(self, name: str, words: Sequence[str], cwd: Path, seconds: float) -> subprocess.CompletedProcess[str]:
        """As ``subprocess.run`` does it with captured text.

        Raises:
            subprocess.TimeoutExpired: it took longer, and was killed.
        """
        argv = [str(Path(sys.executable).with_name(name)), *words]
        request = json.dumps([name, argv, str(cwd), dict(os.environ)]).encode()
        with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
            socket.send_fds(self._channel, [request], [stdout.fileno(), stderr.fileno()])
            pid = int(self._channel.recv(LARGEST))
            self._channel.settimeout(seconds)
            try:
                status = int(self._channel.recv(LARGEST))
            except TimeoutError as error:
                os.kill(pid, signal.SIGKILL)
                self._channel.settimeout(None)
                self._channel.recv(LARGEST)
                raise subprocess.TimeoutExpired(argv, seconds) from error
            texts = []
            for stream in (stdout, stderr):
                stream.seek(0)
                # Line ends as a stream of text has them.
                texts.append(stream.read().decode().replace("\r\n", "\n").replace("\r", "\n"))
        return subprocess.CompletedProcess(argv, status, *texts)


class StartedCommand:
    """A command that a server has started; as ``subprocess.Popen`` of text."""

    def __init__(self, args: list[str], told: socket.socket, stdout: int, stderr: int) -> None:
        self.args = args
        self.returncode: int | None = None
        self.pid = int(told.recv(LARGEST))
        self._told = told
        self.stdout, self.stderr = (None if number < 0 else os.fdopen(number, encoding="utf-8") for number in (stdout, stderr))

    def poll(self) -> int | None:
        """The status, as soon as it has ended."""
        return self._status(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """The status.

        Raises:
            subprocess.TimeoutExpired: it goes on.
        """
        status = self._status(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        return status

    def _status(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], timeout)[0]:
            self.returncode = int(self._told.recv(LARGEST))
            self._told.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send one, unless it is known that it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float | None = None) -> tuple[str, str]:
        """The rest of what it prints, when it has ended and everybody who could print for it has.

        Raises:
            subprocess.TimeoutExpired: that takes longer. Nothing can be read after it.
        """
        texts = ["", ""]

        def read(place: int, stream: TextIO) -> None:
            if not stream.closed:
                with stream:
                    texts[place] = stream.read()

        streams = [stream for stream in (self.stdout, self.stderr) if stream is not None]
        readers = [threading.Thread(target=read, args=(place, stream), daemon=True) for place, stream in enumerate(streams)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(timeout)
            if reader.is_alive():
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
        self.wait(timeout)
        return texts[0], texts[1]


def call_at_exit(close: Callable[[], None]) -> None:
    """Call it when this process ends; not in a fork of it that calls what is due at its own exit."""
    own = os.getpid()
    atexit.register(lambda: close() if os.getpid() == own else None)


@functools.cache
def shared_server(kind: str = "commands") -> ForkServer:
    """One for all tests of a process; it ends with the process. Commands that play on clusters have a server of their own."""
    server = ForkServer(modules=DASK_MODULES if kind == "dask" else MODULES, more="distributed" if kind == "clusters" else "")
    call_at_exit(server.close)
    return server


CLIENT: Final = """\
#!{python} -IS
import _socket, marshal, os, sys
channel = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
status = None
try:
    channel.connect({address!r})
    streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
    request = marshal.dumps([{name!r}, [{command!r}, *sys.argv[1:]], os.getcwd(), dict(os.environ)])
    channel.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
    status = channel.recv(100)
except OSError:
    pass
if not status:
    os.execv({command!r}, [{command!r}, *sys.argv[1:]])
sys.exit(int(status))
"""
"""Nothing is imported that takes time. Where there is no server, or this one doesn't fit, it becomes the command itself."""


class QuickCommands:
    """A server for shell lines in ``environment``, or in one with other settings than Python's own; PYTHONPATH may be any."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        """To be put first on the PATH."""
        address = str(folder / "socket")
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
            listener.bind(address)
            listener.listen()
            self._channel = shared_channel("commands", {name: environment[name] for name in environment if name != "PYTHONPATH"})
            socket.send_fds(self._channel, [CLIENTS], [listener.fileno()])
        for name in MODULES:
            script = folder / name
            real = str(Path(sys.executable).with_name(name))
            script.write_text(CLIENT.format(python=sys.executable, address=address, name=name, command=real))
            script.chmod(0o755)

    def close(self) -> None:
        """End the server."""
        self._channel.close()


def shared_channel(kind: str, environment: Mapping[str, str]) -> socket.socket:
    """A channel to a fork of its own of what has imported all that is needed. Whoever comes first starts that."""
    settings = sorted({**python_settings(environment), "TILTYARD_BLOCK": environment.get("TILTYARD_BLOCK", "")}.items())
    address = str(places[0] / f"{kind}-{hashlib.sha256(repr(settings).encode()).hexdigest()[:16]}")
    channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with locked(address):
        try:
            channel.connect(address)
        except OSError:
            Path(address).unlink(missing_ok=True)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
                listener.bind(address)
                listener.listen()
                start_shared([kind, str(listener.fileno()), address], listener.fileno(), environment)
            channel.connect(address)
    return channel


def start_shared(words: Sequence[str], descriptor: int, environment: Mapping[str, str]) -> None:
    """Start it as nobody's child: it outlives the test process that needs it first."""
    # Where its own streams could seek, those of its forks would try to.
    reader, writer = os.pipe()
    subprocess.run(
        [sys.executable, __file__, *words],
        check=True,
        stdin=subprocess.DEVNULL,
        stdout=writer,
        stderr=writer,
        pass_fds=[descriptor],
        env=dict(environment),
        umask=UMASK,
    )
    os.close(writer)
    os.close(reader)


@contextmanager
def locked(address: str) -> Iterator[None]:
    """Nobody else looks for what is shared at an address, starts or ends it."""
    with Path(f"{address}.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def share(listener: socket.socket, address: str) -> list[socket.socket]:
    """Fork for each test process. Returns in the forks alone, with the sockets to serve; ends after the last of them."""
    forks: set[int] = set()
    while True:
        ready, _, _ = select.select([listener.fileno(), *forks], [], [])
        for fork in forks.intersection(ready):
            os.waitid(os.P_PIDFD, fork, os.WEXITED)
            os.close(fork)
            forks.remove(fork)
        if listener.fileno() in ready:
            channel, _ = listener.accept()
            pid = os.fork()
            if pid == 0:
                listener.close()
                for fork in forks:
                    os.close(fork)
                wanted, handed, _, _ = socket.recv_fds(channel, LARGEST, 1)
                if wanted == CLIENTS:
                    return [socket.socket(fileno=handed[0]), channel]
                if wanted not in (REQUESTS, b""):
                    importlib.import_module(wanted.decode())
                    gc.freeze()
                return [channel]
            channel.close()
            forks.add(os.pidfd_open(pid))
        elif not forks:
            with locked(address):
                if not select.select([listener], [], [], 0)[0]:
                    os._exit(0)


def server_for(words: Sequence[str]) -> ForkServer:
    """The one that has imported what a command with these words imports."""
    return shared_server("clusters" if "--cluster" in words and find_spec("distributed") is not None else "commands")


def python_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """What only a new Python would read."""
    return {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


def serve(channel: socket.socket) -> str:
    """Fork for each request. Returns only in a fork, with the name of its command, or "" when the test process is gone."""
    keepers: list[int] = []
    while True:
        data, streams, _, _ = socket.recv_fds(channel, LARGEST, 3)
        if not data:
            return ""
        keepers = [keeper for keeper in keepers if os.waitpid(keeper, os.WNOHANG) == (0, 0)]
        pid = os.fork()
        if pid == 0:
            channel.close()
            name, argv, cwd, environment = json.loads(data)
            if len(streams) == 3:
                keep_one(socket.socket(fileno=streams.pop()), streams)
            return become(name, argv, cwd, environment, dict(enumerate(streams, start=1)))
        for stream in streams:
            os.close(stream)
        if len(streams) == 3:
            keepers.append(pid)
        else:
            channel.send(str(pid).encode())
            channel.send(str(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])).encode())


def keep_one(teller: socket.socket, streams: Sequence[int]) -> None:
    """Fork once more: returns in the command's own process alone; this one tells its number, and its status when it has ended."""
    pid = os.fork()
    if pid == 0:
        teller.close()
        os.setsid()
        return
    for stream in streams:
        os.close(stream)
    teller.send(str(pid).encode())
    with suppress(OSError):  # nobody wants to know any more
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        teller.send(str(status).encode())
    os._exit(0)


def serve_clients(listener: socket.socket, channel: socket.socket) -> str:
    """Fork for each client; see ``serve``. Several may be there at once: commands of one pipeline."""
    settings = python_settings(os.environ)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        ready, _, _ = select.select([listener, channel], [], [])
        if channel in ready:
            return ""
        client, _ = listener.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listener.close()
            channel.close()
            data, streams, _, _ = socket.recv_fds(client, LARGEST, 3)
            name, argv, cwd, environment = marshal.loads(data)
            wanted = python_settings(environment)
            path = wanted.pop("PYTHONPATH", "")
            if wanted != settings:
                os._exit(0)
            pid = os.fork()
            if pid == 0:
                client.close()
                name = become(name, argv, cwd, environment, dict(enumerate(streams)))
                sys.path[1:1] = folders = [folder for folder in path.split(os.pathsep) if folder]
                if any(map(os.path.isdir, folders)):
                    files_of_plugins().forget()
                return name
            for stream in streams:
                os.close(stream)
            status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
            client.send(str(status if status >= 0 else 128 - status).encode())
            os._exit(0)
        client.close()


def become(name: str, argv: list[str], cwd: str, environment: dict[str, str], streams: dict[int, int]) -> str:
    """Let this process be as if a shell had started the command; its name."""
    for number, stream in streams.items():
        os.dup2(stream, number)
        os.close(stream)
    sys.argv = argv
    # Unless told otherwise a command starts a worker a core, each with a process that cells are forked from: more work than the
    # matches of most tests. Those of several workers ask for them.
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[os.getpid() % len(cores)]})
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    # Python puts a script's folder there.
    sys.path[0] = str(Path(argv[0]).parent)
    return name


def files_of_plugins() -> ModuleType:
    """What knows whose the installed files are: each command that confines teams would look through all distributions."""
    return importlib.import_module("tiltyard_simulator.match.plugin_files")


def import_all() -> None:
    """Import what any command imports: most of the time of a short one."""
    gc.disable()
    imported = {name: importlib.import_module(module) for name, module in MODULES.items()}
    start = imported["tiltyard"]
    for module in start.COMMANDS:
        importlib.import_module(f"{start.__package__}.{module}")
    own = importlib.import_module("tiltyard_simulator.match.own_distributions").OWN_DISTRIBUTIONS
    commands = importlib.import_module("tiltyard_engine.registry.commands")
    for command in commands.contributed_commands(own):
        importlib.import_module(command.target.partition(":")[0])
    registry = importlib.import_module("tiltyard_engine.registry")
    registry.Registry.installed(registry.Selection())
    files_of_plugins().owners()
    # A garbage collection in a fork would look through all of this, and copy the pages that it shares with the server.
    gc.freeze()
    gc.enable()


def import_dask() -> None:
    """Import what schedulers and workers of Dask import."""
    for module in (*DASK_MODULES.values(), "tiltyard_cluster.remote_worker"):
        importlib.import_module(module)
    gc.freeze()


def run_to_its_end(name: str) -> NoReturn:
    """Run a command, and end as Python does, but without taking all modules apart first: that takes longer than many commands."""
    status: object = 1
    try:
        if name in DASK_MODULES:
            importlib.import_module("dask.config").refresh()
        status = importlib.import_module({**MODULES, **DASK_MODULES}[name]).main()
    except SystemExit as end:
        status = end.code
    except BaseException:
        traceback.print_exc()
    if isinstance(status, str):
        print(status, file=sys.stderr)
        status = 1
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    kind, number, *address_of_all = sys.argv[1:]
    if address_of_all:
        if os.fork():
            os._exit(0)
        # A test may have bound its process to a core.
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    import_dask() if kind == "dask" else import_all()
    sockets = [socket.socket(fileno=int(number))]
    if address_of_all:
        sockets = share(sockets[0], *address_of_all)
    if wanted := serve(*sockets) if len(sockets) == 1 else serve_clients(*sockets):
        run_to_its_end(wanted)
    os._exit(0)
