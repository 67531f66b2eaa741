"""The usual match and a generated map in a new Python process, whose sets are in another order.

What it plays comes from its standard input, the result goes to its standard output, both pickled: the two processes are
parts of one test, and run the same code.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from dataclasses import dataclass, replace
from typing import Any, Final

from tiltyard_engine.errors import UserError
from tiltyard_engine.match_record import PlayedMatch
from tiltyard_engine.records import Game, Manager, MapFile
from tiltyard_engine.registry import Reference
from tiltyard_kit.game_check.bench.inline_match import InlineMatch, play_inline

SECONDS: Final = 300
HASH_SEED: Final = "4711"
"""A different one from that of cells, where it is 0; here it is what Python chose, or what the user did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshMatch:
    """The match to play, and whose code plays it."""

    game: Reference
    manager: Reference
    teams: tuple[Reference, ...]
    map: MapFile
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FreshOutcome:
    """What the process found out about the match."""

    record: PlayedMatch
    generated: bytes | None
    """A map made with the default options and the match's seed; None where the game generates none."""


def play_fresh(match: FreshMatch) -> FreshOutcome:
    """Play in a new process.

    Raises:
        UserError: it failed there; says with what.
    """
    environment = {**os.environ, "PYTHONHASHSEED": HASH_SEED, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", f"from {__name__} import main; main()"]
    process = subprocess.run(command, input=pickle.dumps(match), env=environment, capture_output=True, timeout=SECONDS, check=False)
    if process.returncode:
        lines = process.stderr.decode("utf-8", "backslashreplace").strip().splitlines() or [f"exit status {process.returncode}"]
        raise UserError(f"another process cannot play the same match: {lines[-1]}")
    outcome: FreshOutcome = pickle.loads(process.stdout)  # noqa: S301 -- from the same code
    return outcome


def main() -> None:
    """Play in the new process what its standard input says."""
    match: FreshMatch = pickle.load(sys.stdin.buffer)  # noqa: S301 -- from the process that started this one
    channel = os.fdopen(os.dup(1), "wb")
    # Whatever the game prints.
    os.dup2(2, 1)
    game: Game[Any] = match.game.load_as(Game)
    run = play_inline(
        InlineMatch(
            game=game,
            manager=match.manager.load_as(Manager),
            map=match.map,
            teams=[team.load_team() for team in match.teams],
            seed=match.seed,
        )
    )
    generate = game.maps.generate
    generated = None if generate is None else generate(game.maps.options(), match.seed, len(match.teams))
    record = replace(run.record, faults=tuple(replace(fault, traceback="") for fault in run.record.faults))
    with channel:
        pickle.dump(FreshOutcome(record=record, generated=generated), channel)
