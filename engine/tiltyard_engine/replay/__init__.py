"""How a match is recorded, in one form for every game, so that every viewer can show every game.

A GameManager gets a recorder with its match and says what each round changed. What it recorded is a replay: a start board, panels
or both, then a frame for each round. How it looks is the game's own matter: a theme says that.

Nothing here knows a game, a file format or a screen. It may import the engine's errors, nothing else of the engine.

- ``replay``: frames, replays, themes and recorders. Begin here.
- ``panels``: what a frame shows besides a board, or instead of one.

Others import from this package what ``replay`` has.
"""

from tiltyard_engine.replay.replay import (
    SHAPES,
    FigureStyle,
    Frame,
    LogError,
    NullRecorder,
    Recorder,
    Replay,
    ReplayRecorder,
    SquareStyle,
    Theme,
    board_problem,
    changes_problem,
)

__all__ = [
    "SHAPES",
    "FigureStyle",
    "Frame",
    "LogError",
    "NullRecorder",
    "Recorder",
    "Replay",
    "ReplayRecorder",
    "SquareStyle",
    "Theme",
    "board_problem",
    "changes_problem",
]
