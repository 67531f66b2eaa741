"""A GameManager whose process ends right after an answer: what it said counts. Its end shows at the next step, if there is one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from tests.made_specs import made_spec
from tests.simulator.guard.managers.managing import CELLS, FIELD, held, manager_text, write_plugins

from tiltyard_engine.registry import Reference
from tiltyard_engine.results import Termination
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.play.arena import Arena

MATCHES = 5

LEAVING = """\
def leave(self):
    "Send one more answer, and end."
    from tiltyard_simulator.guard.cells import cell
    write_frame = cell.write_frame
    def write_and_leave(descriptor, number, body):
        write_frame(descriptor, number, body)
        {more}
        os._exit(7)
    cell.write_frame = write_and_leave
def second_round(self):
    {second_round}
def run(self, match):
    claim = super().run(match)
    {after}
    return claim
"""

ENDS: dict[str, tuple[str, str, str, Termination | None, str]] = {
    "its result": ("pass", "pass", "self.leave()", None, ""),
    "its result twice": ("write_frame(descriptor, number, body)", "pass", "self.leave()", None, ""),
    "a request": ("pass", "self.leave()", "pass", Termination.CRASH, "a step of run(): the process exited with code 7"),
    "a request twice": (
        "write_frame(descriptor, number, body)",
        "self.leave()",
        "pass",
        Termination.PROTOCOL,
        "a step of run(): a second answer to a question",
    ),
}


@pytest.fixture(scope="module")
def arena(in_any_test: tuple[str, ...]) -> Iterator[Arena]:
    with Arena() as opened:
        opened.preload([], in_any_test)
        yield opened


@pytest.mark.parametrize("isolation", CELLS)
@pytest.mark.parametrize("end", ENDS)
def test_the_same_bytes_get_the_same_verdict(
    arena: Arena,
    tanks: Reference,
    teams: Mapping[str, Reference],
    tmp_path: Path,
    end: str,
    isolation: Isolation,
) -> None:
    more, second_round, after, termination, message = ENDS[end]
    text = manager_text(LEAVING.format(more=more, second_round=second_round, after=after), on_fault="raise")
    manager = write_plugins(tmp_path, text)["bad"]
    spec = made_spec(game=tanks, manager=manager, map=FIELD, teams=(teams["shooter"], teams["idler"]))
    for _ in range(MATCHES):
        record = arena.play(held(spec, isolation))
        verdicts = [(fault.termination, fault.message) for fault in record.outcome.faults]
        assert verdicts == ([] if termination is None else [(termination, message)])
