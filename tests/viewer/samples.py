"""A made-up game for the viewer's tests: no plugin is needed to draw a board."""

from __future__ import annotations

import re

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")

THEME = Theme(
    styles={
        " ": SquareStyle(glyph="  ", plain="  ", label="empty"),
        "#": SquareStyle(glyph="██", plain="##", foreground="#808080", label="wall"),
        "a0": SquareStyle(glyph="a↑", plain="a^", foreground="#ffffff", background="#0072b2", label="ant facing up"),
        "a1": SquareStyle(glyph="a→", plain="a>", foreground="#ffffff", background="#0072b2", label="ant facing right"),
    },
    seat_colors=("#0072b2", "#e69f00"),
)


def plain(text: str) -> str:
    """Without escape sequences."""
    return ESCAPES.sub("", text)


def walk(rounds: int, width: int = 20, height: int = 4, *, title: str = "a walk", seats: tuple[str, ...] = ("ann", "bo")) -> Replay:
    """An ant that goes round the board, square by square."""
    squares = ["a1", *[" "] * (width * height - 1)]
    replay = Replay(
        game="ants", width=width, height=height, squares=tuple(squares), seats=seats, title=title, message="ann won by walking"
    )
    for number in range(1, rounds + 1):
        changes = (((number - 1) % len(squares), " "), (number % len(squares), "a1"))
        notes = (f"lap {number // 5}",) if number % 5 == 0 else ()
        replay.frames.append(Frame(changes, ("Walk", "Wait"), (float(number), 0.5), notes))
    return replay
