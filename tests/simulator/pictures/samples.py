"""A made-up game for the pictures' tests: pieces of two seats, walls, a mine, a token without a style."""

from __future__ import annotations

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme

BLUE, ORANGE = "#0072b2", "#e69f00"

THEME = Theme(
    {
        " ": SquareStyle("  ", "  ", label="empty"),
        "#": SquareStyle("██", "##", "#808080", label="wall", shape="block"),
        "@": SquareStyle("@ ", "@ ", "#d55e00", label="mine & more", shape="mine"),
        "12": SquareStyle("1→", "1>", "#ffffff", BLUE, "tank of 1", "tank", 2, "1", 1),
        "21": SquareStyle("2↗", "2'", "#000000", ORANGE, "tank of 2", "tank", 1, "2", 2),
    },
    (BLUE, ORANGE),
)
SHAPES = ("block", "broken block", "tank", "wreck", "shell", "shells", "mine", "disc", "nothing")


def march(rounds: int, width: int = 8, height: int = 3, seats: tuple[str, ...] = ("ann", "bo")) -> Replay:
    """Seat 1's tank goes along the top row and back to its start; seat 2's stands in the bottom left corner."""
    squares = ["12", *[" "] * (width * height - 1)]
    squares[width : width + 3] = ["#", "@", "?"]
    squares[-width] = "21"
    replay = Replay("ants", width, height, tuple(squares), seats, "a march", "ann won by marching")
    for number in range(1, rounds + 1):
        changes = (((number - 1) % width, " "), (number % width, "12"))
        notes = ("half way",) if number == rounds // 2 else ()
        replay.frames.append(Frame(changes, ("Walk", "Wait"), (float(number), 0.5), notes))
    return replay
