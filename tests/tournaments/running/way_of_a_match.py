"""Play two matches in sandboxes, and print through which files the second one went: for a process of its own, as a profile slows
down and disturbs all that comes after it."""

from __future__ import annotations

import json
import sys
import threading
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any, Final

from tests.tournaments.running.made_runs import tournament_of

from tiltyard_engine.match_record import Evidence, MatchRecord, Outcome
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchInput, MatchSpec
from tiltyard_simulator.play.executor import InlineExecutor
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy
from tiltyard_tournaments.running.run import run_tournament
from tiltyard_tournaments.store import Store

HOST: Final = ("tiltyard_engine", "tiltyard_simulator", "tiltyard_tournaments")
LIKE_THE_LIBRARY: Final = "tiltyard_engine/data_classes/__init__.py"
"""Where records are compared, as ``dataclasses`` would do it: nobody reads it on a match's way."""


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
        if name == LIKE_THE_LIBRARY:
            return
        self.called.add(name)
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        if any(
            isinstance(frame.f_locals.get(argument), MatchSpec | MatchInput | MatchRecord | Outcome | Evidence)
            for argument in arguments
        ):
            self.take_it.add(name)


def main(folder: Path) -> None:
    """Play in a folder, and print what the walk saw."""
    tournament = tournament_of(open_registry(IsolationPolicy()), teams=2, folder=folder, isolation=Isolation.SANDBOX)
    walk = Walk()
    with Store(folder) as store, closing(InlineExecutor()) as executor:
        run_tournament(tournament, store, executor, walk.tell)
    print(json.dumps({"matches": walk.matches, "take it": sorted(walk.take_it), "called": sorted(walk.called)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
