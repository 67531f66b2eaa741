from __future__ import annotations

import pytest
from tests.made_specs import made_spec, spec_with

from tiltyard_engine.errors import UserError
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, MANAGER
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.registry.finder import Finder
from tiltyard_simulator.replays.files import record_replay
from tiltyard_viewer.command.live_match import LiveMatch


@pytest.fixture(scope="module")
def spec() -> MatchSpec:
    found = Registry.installed()
    algorithms = tuple(found.find(ALGORITHM, name).reference for name in ("acorn", "bramble"))
    source = Finder(found).map("back-yard", "tanks")
    return made_spec(
        game=Finder(found).game("tanks"),
        manager=found.find(MANAGER, "reference").reference,
        map=source,
        teams=algorithms,
        replay=True,
    )


def test_frames_are_those_of_the_recorded_match(spec: MatchSpec) -> None:
    live = LiveMatch("tanks", spec)
    assert live.started()
    frames = list(live.frames())
    recorded = play_match(spec)
    replay = record_replay(recorded)
    assert replay is not None
    assert frames == replay.frames
    assert live.replay.squares == replay.squares
    assert live.replay.message == recorded.outcome.message


def test_a_match_that_cannot_be_set_up_is_an_error(spec: MatchSpec) -> None:
    broken = spec_with(spec, map=MapSource("broken", b"no map"))
    with pytest.raises(UserError, match="expected 'MaxSteps"):
        LiveMatch("tanks", broken).started()
