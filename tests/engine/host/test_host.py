"""Programs for plugins' own commands: the guard's host where tiltyard is installed, a plain one where it is not."""

from __future__ import annotations

import os
import select
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.engine.making import install, write

from tiltyard_engine.errors import ContractError, UserError
from tiltyard_engine.host import HOST_GROUP, Host, find_host
from tiltyard_engine.host.plain_host import PlainHost
from tiltyard_engine.programs import Program, ProgramError, ProgramTeam
from tiltyard_engine.replay import Frame, Replay
from tiltyard_engine.results import Termination
from tiltyard_simulator.play.host import GuardHost
from tiltyard_simulator.replays.encoding import decode

T = Termination


@pytest.fixture(params=[PlainHost, GuardHost], scope="module")
def host(request: pytest.FixtureRequest) -> Iterator[Host]:
    """Both do the same, as far as a sound program can tell."""
    with request.param() as opened:
        yield opened


def team(folder: Path, text: str) -> ProgramTeam:
    write(folder / "robot", f"#!/bin/sh\n{text}\n").chmod(0o755)
    return ProgramTeam(name="robot", game="none", command=("./robot", "word"), folder=str(folder), files=("data.txt",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "data.txt", "data\n")
    return tmp_path


def test_lines(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, 'cat data.txt; while read line; do echo "$1 $line"; done; echo end')) as program:
        program.begin(10, "move 1")
        assert program.read_line() == b"data\n"
        program.write(b"one\ntwo\n")
        assert [program.read_line(), program.read_line()] == [b"word one\n", b"word two\n"]
        program.close_input()
        assert program.read(2) == b"en"
        assert program.read(100) == b"d\n"
        assert program.read(100) == b""


def test_an_answer_that_comes_when_the_input_ends(host: Host, folder: Path) -> None:
    robot = replace(team(folder, ""), command=("perl", "-e", "print qq(7 2\\n) while <STDIN>"))
    # Long enough for a machine that does much else to start the program.
    limits = {"move_seconds": 2.0, "startup_seconds": 2.0}
    with host.open_program(robot, limits) as program:
        program.begin(2.0, "move 1")
        program.write(b"go\n")
        with pytest.raises(ProgramError) as caught:
            program.read_line()
    said = "its answer came when its input ended, b'7 2\\n': it reads more lines than were sent, or must flush after each line"
    assert said in caught.value.message


def test_python_writes_at_once(host: Host, folder: Path) -> None:
    robot = replace(team(folder, ""), command=("python3", "-c", "for line in open(0): print(line, end='')"))
    with host.open_program(robot) as program:
        program.begin(30, "move 1")
        program.write(b"go\n")
        assert program.read_line() == b"go\n"


def test_calls(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, "echo $2; cat >out; cat in >>out; echo why >&2; exit 3")) as program:
        program.begin(10, "move 1")
        call = program.call(["more"], {"in": b"in\n"}, ["out", "missing"], b"x" * 100_000)
        assert (call.exit_code, call.signal, call.stdout, call.stderr) == (3, 0, b"more\n", b"why\n")
        assert call.files == {"out": b"x" * 100_000 + b"in\n"}
        assert program.call([], {}).signal == 0
        with pytest.raises(ProgramError, match="the program exited with code 3: why"):
            call.expect(0)


def test_a_call_that_writes_much_and_leaves_children(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, "sleep 60 & yes | head -c 3000000; kill -9 $$")) as program:
        program.begin(10, "move 1")
        call = program.call([], {})
        assert (call.exit_code, call.signal, len(call.stdout)) == (0, 9, 1 << 20)


def test_what_a_program_says_while_nobody_listens_is_heard(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A look that finds nothing, and behind it all that the program says, and its end.

    A look at a process that has ended already does not wait (its timeout is 0): that one finds what is there.
    """
    look = select.select
    looks: list[int] = []

    def late(*arguments: Any) -> Any:
        looks.append(1)
        if len(looks) > 1 or arguments[3] == 0:
            return look(*arguments)
        while not (folder / "done").exists():
            time.sleep(0.01)
        time.sleep(0.2)
        return [], [], []

    with PlainHost() as host, host.open_program(team(folder, f"echo said; echo why >&2; : >{folder}/done")) as program:
        program.begin(10, "move 1")
        monkeypatch.setattr("tiltyard_engine.host.plain_host.select.select", late)
        call = program.call([], {})
    assert (call.stdout, call.stderr) == (b"said\n", b"why\n")


FAILURES = {
    "exit": ("read line; exit 4", T.CRASH, "move 1: the program exited with code 4"),
    "signal": ("read line; kill -SEGV $$", T.CRASH, "move 1: the program was killed by SIGSEGV"),
    "half": ("read line; printf half; exit", T.PROTOCOL, "move 1: the output ended in the middle of a line"),
    "long": ("read line; head -c 100000 /dev/zero; sleep 60", T.PROTOCOL, "move 1: a line of more than 65536 bytes"),
    "closed": ("read line; exec >&-; exec sleep 60", T.DISCONNECT, "move 1: the program closed its standard output"),
}


@pytest.mark.parametrize("name", FAILURES)
def test_failures(host: Host, folder: Path, name: str) -> None:
    text, termination, message = FAILURES[name]
    with host.open_program(team(folder, text)) as program:
        program.begin(10, "move 1")
        program.write(b"go\n")
        with pytest.raises(ProgramError) as caught:
            program.read_line()
        assert caught.value.termination is termination
        assert message in caught.value.message
        with pytest.raises(ProgramError) as again:
            program.read(1)
        assert again.value is caught.value


def test_what_it_wrote_before_its_end_is_judged_first(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, "echo one; echo two; printf half; exit 4")) as program:
        for line in (b"one\n", b"two\n"):
            program.begin(10, "move 1")
            program.write(b"x" * 100_000)
            assert program.read_line() == line
        with pytest.raises(ProgramError) as caught:
            program.read_line()
        assert caught.value.termination is T.PROTOCOL


@pytest.mark.parametrize("ask", [lambda program: program.read_line(), lambda program: program.call([], {})], ids=["lines", "call"])
def test_time_runs_out(host: Host, folder: Path, ask: object) -> None:
    limits = {"startup_seconds": 0.1, "wall_factor": 2}
    with host.open_program(team(folder, "exec sleep 60"), limits) as program:
        program.begin(0.2, "move 1")
        assert callable(ask)
        with pytest.raises(ProgramError) as caught:
            ask(program)
        assert caught.value.termination in (T.TIMEOUT, T.STALL)
        assert caught.value.message.startswith("move 1")


def test_a_program_that_is_not_there(host: Host, folder: Path) -> None:
    with host.open_program(ProgramTeam(name="x", game="none", command=("./missing",), folder=str(folder))) as program:
        program.begin(10, "move 1")
        with pytest.raises(ProgramError, match=r"move 1: cannot start .*missing: No such file"):
            program.write(b"x")


def test_calls_and_lines_do_not_mix(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, "cat")) as program:
        program.begin(10, "move 1")
        program.write(b"x\n")
        with pytest.raises(ContractError):
            program.call([], {})


def test_nothing_is_left_after_the_context(host: Host, folder: Path) -> None:
    with host.open_program(team(folder, "trap '' TERM HUP INT PIPE; echo $$; pwd; while :; do sleep 1; done")) as program:
        program.begin(10, "move 1")
        program.read_line()
        scratch = program.read_line().decode().strip()
    assert not Path(scratch).exists()
    until = time.monotonic() + 10
    while _is_running(str(folder / "robot")) and time.monotonic() < until:
        time.sleep(0.02)
    assert not _is_running(str(folder / "robot"))


def _is_running(mark: str) -> bool:
    for name in os.listdir("/proc"):  # noqa: PTH208 -- names alone are wanted
        if name.isdecimal() and int(name) != os.getpid():
            try:
                words = Path("/proc", name, "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in words:
                return True
    return False


def test_two_programs_at_once(host: Host, folder: Path) -> None:
    robot = team(folder, "cat")
    with host.open_program(robot) as one, host.open_program(robot) as other:
        for program, word in ((one, b"1\n"), (other, b"2\n")):
            program.begin(10, "move 1")
            program.write(word)
        assert (other.read_line(), one.read_line()) == (b"2\n", b"1\n")


def test_the_simulators_host_is_found() -> None:
    assert isinstance(find_host(), GuardHost)


def test_without_one_it_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("tiltyard_engine.host.own_entry_points", lambda group, own: [])
    assert isinstance(find_host(), PlainHost)
    said = capsys.readouterr().err
    assert said == "note: programs run without isolation, in a plain process group (tiltyard is not installed)\n"


@pytest.mark.parametrize("name", ["evil-team", "Tiltyard", "tiltyard_"])
def test_nobody_else_may_be_the_host(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "evil_host.py", "1 / 0\n")
    install(tmp_path, name, "1.0", {"a": "evil_host:Host"}, HOST_GROUP)
    monkeypatch.syspath_prepend(tmp_path)
    assert isinstance(find_host(), GuardHost)


def test_a_mistake_in_the_environment_is_no_reason_to_run_without_isolation(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TILTYARD_ISOLATION", "A")
    words = "TILTYARD_ISOLATION must be one of inline, process, sandbox, found 'A'; the level of the sandbox is set by"
    with pytest.raises(UserError, match=f"^{words} TILTYARD_CONFINEMENT=A$"):
        find_host()
    assert capsys.readouterr().err == ""


def test_the_plain_host_seats_nobody() -> None:
    with PlainHost() as plain, pytest.raises(UserError, match="cannot play 'nobody': tiltyard is not installed"):
        plain.open_player("nobody", "advance", 1)


def test_replay_files() -> None:
    replay = Replay(game="advance", width=1, height=1, squares=(".",), seats=("a", "b"), frames=[Frame(((0, "Z"),))])
    assert decode(GuardHost().replay_file(replay)) == replay
    with pytest.raises(UserError, match="cannot write a replay file: tiltyard is not installed"):
        PlainHost().replay_file(replay)


def test_program_is_abstract() -> None:
    assert Program.__abstractmethods__ == {"begin", "call", "close_input", "read", "read_line", "write"}
