"""Matches of several games that tests play again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.made_specs import spec_with

from tiltyard_engine.registry import Trust
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.registry.guarded_registry import open_registry
from tiltyard_simulator.registry.isolation_policy import IsolationPolicy

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "games"
CONNECT_FOUR = EXAMPLES / "connect_four.py"
PENGUIN_PROGRAM = Path(__file__).parents[1] / "programs" / "penguins" / "honest.py"


def match_of(game: str, teams: list[str], board: str, *trusted: Path, seed: int = 0) -> MatchSpec:
    """A match of installed teams, or of those in trusted files."""
    policy = IsolationPolicy(None, trust=Trust.from_environment([str(path) for path in trusted]))
    spec = Finder(open_registry(policy)).match(teams, board, None, game)
    return policy.apply(replace(spec, input=replace(spec.input, seed=seed), recording=replace(spec.recording, replay=True)))


def held(spec: MatchSpec, isolation: Isolation) -> MatchSpec:
    """The match with its teams and its GameManager isolated so."""
    return spec_with(spec, isolations=(isolation,) * len(spec.input.teams), manager_isolation=isolation)


def four(one: str = "four-random", other: str = "four-careful") -> MatchSpec:
    """A game of connect four, which the careful one wins."""
    return match_of("connect-four", [one, other], "standard", CONNECT_FOUR)
