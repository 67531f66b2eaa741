"""The files that a match goes through: whoever reads how one is played has to read them, so their number may only fall."""

from __future__ import annotations

import sys
import threading
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from tests.tournaments.running.made_runs import tournament_of

from tiltyard_engine.match_record import Evidence, MatchRecord, Outcome
from tiltyard_engine.registry import Registry
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.executors import InlineExecutor
from tiltyard_simulator.play.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.store import Store

MOST_THAT_TAKE_IT: Final = 12
"""Files with a function that takes the match, or what came of it, as an argument."""
MOST_THAT_ARE_CALLED: Final = 49
"""Files of the project with any function that is called meanwhile."""
HOST: Final = ("tiltyard_engine", "tiltyard_simulator", "tiltyard_tournaments")


class Walk:
    """The files that are entered by calls, from the end of the first match of a run to the end of the second."""

    def __init__(self) -> None:
        self.called: set[str] = set()
        self.take_it: set[str] = set()
        self.matches = 0

    def tell(self, event: object) -> None:
        """Given to the run, which tells of every match that has ended."""
        if isinstance(event, Outcome):
            self.matches += 1
            profile = self._see if self.matches == 1 else None
            sys.setprofile(profile)
            threading.setprofile(profile)

    def _see(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        parts = Path(code.co_filename).parts
        package = next((part for part in HOST if part in parts), None)
        if event != "call" or package is None:
            return
        name = "/".join(parts[parts.index(package) :])
        self.called.add(name)
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(isinstance(frame.f_locals.get(argument), MatchSpec | MatchRecord | Outcome | Evidence) for argument in arguments):
            self.take_it.add(name)


def test_a_match_goes_through_few_files(registry: Registry, tmp_path: Path) -> None:
    if IsolationPolicy(Isolation.SANDBOX).refusal():
        pytest.skip("this machine cannot confine code")
    tournament = tournament_of(registry, teams=2, folder=tmp_path, isolation=Isolation.SANDBOX)
    walk = Walk()
    try:
        with Store(tmp_path) as store, closing(InlineExecutor()) as executor:
            run_tournament(tournament, store, executor, walk.tell)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    assert walk.matches == 2
    assert len(walk.take_it) <= MOST_THAT_TAKE_IT, sorted(walk.take_it)
    assert len(walk.called) <= MOST_THAT_ARE_CALLED, sorted(walk.called)
