"""What a cell can read and write."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from tiltyard_simulator.guard.policy import Level

SECRET = "{folder}/tree/rival/secret.txt"


@pytest.mark.parametrize(
    "path",
    [
        SECRET,
        "{folder}/tree/own/link.txt",
        "{folder}/tree/own/../rival/secret.txt",
        "/proc/self/root" + SECRET,
        "/proc/1/root" + SECRET,
        "/proc/{parent}/root" + SECRET,
        "/proc/{parent}/mem",
        "/proc/{parent}/environ",
        "/proc/{sibling}/maps",
        "/proc/self/mem",
        "/etc/shadow",
        "/etc/passwd",
        "{home}/.profile",
        "{outside}/file.txt",
        "/dev/tty",
        "/sys/kernel/uevent_seqnum",
    ],
)
@pytest.mark.parametrize("shared", [True, False])
def test_unreadable(lab: Any, refused: Any, path: str, shared: bool) -> None:
    home = str(Path.home())
    code = f"open({path!r}.format(folder=folder, home={home!r}, outside=folder + '/outside', parent=os.getppid(), sibling=sibling))"
    refused(code + ".read(1)", shared=shared)


def test_only_the_hidden_is_hidden(lab: Any) -> None:
    assert lab.run("result = open(folder + '/tree/own/data.txt').read()").text == "own data"
    assert lab.run("result = open(folder + '/tree/rival/secret.txt').read()", hidden=()).text == "rival's secret"


def test_a_readable_path_deeper_than_a_hidden_one_is_readable(lab: Any, refused: Any) -> None:
    readable = ("tree", "tree/rival/again")
    assert lab.run("result = open(folder + '/tree/rival/again/data.txt').read()", readable=readable).text == "readable again"
    refused("open(folder + '/tree/rival/secret.txt')", readable=readable)


def test_hidden_folders_below_the_scratch_folders_stay_hidden(lab: Any, refused: Any) -> None:
    shared = lab.folder / "scratches/shared"
    (shared / "rival").mkdir(parents=True, exist_ok=True)
    (shared / "rival/secret.txt").write_text("secret")
    (shared / "data.txt").write_text("data")
    where = {"readable": ("scratches/shared",), "hidden": ("scratches/shared/rival",)}
    refused("open(folder + '/scratches/shared/rival/secret.txt')", **where)
    assert lab.run("result = open(folder + '/scratches/shared/data.txt').read()", **where).text == "data"
    refused("open(folder + '/scratches/shared/data.txt', 'a')", **where)


def test_a_replaced_file_is_readable_by_the_next_cell(lab: Any) -> None:
    team = lab.folder / "tree/own/team.py"
    for text in ("first", "second"):
        new = team.with_suffix(".new")
        new.write_text(text)
        new.rename(team)
        answer = lab.run("result = open(folder + '/tree/own/team.py').read()", readable=("tree/own/team.py",))
        assert answer.text == text


@pytest.mark.parametrize(
    "code",
    [
        "open(folder + '/outside/new.txt', 'w')",
        "open(folder + '/outside/file.txt', 'a')",
        "open(folder + '/tree/own/data.txt', 'r+')",
        "os.truncate(folder + '/tree/own/data.txt', 0)",
        "os.rename(folder + '/tree/own/data.txt', folder + '/tree/own/moved.txt')",
        "os.rename(folder + '/tree/own/data.txt', scratch + '/moved.txt')",
        "os.link(folder + '/tree/rival/secret.txt', scratch + '/link.txt')",
        "os.link(folder + '/tree/own/data.txt', scratch + '/link.txt')",
        "os.unlink(folder + '/tree/own/data.txt')",
        "os.mkdir(folder + '/tree/new')",
        "os.chmod(folder + '/tree/own/data.txt', 0)",
        "os.chmod(os.open(folder + '/tree/own/data.txt', os.O_RDONLY), 0)",
        "os.utime(folder + '/tree/own/data.txt', (0, 0))",
        "os.chown(folder + '/tree/own/data.txt', os.getuid(), os.getgid())",
        "os.setxattr(folder + '/tree/own/data.txt', 'user.a', b'x')",
        "os.symlink('/etc/shadow', 'shadow'); open('shadow')",
        "os.mkfifo('fifo'); os.mknod('device', 0o020600, os.makedev(1, 3))",
        "os.chroot('.')",
        "open('/tmp/tiltyard-test-file', 'w')",
        "os.listdir(folder + '/outside')",
        "os.listdir('/proc')",
    ],
)
def test_unwritable(lab: Any, refused: Any, code: str) -> None:
    refused(code)
    assert (lab.folder / "tree/own/data.txt").read_text() == "own data"


def test_opening_for_reading_does_not_truncate(lab: Any) -> None:
    lab.run("os.open(folder + '/tree/own/data.txt', os.O_RDONLY | os.O_TRUNC)")
    assert (lab.folder / "tree/own/data.txt").read_text() == "own data"


def test_another_cells_scratch_folder_is_out_of_reach(lab: Any, refused: Any) -> None:
    (lab.folder / "scratches/other").mkdir(exist_ok=True)
    (lab.folder / "scratches/other/notes.txt").write_text("plans")
    refused("open(folder + '/scratches/other/notes.txt')")
    refused("open(folder + '/scratches/other/new.txt', 'w')")


def test_scratch_can_be_used(lab: Any) -> None:
    code = (
        "import tempfile\n"
        "Path('a').write_text('x'); os.mkdir('d'); os.rename('a', 'd/a'); os.truncate('d/a', 0); os.unlink('d/a'); os.rmdir('d')\n"
        "with tempfile.TemporaryDirectory() as name: Path(name, 'b').write_text('y')\n"
        "assert os.getcwd() == scratch == os.environ['HOME'] == tempfile.gettempdir()\n"
        "result = oct(os.umask(0))"
    )
    assert lab.run(code).text == "0o77", lab.run(code)


def test_scratch_at_level_a_is_limited_and_leaves_nothing(lab: Any, refused: Any) -> None:
    if lab.level != "A":
        assert lab.run("Path('left').write_text('x')").error == ""
        pytest.skip("below level A the scratch folder is a plain one, with no limit as a whole")
    many = refused("for number in range(100000): Path(str(number)).write_bytes(b'')")
    assert "No space" in many.text
    large = refused("for number in range(5): Path(str(number)).write_bytes(bytes(1 << 20))")
    assert "No space" in large.text
    lab.run("Path('left').write_text('x')")
    assert not list(lab.folder.glob("scratches/*/left"))


def test_shared_memory_is_the_cells_own_and_counts_as_scratch(lab: Any) -> None:
    write = "Path('/dev/shm/shared').write_bytes(bytes(900_000)); result = os.listdir('/dev/shm')"
    first, second = lab.run(write), lab.run("result = os.listdir('/dev/shm')")
    if lab.level is not Level.A:
        assert (first.error, second.error) == ("PermissionError", "PermissionError")
        return
    assert (first.text, second.text) == ("['shared']", "[]")
    assert lab.run("result = os.listdir('.')").text == "[]"
    semaphore = "import _multiprocessing as m; s = m.SemLock(1, 1, 1, '/mine', True); s.acquire(); s.release(); result = 'done'"
    assert lab.run(semaphore).text == "done"
    fill = 'for i in range(9): Path(f\'{i % 2 and "/dev/shm" or "."}/part{i}\').write_bytes(bytes(900_000))'
    full = lab.run(fill)
    assert full.error == "OSError", full
    assert "No space left" in full.text
    for other in ("/dev/new", "/dev/pts/new", "/dev/null/x"):
        assert lab.run(f"open('{other}', 'w')").error in ("PermissionError", "OSError", "NotADirectoryError")


@pytest.mark.parametrize(
    "code",
    [
        "socket.create_connection(('127.0.0.1', port), 1)",
        "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', port))",
        "socket.socket(socket.AF_INET6)",
        "socket.socket(socket.AF_UNIX).connect(path)",
        "socket.socket(socket.AF_UNIX).connect(chr(0) + 'tiltyard-test')",
        "socket.socket(socket.AF_UNIX).bind('own')",
        "socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "socket.socketpair(socket.AF_INET)",
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', path)",
        "socket.getaddrinfo('example.org', 80)",
    ],
)
def test_no_network(lab: Any, code: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        names = {"port": listener.getsockname()[1], "path": str(lab.folder / "socket")}
        answer = lab.run("import socket\n" + code, names=names)
    assert answer.error in ("PermissionError", "gaierror"), answer
    assert lab.run("import socket\na, b = socket.socketpair(); a.send(b'x'); result = b.recv(1)").text == "b'x'"
    stays_connected = "\ntry:\n    a.sendto(b'x', path)\nexcept OSError as error: result = error.errno in (106, 95)"
    assert lab.run("import socket\na, b = socket.socketpair()" + stays_connected, names=names).text == "True"
