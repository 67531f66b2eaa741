"""Replays with panels: the two example games without a board, and made-up ones with one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from tests.made_specs import made_spec

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme
from tiltyard_engine.replay.panels import CardsPanel, PlotPanel, TablePanel, TextPanel
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import MapSource, MatchSpec
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.files import record_replay

FOLDER = Path(__file__).resolve().parents[3] / "docs" / "examples" / "games"
BLUE, ORANGE = "#0072b2", "#e69f00"
THEME = Theme(
    styles={
        " ": SquareStyle(glyph="  ", plain="  ", label="empty"),
        "a": SquareStyle(glyph="a ", plain="a ", label="ant", shape="disc", mark="a", seat=1),
    },
    seat_colors=(BLUE, ORANGE),
)
HOSTILE = "<script>alert(1)</script>\x1b[2J\u202eevil"


@cache
def dilemma() -> MatchSpec:
    """20 rounds of the prisoner's dilemma."""
    return _spec("dilemma", "twenty", b"20", ("tit-for-tat", "probing"))


@cache
def high_card() -> MatchSpec:
    """Five tricks."""
    return _spec("high_card", "five", b"5", ("lowest", "beats"))


def _spec(name: str, map_name: str, data: bytes, teams: tuple[str, ...]) -> MatchSpec:
    found = Registry.from_paths([FOLDER / f"{name}.py"])
    assert not found.failures(), found.failures()
    return made_spec(
        game=found.all(GAME)[0].reference,
        manager=found.all(MANAGER)[0].reference,
        map=MapSource(map_name, data),
        teams=tuple(found.find(ALGORITHM, team).reference for team in teams),
        isolations=(Isolation.INLINE,) * 2,
        replay=True,
    )


@cache
def played(spec: MatchSpec) -> Replay:
    """What is recorded of the match."""
    replay = record_replay(play_match(spec))
    assert replay is not None
    return replay


def theme_of(spec: MatchSpec) -> Theme:
    """The game's own."""
    theme = spec.input.game.load_as(Game).display.theme
    assert theme is not None
    return theme


def every_kind(width: int = 3, height: int = 2) -> Replay:
    """Three rounds with panels of all kinds, texts of strangers among them; without a board if its width is 0."""
    replay = Replay(
        game="ants",
        width=width,
        height=height if width else 0,
        squares=("a", *[" "] * (width * height - 1)) if width else (),
        seats=("ann", "bo"),
        title="meadow",
        message="Tie",
        panels=(TextPanel("news", ["a line", "  and a second"]), CardsPanel("hand", ["7♣", "K♥"], hidden=2, seat=2)),
    )
    walk = (((0, " "), (1, "a")), (), ((1, " "), (2, "a"))) if width else ((), (), ())
    told = (
        (TablePanel("seeds", ["who", "how many"], [["ann", "3"], ["bo", "12"]], row_seats=(1, 2)),),
        (PlotPanel("food", [1, 2.5]), TextPanel("news", [HOSTILE, "x" * 5000], seat=1)),
        (PlotPanel("food", [3, 2.5]), CardsPanel("hand", ["7♣"], hidden=40, seat=2)),
    )
    for changes, panels in zip(walk, told, strict=True):
        replay.frames.append(Frame(changes, ("Walk", "Wait"), (1.0, 0.5), (), panels))
    return replay


def without_panels(replay: Replay) -> Replay:
    """The same match of an older time."""
    return replace(replay, panels=(), frames=[replace(frame, panels=()) for frame in replay.frames])
