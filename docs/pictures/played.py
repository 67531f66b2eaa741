"""Matches of the games in docs/examples, for pictures of their replays."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltyard_engine.records import Game
from tiltyard_engine.registry import Registry
from tiltyard_engine.registry.registry import ALGORITHM, GAME, MANAGER
from tiltyard_engine.replay import Replay, Theme
from tiltyard_simulator.match.isolation import Isolation
from tiltyard_simulator.match.spec import Holding, MapSource, MatchInput, MatchSpec, Recording
from tiltyard_simulator.play.arena import play_match
from tiltyard_simulator.replays.files import record_replay

GAMES = Path(__file__).resolve().parents[1] / "examples" / "games"


def play(file: str, game_map: MapSource, teams: Sequence[str]) -> tuple[Replay, Theme | None]:
    """A match of the game in that file between teams of its own, and how it is shown."""
    registry = Registry.from_paths([GAMES / file])
    game = registry.all(GAME)[0].reference
    record = play_match(
        MatchSpec(
            MatchInput(
                game=game,
                manager=registry.all(MANAGER)[0].reference,
                map=game_map,
                teams=tuple(registry.find(ALGORITHM, name).reference for name in teams),
            ),
            holding=Holding(isolations=(Isolation.INLINE,) * len(teams)),
            recording=Recording(replay=True),
        )
    )
    replay = record_replay(record)
    assert replay is not None
    return replay, game.load_as(Game).display.theme
