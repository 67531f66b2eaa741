"""Programs in whole matches: Nim in both protocols, in C, sh and Python, and what becomes of those that fail."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from tests.made_specs import made_spec

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import MatchRecord
from tiltyard_engine.registry import Reference, Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.results import Fault, Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.limits import Limits
from tiltyard_simulator.match.spec import MapSource
from tiltyard_simulator.play.arena import Arena

T = Termination
Play = Callable[..., MatchRecord]
Robot = Callable[..., Reference]

SHELL = """#!/bin/sh
read player
while read stones; do
    take=$((stones % 4))
    [ $take = 0 ] && take=1
    echo $take
done
"""
FILES = """#!/bin/sh
[ "$1" = turn ] || exit 2
read stones <$2
take=$((stones % 4))
[ $take = 0 ] && take=1
echo $take >$3
"""
PYTHON = """
import sys

sys.stdin.readline()
for line in sys.stdin:
    print(int(line) % 4 or 1, flush=True)
"""
C = """
#include <stdio.h>

int main(void) {
    char line[100];
    int stones;
    fgets(line, sizeof line, stdin);
    while (scanf("%d", &stones) == 1) {
        printf("%d\\n", stones % 4 ? stones % 4 : 1);
        fflush(stdout);
    }
}
"""


@pytest.fixture(scope="module")
def nim(programs: Path) -> Registry:
    return Registry.from_paths([programs / "games" / "nim.py"])


@pytest.fixture(scope="module")
def arena(in_any_test: tuple[str, ...]) -> Iterator[Arena]:
    with Arena() as opened:
        opened.preload([], in_any_test)
        yield opened


@pytest.fixture
def robot(tmp_path: Path) -> Robot:
    """``robot(name, text)``: the program of that text, in a folder with a manifest."""

    def made(name: str, text: str, command: Sequence[str] = ("./bot",), protocol: str = "") -> Reference:
        folder = tmp_path / name
        folder.mkdir()
        (folder / "bot").write_text(text)
        (folder / "bot").chmod(0o755)
        words = ", ".join(f'"{word}"' for word in command)
        (folder / "program.toml").write_text(f'game = "nim"\ncommand = [{words}]\nprotocol = "{protocol}"\n')
        registry = Registry.from_paths([folder])
        assert not registry.failures(), registry.failures()
        return registry.find(ALGORITHM, name, "nim").reference

    return made


@pytest.fixture
def play(nim: Registry, arena: Arena) -> Play:
    """``play(first, second)``: a game of 21 stones."""

    def played(*seats: Reference, isolation: Isolation = Isolation.SANDBOX, limits: Limits | None = None) -> MatchRecord:
        game, manager = nim.find(GAME, "nim").reference, nim.find(MANAGER, "nim-referee").reference
        chosen = limits or Limits(move_seconds=0.5, startup_seconds=1.0)
        spec = made_spec(
            game=game,
            manager=manager,
            map=MapSource("heap", b"21"),
            teams=seats,
            isolations=(isolation,) * 2,
            limits=(chosen,) * 2,
        )
        return arena.play(spec)

    return played


@pytest.fixture
def perfect(nim: Registry) -> Reference:
    return nim.find(ALGORITHM, "perfect").reference


@pytest.mark.parametrize("isolation", Isolation)
def test_programs_in_three_languages_and_two_protocols(play: Play, robot: Robot, perfect: Reference, isolation: Isolation) -> None:
    robots = [
        robot("shell", SHELL),
        robot("files", FILES, protocol="files"),
        robot("python", PYTHON, ["python3", "-S", "bot"]),
    ]
    for one, other in zip(robots, [*robots[1:], perfect]):
        record = play(one, other, isolation=isolation)
        assert record.outcome.faults == ()
        assert (record.outcome.winner, record.evidence.claim.reason, record.evidence.claim.rounds) == (1, "LAST_STONE", 11)
        account = record.evidence.accounts[0]
        assert account.held == ("process" if isolation is Isolation.INLINE else account.held)
        assert account.wall_seconds > 0
        assert account.conversation == ()


def test_a_program_in_c(play: Play, robot: Robot, perfect: Reference, tmp_path: Path) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler")
    reference = robot("c", "")
    source = tmp_path / "bot.c"
    source.write_text(C)
    subprocess.run([compiler, "-O1", "-w", str(source), "-o", str(tmp_path / "c" / "bot")], check=True)
    record = play(reference, perfect)
    assert (record.outcome.faults, record.outcome.winner) == ((), 1)


FAILURES: dict[str, tuple[str, str, Termination, str, int]] = {
    "garbage": ("", "read p; read n; echo hello", T.PROTOCOL, "b'hello\\n' is no number", 1),
    "illegal": ("", "read p; while read n; do echo 9; done", T.ILLEGAL_MOVE, "9 stones of 20", 1),
    "later": ("", "read p; read n; echo 1; read n; exit 3", T.CRASH, "answering: the program exited with code 3", 2),
    "at-once": ("", "exit 3", T.CRASH, ": the program exited with code 3", 1),
    "hang": ("", "exec sleep 60", T.STALL, "answering: no answer within", 1),
    "exit-code": ("files", "echo why >&2; exit 1", T.CRASH, "the program exited with code 1: why", 1),
    "signal": ("files", "kill -SEGV $$", T.CRASH, "the program was killed by SIGSEGV", 1),
    "no-output": ("files", "exit 0", T.PROTOCOL, "there is no out.txt", 1),
    "protocol": ("chess", "exit 0", T.PROTOCOL, "starting: nim has the protocols 'lines' and 'files', not 'chess'", 0),
}


@pytest.mark.parametrize("name", FAILURES)
def test_who_fails_loses_with_a_verdict(play: Play, robot: Robot, perfect: Reference, name: str) -> None:
    protocol, text, termination, message, turn = FAILURES[name]
    limits = Limits(move_seconds=0.1, startup_seconds=0.2) if termination is T.STALL else None
    record = play(perfect, robot(name, f"#!/bin/sh\n{text}\n", protocol=protocol), limits=limits)
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.termination) == (2, termination), fault
    assert message in fault.message
    assert fault.round == turn or name == "at-once", fault
    assert (record.outcome.winner, record.outcome.ranks) == (1, (1, 2))
    assert record.outcome.incidents == ()


IN_WORDS = "(sent: '{}'; expected: how many stones it takes; command: ./bot)"
EARLY = "an answer was there before its question: of two lines written in one turn, the second one counts as the next answer"
MARK = "it begins with a byte order mark: write UTF-8 without one"
RETURN = "it ends with a carriage return: end lines with \\n alone, not with \\r\\n"
TOLD: dict[str, tuple[str, str, str]] = {
    "nonsense": ("", "read p; read n; echo hello", f"b'hello\\n' is no number {IN_WORDS.format(21)}"),
    "a mark": (
        "",
        "read p; read n; printf '\\357\\273\\2771\\n'",
        f"b'\\xef\\xbb\\xbf1\\n' is no number; {MARK} {IN_WORDS.format(21)}",
    ),
    "a carriage return": (
        "",
        "read p; read n; printf 'one\\r\\n'",
        f"b'one\\r\\n' is no number; {RETURN} {IN_WORDS.format(21)}",
    ),
    "two answers": (
        "",
        "read p; read n; printf '1\\nx\\n'; read n; sleep 60",
        f"b'x\\n' is no number; {EARLY} {IN_WORDS.format(19)}",
    ),
    "an old answer": ("", "read p; read n; printf '1\\n9\\n'; read n; sleep 60", f"9 stones of 19; {EARLY}"),
    "a call": ("files", "exit 7", "the program exited with code 7 (command: ./bot turn in.txt out.txt)"),
    "an end": ("", "exit 3", f"the program exited with code 3 {IN_WORDS.format(21)}"),
}


@pytest.mark.parametrize("name", TOLD)
def test_what_a_program_is_told_is_in_the_words_of_its_protocol(play: Play, robot: Robot, perfect: Reference, name: str) -> None:
    protocol, text, message = TOLD[name]
    (fault,) = play(robot("teller", f"#!/bin/sh\n{text}\n", protocol=protocol), perfect).outcome.faults
    assert fault.message.removeprefix("answering: ") == message


def test_what_a_failed_program_said_is_kept(play: Play, robot: Robot, perfect: Reference) -> None:
    record = play(robot("talker", "#!/bin/sh\necho thinking >&2\nread p\nread n\nexit 3\n"), perfect)
    account = record.evidence.accounts[0]
    assert account.output == b"thinking\n"
    assert b"".join(exchange.question for exchange in account.conversation) == b"player 1\n21\n"


def test_an_adapter_that_stumbles_over_what_the_program_wrote(play: Play, robot: Robot, perfect: Reference, nim: Registry) -> None:
    record = play(robot("letters", "#!/bin/sh\nread p\nread n\nprintf '\\377\\n'\n"), perfect)
    (fault,) = record.outcome.faults
    assert (fault.seat, fault.termination) == (1, T.PROTOCOL)


def test_a_game_without_an_adapter_says_so(arena: Arena, registry: Registry, robot: Robot) -> None:
    game, manager = registry.find(GAME, "tanks").reference, registry.find(MANAGER, "reference").reference
    program = robot("shell", SHELL)
    board = b"a map\nMaxSteps = 2\nNumShells = 2\nRows = 1\nCols = 9\n 1     2 \n"
    spec = made_spec(
        game=game, manager=manager, map=MapSource("x", board), teams=(program, program), isolations=(Isolation.SANDBOX,) * 2
    )
    with pytest.raises(UserError, match="'shell' is an external program, but the game tanks has no protocol for programs"):
        arena.play(spec)


def test_two_copies_of_one_program(play: Play, robot: Robot) -> None:
    same = robot("shell", SHELL)
    assert play(same, same).outcome.winner == 1


def test_a_killed_cell_is_the_machines_fault_and_played_again(play: Play, robot: Robot, perfect: Reference, tmp_path: Path) -> None:
    """The launcher dies once, from outside; the match is then played to its end."""
    done = tmp_path / "done"
    text = f"#!/bin/sh\nread p\nwhile read n; do [ -e {done} ] || {{ touch {done}; kill -9 $PPID; sleep 60; }}; echo 1; done\n"
    record = play(perfect, robot("assassin", text), isolation=Isolation.PROCESS)
    faults: list[Fault] = list(record.outcome.faults)
    assert faults == []
    assert record.outcome.incidents == ("player 2: answering: the program's cell was killed from outside",)
