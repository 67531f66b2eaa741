"""A zygote a level, and cells that run a few lines of code."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pytest

from tiltyard_engine.errors import UserError
from tiltyard_simulator.guard.confinement.bubblewrap import zygote_command
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import CLEAN, Confinement, Level
from tiltyard_simulator.match.limits import MEBIBYTE, Limits

SMALL = Limits(memory_bytes=128 * MEBIBYTE, file_bytes=MEBIBYTE, scratch_bytes=4 * MEBIBYTE)
BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[2]); exec(open(sys.argv[3]).read())"


@dataclass(frozen=True)
class Answer:
    """How a cell's code ended: exit status, exception's name, its words or the value of ``result``."""

    status: int
    error: str
    text: str


class Lab:
    """A zygote at one level, and a folder with something for everybody."""

    def __init__(self, level: Level, folder: Path) -> None:
        self.level = level
        self.folder = folder
        for name in ("tree/own", "tree/rival", "outside", "scratches"):
            (folder / name).mkdir(parents=True)
        (folder / "tree/own/data.txt").write_text("own data")
        (folder / "tree/rival/secret.txt").write_text("rival's secret")
        (folder / "tree/rival/again").mkdir()
        (folder / "tree/rival/again/data.txt").write_text("readable again")
        (folder / "tree/own/link.txt").symlink_to("../rival/secret.txt")
        (folder / "outside/file.txt").write_text("outside")
        self.path = [str(Path(place).resolve()) for place in sys.path if place and Path(place).exists()]
        script = Path(__file__).with_name("zygote_script.py")
        words = [sys.executable, "-I", "-S", "-c", BOOT, level, json.dumps(self.path), str(script)]
        readable = [str(folder / "tree"), str(script), "/usr/bin", *self.path]
        command = zygote_command(Confinement(level, (), ()), words, readable, str(folder / "scratches"))
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd="/", env=dict(CLEAN), start_new_session=True
        )
        self._number = 0

    def run(
        self,
        code: str,
        limits: Limits = SMALL,
        hidden: tuple[str, ...] = ("tree/rival",),
        shared: bool = True,
        readable: tuple[str, ...] = ("tree",),
        **rest: Any,
    ) -> Answer:
        """Run code in a fresh cell; ``folder``, ``sibling`` and ``scratch`` are names that it may use."""
        self._number += 1
        scratch = self.folder / "scratches" / str(self._number)
        scratch.mkdir()
        names = {"folder": str(self.folder), "scratch": str(scratch), **rest.pop("names", {})}
        policy = {
            "readable": [*(str(self.folder / name) for name in readable), *self.path],
            "hidden": [str(self.folder / name) for name in hidden],
            "scratch": str(scratch),
            "limits": asdict(limits),
            **rest,
        }
        request = {"policy": policy, "code": code, "names": names, "shared": shared}
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request).encode() + b"\n")
        self._process.stdin.flush()
        return Answer(*json.loads(self._process.stdout.readline()))

    def close(self) -> None:
        """End the zygote."""
        self._process.communicate(timeout=10)


def lab_at(level: Level, make: pytest.TempPathFactory) -> Iterator[Lab]:
    """Cells at a level, or a skip that says why not."""
    try:
        probe_confinement(level)
    except UserError as error:
        pytest.skip(str(error))
    lab = Lab(level, make.mktemp(f"cells-{level}").resolve())
    yield lab
    lab.close()


@pytest.fixture(scope="session", params=[Level.A, Level.B], ids=["A", "B"])
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Cells at each level that isolates."""
    yield from lab_at(request.param, tmp_path_factory)


@pytest.fixture(scope="session", params=list(Level), ids=str)
def every_level(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """Cells at each level."""
    yield from lab_at(request.param, tmp_path_factory)


@pytest.fixture
def refused(lab: Lab) -> Callable[..., Answer]:
    """``refused(code)`` asserts that the code fails by an OSError of the kernel's, and returns it."""

    def check(code: str, **changes: Any) -> Answer:
        answer = lab.run(code, **changes)
        assert answer.status == 0, answer
        kernel = ("PermissionError", "FileNotFoundError", "OSError", "BlockingIOError", "ProcessLookupError")
        assert answer.error in kernel, answer
        return answer

    return check
