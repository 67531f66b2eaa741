"""A round robin between programs in three languages and a Python team, as a user types it."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.engine.making import install

Tiltyard = Callable[..., "subprocess.CompletedProcess[str]"]
SHELL = """#!/bin/sh
read player
while read stones; do
    take=$((stones % 4))
    [ $take = 0 ] && take=1
    echo $take
done
"""
PYTHON = """
import sys

sys.stdin.readline()
for line in sys.stdin:
    print(1, flush=True)
"""
C = """
#include <stdio.h>

int main(int count, char **words) {
    FILE *in = fopen(words[2], "r"), *out = fopen(words[3], "w");
    int stones;
    fscanf(in, "%d", &stones);
    fprintf(out, "%d\\n", stones > 1 ? 2 : 1);
    return 0;
}
"""


@pytest.fixture
def site(tmp_path: Path, programs: Path) -> Path:
    """A folder of installed distributions with the game of nim in it."""
    folder = tmp_path / "site"
    install(folder, "nim-game", "1.0", {"nim": "nim_of_the_tests"})
    shutil.copy(programs / "games" / "nim.py", folder / "nim_of_the_tests.py")
    return folder


@pytest.fixture
def tiltyard(tmp_path: Path, site: Path, forked_commands: Path) -> Tiltyard:
    """``tiltyard("check", ...)``: the game's code is trusted; teams' programs need no trust."""

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(site), "TILTYARD_TRUST": "nim-game"}
        command = [str(forked_commands / "tiltyard"), *words]
        return subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120)

    return run


def test_round_robin_of_programs(tmp_path: Path, tiltyard: Tiltyard) -> None:
    robots = tmp_path / "robots"
    for name, text in (("shell", SHELL), ("crasher", "#!/bin/sh\nread player\nexec sh -c 'kill -ABRT $$'\n")):
        (robots / name).mkdir(parents=True)
        (robots / name / "bot").write_text(text)
        (robots / name / "bot").chmod(0o755)
        (robots / name / "program.toml").write_text('game = "nim"\ncommand = ["./bot"]\n')
    (tmp_path / "modest.py").write_text(PYTHON)
    teams = ["perfect", "robots", "python3 -S modest.py"]
    compiler = shutil.which("cc")
    if compiler is not None:
        (robots / "two").mkdir()
        (robots / "two" / "program.toml").write_text('game = "nim"\ncommand = ["./two"]\nprotocol = "files"\n')
        (tmp_path / "two.c").write_text(C)
        subprocess.run([compiler, "-w", str(tmp_path / "two.c"), "-o", str(robots / "two" / "two")], check=True)
    words = ["round-robin", *teams, "--manager", "nim-referee", "--maps", "ten", "--output", "cup", "--format", "plain"]
    done = tiltyard(*words, "--workers", "2")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n\n")[1].splitlines()[1:]
    points = {words[1]: int(words[2]) for line in lines if len(words := line.split()) > 2}
    assert points["crasher"] == 0, done.stdout
    assert min(points["shell"], points["perfect"]) > points["modest"] > 0
    assert "fault of crasher: crash: answering: the program was killed by SIGABRT" in done.stdout + done.stderr
    games = (tmp_path / "cup" / "games.csv").read_text()
    assert len(games.splitlines()) == 1 + 2 * sum(range(len(points)))


def robot(folder: Path, text: str) -> str:
    (folder / "robot").write_text(f"#!/bin/sh\n{text}\n")
    (folder / "robot").chmod(0o755)
    return "./robot"


def test_check_of_a_program(tmp_path: Path, tiltyard: Tiltyard) -> None:
    sound = tiltyard("check", robot(tmp_path, SHELL), "--manager", "nim-referee", "--map", "ten")
    assert sound.returncode == 0, sound.stdout + sound.stderr
    assert "perfect" in sound.stdout
    reader = robot(tmp_path, "read p; read n; cat /etc/profile; exit 9")
    broken = tiltyard("check", reader, "--manager", "nim-referee", "--map", "ten")
    assert broken.returncode == 1
    words = " ".join(broken.stdout.split())
    assert (
        "crash (round 1): answering: the program exited with code 9; denied by the sandbox, the latest first: /etc/profile" in words
    )
    assert "-> the denied access may be the reason." in words


def test_a_programs_fault_leaves_what_it_could_read(tmp_path: Path, tiltyard: Tiltyard) -> None:
    name = robot(tmp_path, "echo thinking >&2; read p; read n; echo 1; read n; exit 9")
    words = ["round-robin", name, "perfect", "--manager", "nim-referee", "--maps", "ten", "--output", "cup"]
    assert tiltyard(*words).returncode == 0
    folder = tmp_path / "cup/faults/0001_ten_robot_perfect"
    assert (folder / "seat1.input").read_bytes() == b"player 1\n10\n8\n"
    assert (folder / "seat1.txt").read_bytes() == b"thinking\n"
    assert "seat1.input contains everything that robot (player 1) could read" in (folder / "README.txt").read_text()
    again = tiltyard("debug", str(folder), "--whole-match")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "the program exited with code 9" in again.stdout
    debug = tiltyard("debug", str(folder))
    assert debug.returncode == 2
    assert "run the program yourself" in " ".join(debug.stderr.split())
