"""The scripts that measure: each tells what it does, without a compiled build and before it measures anything."""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Literal

import pytest
from tests.scripts import ROOT, load_script

FOLDER = ROOT / "benchmarks"
SCRIPTS = sorted(path.name for path in FOLDER.glob("*.py") if "__main__" in path.read_text(encoding="utf-8"))
measuring = load_script("benchmarks/measuring.py")


HELPS = """
import contextlib, io, json, runpy, sys
helps = {}
for path in sys.argv[1:]:
    sys.argv = [path, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as text, contextlib.suppress(SystemExit):
        runpy.run_path(path, run_name="__main__")
    helps[path] = text.getvalue()
print(json.dumps(helps))
"""


def test_help() -> None:
    """In one process, as most of them import the same."""
    paths = [str(FOLDER / name) for name in SCRIPTS]
    command = [sys.executable, "-c", HELPS, *paths]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": str(FOLDER)})
    assert (done.returncode, done.stderr) == (0, "")
    for path, text in json.loads(done.stdout).items():
        assert text.startswith(f"usage: {Path(path).name}"), path


def test_all_are_listed_and_can_be_run_by_name() -> None:
    def run(*words: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "benchmarks", *words], capture_output=True, text=True, check=True, cwd=ROOT
        ).stdout

    names = [line.split()[0] for line in run().splitlines()[2:]]
    assert [f"{name}.py" for name in names] == [name for name in SCRIPTS if name != "__main__.py"]
    assert run("ratings", "--help").startswith("usage: ratings.py")


def test_the_command_line_is_made_of_the_parts_parameters(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[tuple[object, ...]] = []

    def one(numbers: tuple[int, ...] = (1, 2), *, way: Literal["a", "b"] = "a", is_small: bool = False) -> None:
        """The first."""
        calls.append((numbers, way, is_small))

    def two(number: int = 3, *, names: tuple[str, ...] = (), folder: Path = Path("here")) -> None:
        """The second."""
        calls.append((number, names, folder))

    for words, expected in (
        ([], ((1, 2), "a", False)),
        (["9", "8", "--way", "b", "--is-small"], ((9, 8), "b", True)),
        (["two"], (3, (), Path("here"))),
        (["two", "9", "--names", "x", "y", "--names", "z", "--folder", "there"], (9, ("x", "y", "z"), Path("there"))),
    ):
        monkeypatch.setattr(sys, "argv", ["script", *words])
        measuring.run("What it is for.", one=one, two=two)
        assert calls.pop() == expected
    for words, said in (
        (["--help"], "What it is for."),
        (["two", "--help"], "default: 3"),
        (["--way", "c"], "invalid choice: 'c'"),
    ):
        monkeypatch.setattr(sys, "argv", ["script", *words])
        with pytest.raises(SystemExit):
            measuring.run("What it is for.", one=one, two=two)
        captured = capsys.readouterr()
        assert said in captured.out + captured.err


def test_times_in_words() -> None:
    assert measuring.told_times([3.0, 1.0, 2.0]) == "median 2.00 ms, p99 3.00 ms, most 3.00 ms"
    assert measuring.told_times([], "s") == "median 0.00 s, p99 0.00 s, most 0.00 s"


def test_medians_of_what_was_measured_in_turns() -> None:
    assert measuring.medians_and_ratio([(2.0, 1.0), (6.0, 2.0), (4.0, 4.0)]) == (4.0, 2.0, 2.0)


def test_a_clock() -> None:
    done: list[int] = []
    assert measuring.wall_seconds(lambda: done.append(1)) >= 0
    assert done == [1]


BURN = "import time\nwhile time.process_time() < 0.2: pass"
KILLED_PARENT = f"""
import os, subprocess, sys
child = subprocess.Popen([sys.executable, "-c", {BURN!r}], stdin=subprocess.DEVNULL)
os.kill(os.getpid(), 9)
"""


def test_cpu_time_of_orphans_counts() -> None:
    result, seconds = measuring.with_cpu_seconds(
        lambda: subprocess.run([sys.executable, "-c", KILLED_PARENT], check=False).returncode
    )
    assert result == -9
    assert seconds > 0.2


def test_the_cluster_says_what_it_lacks() -> None:
    code = f"""
import runpy, sys
sys.modules["distributed"] = None
sys.path.insert(0, {str(FOLDER)!r})
sys.argv = ["workers.py", "cluster"]
runpy.run_path({str(FOLDER / "workers.py")!r}, run_name="__main__")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("distributed is not installed; run: pip install 'tiltyard[cluster]'\n")


WAITING = "import sys; sys.stdin.read()"


def _start_what_ends_at_exit() -> None:
    child = subprocess.Popen([sys.executable, "-c", WAITING], stdin=subprocess.PIPE)
    atexit.register(child.kill)


def test_what_is_ended_at_the_exit_of_the_process_is_not_waited_for() -> None:
    assert measuring.with_cpu_seconds(_start_what_ends_at_exit)[0] is None


def test_a_temporary_folder_outlives_a_measured_process() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measuring.with_cpu_seconds(lambda: None)
        assert Path(folder).is_dir()


def test_a_run_of_a_few_matches_is_simulated() -> None:
    words = [sys.executable, str(FOLDER / "coordinator.py"), "6", "--teams", "3", "--cores", "2", "--through", "workers"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].split()[0] == "6"


def test_what_is_timed_is_there() -> None:
    look = "import sandbox; [getattr(owner, name) for _, owner, name in sandbox.PARTS]"
    code = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); {look}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
