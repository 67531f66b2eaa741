"""What docs/reference/hostile-programs.md says of each hostile program is what happens."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.docs.pages import page
from tests.end_to_end.hostile import LIMITS, PATIENT, Bait, Lab

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Reference
from tiltyard_simulator.guard.confinement.probes import VARIABLE, probe_confinement
from tiltyard_simulator.guard.policy import Level

PROGRAMS = sorted(path.stem for path in (Path(__file__).parents[1] / "programs" / "hostile").glob("*.py"))
ROW = re.compile(r"^\| `(?P<name>\w+)` \| (?P<what>[^|]+) \| (?P<outcome>[^|]+) \|$", re.MULTILINE)
TABLE = {row["name"]: row for row in ROW.finditer(page("hostile-programs.md"))}
HELD_UNLESS_ROOT = {"fork_bomb", "memory_bomb_in_children", "daemon", "starts_threads"}
"""At level C the limit of processes holds everybody but root; the table tells of root."""
OPEN_UNLESS_ROOT = {"traces_parent_and_sibling"}
"""At level C a cell of an ordinary user's has the same rights as its parent, if the kernel is not set to something stricter."""

LOOPS = ("loops", "loops_in_c", "loops_in_del", "loops_with_bare_except")
SHORT = {
    "loops_in_import": replace(LIMITS, startup_seconds=0.2, wall_factor=35.0),
    **dict.fromkeys(LOOPS, replace(LIMITS, move_seconds=0.15, wall_factor=14.0)),
}
"""For programs that are known to use CPU time for ever; by the clock they may take as long as others."""

EVIDENCE = {
    **{
        name: f"heard by {name.removesuffix('_socket')}" for name in ("tcp", "udp", "unix_socket", "pair_socket", "abstract_socket")
    },
    **dict.fromkeys(("kills_parent", "kills_sibling", "kills_itself"), "incident: "),
    "reads_rival": "it knows the secret",
    "writes_outside": "file /",
}
"""What the test itself must have seen where such a program is open: its own word is not enough."""


@pytest.fixture(scope="module", params=list(Level), ids=str)
def level(request: pytest.FixtureRequest) -> Level:
    return Level(request.param)


@pytest.fixture(scope="module")
def lab(
    level: Level, tmp_path_factory: pytest.TempPathFactory, programs: Path, tanks: Reference, reference_manager: Reference
) -> Iterator[Lab]:
    try:
        confinement = probe_confinement(level)
    except UserError as error:
        pytest.skip(str(error))
    # In a folder of its own that others may walk through, as on a machine where teams hand in their files.
    bait = Bait(tmp_path_factory.mktemp(f"level-{level}") / "place", programs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, level.value)
        lab = Lab(confinement, bait, tanks, reference_manager)
        yield lab
        lab.close()
    bait.close()


def outcome_at(level: Level, outcome: str) -> str:
    """What the page says about a level: 'blocked; open at B and C' is 'open' at B."""
    everywhere, _, exception = outcome.partition("; ")
    different, _, levels = exception.partition(" at ")
    return different if level.value in levels.split(" and ") else everywhere


def test_an_outcome_may_differ_at_some_levels() -> None:
    assert [outcome_at(level, "contained, crash") for level in Level] == ["contained, crash"] * 3
    assert [outcome_at(level, "blocked; contained at C") for level in Level] == ["blocked", "blocked", "contained"]
    assert [outcome_at(level, "blocked; open at B and C") for level in Level] == ["blocked", "open", "open"]


def test_every_program_is_on_the_page_with_its_own_words(programs: Path) -> None:
    assert sorted(TABLE) == PROGRAMS
    for name, row in TABLE.items():
        words = ast.get_docstring(ast.parse((programs / "hostile" / f"{name}.py").read_text(encoding="utf-8")))
        assert words == f"{row['what']}."


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_the_page_says_happens(lab: Lab, level: Level, name: str) -> None:
    expected = outcome_at(level, TABLE[name]["outcome"])
    if level is Level.C and os.getuid() != 0:
        if name in OPEN_UNLESS_ROOT:
            pytest.skip("the page tells of root; for others it depends on kernel.yama.ptrace_scope")
        expected = "blocked" if name in HELD_UNLESS_ROOT else expected
    seen = lab.play(name, PATIENT if expected in ("blocked", "open") else SHORT.get(name, LIMITS))
    assert str(seen) == expected, seen.why
    if seen.word == "open":
        assert EVIDENCE.get(name, "OPEN: ") in seen.why
