"""A round robin between programs in three languages and a Python team, as a user types it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.engine.making import install

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


@pytest.mark.parametrize("workers", ["1", "2"])
def test_round_robin_of_programs(tmp_path: Path, site: Path, workers: str) -> None:
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
    command = [str(Path(sys.executable).with_name("tiltyard")), "round-robin", *teams, "--manager", "nim-referee"]
    done = subprocess.run(
        [*command, "--maps", "ten", "--output", "cup", "--format", "plain", "--workers", workers],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n\n")[1].splitlines()[1:]
    points = {words[1]: int(words[2]) for line in lines if len(words := line.split()) > 2}
    assert points["crasher"] == 0, done.stdout
    assert min(points["shell"], points["perfect"]) > points["modest"] > 0
    assert "fault of crasher: crash: choose: the program was killed by SIGABRT" in done.stdout + done.stderr
    games = (tmp_path / "cup" / "games.csv").read_text()
    assert len(games.splitlines()) == 1 + 2 * sum(range(len(points)))
