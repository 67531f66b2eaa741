"""A fixed set of tournaments and commands gives what it always gave, byte for byte.

The suite plays one of each game. ``python -m tests.same_bytes`` plays all, in three minutes: run it when a change touches how
matches are played, held or written down.
Where a change of results is meant, add ``--record`` to keep the new ones.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.same_bytes.comparison import differences, expected, missing, play
from tests.same_bytes.scenario import SCENARIOS

COMMANDS = Path(sys.executable).parent
WORKERS = 1
"""More would each be a process that imports everything anew; that their number changes nothing is tested elsewhere."""
IN_THE_SUITE = (
    "tanks-tournament-sandbox",
    "filler-tournament-process",
    "advance-commands",
    "penguins-commands",
)


@pytest.fixture(scope="module", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The library and the host program of compiled files go where the other tests of them are built, not into the user's cache."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if own.name.startswith("popen-") else own) / "compiled"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILTYARD_CACHE", str(folder / "cache"))
        yield


@pytest.mark.parametrize("name", IN_THE_SUITE)
def test_the_same_bytes(name: str, forked_commands: Path) -> None:
    scenario = SCENARIOS[name]
    if reason := missing(scenario, COMMANDS):
        pytest.skip(reason)
    played = play(scenario, COMMANDS, WORKERS, forked_commands)
    assert differences(played, expected()) == [], "\n".join(played.complaints)


def test_nothing_is_kept_of_scenarios_that_are_no_more() -> None:
    assert set(expected()) == set(SCENARIOS)
