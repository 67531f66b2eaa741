"""Panels that a GameManager in a cell records are those that it records inline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.made_records import changed
from tests.simulator.guard.managers.managing import compared, held
from tests.simulator.replays.panel_games import dilemma, high_card, played

from tiltyard_checks.runs.verification import compare
from tiltyard_engine.replay.panels import TextPanel
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MatchSpec
from tiltyard_simulator.play.arena import Arena
from tiltyard_simulator.replays.files import record_replay
from tiltyard_viewer.command.live_match import LiveMatch


@pytest.fixture(scope="module")
def arena() -> Iterator[Arena]:
    with Arena() as open_arena:
        yield open_arena


@pytest.mark.parametrize("spec", [dilemma(), high_card()], ids=["dilemma", "high-card"])
def test_they_are_the_same_as_inline_and_as_in_a_match_that_is_watched(arena: Arena, spec: MatchSpec) -> None:
    inline = arena.play(spec)
    replay = record_replay(inline)
    assert replay is not None
    assert replay.panels
    assert compared(arena.play(held(spec, Isolation.PROCESS))) == compared(inline)
    live = LiveMatch(spec.input.game.name, spec)
    assert live.started()
    assert list(live.frames()) == played(spec).frames
    assert live.replay.panels == replay.panels


def test_two_runs_that_show_other_panels_are_not_the_same(arena: Arena) -> None:
    one = arena.play(dilemma())
    replay = record_replay(one)
    assert replay is not None
    assert compare(one, one) is None
    frames = [*replay.frames[:6], replace(replay.frames[6], panels=(TextPanel("news", "other"),)), *replay.frames[7:]]
    found = compare(one, changed(one, replay=replace(replay, frames=frames)))
    assert found is not None
    assert (found.difference.round, found.difference.kinds) == (7, ("panels",))
