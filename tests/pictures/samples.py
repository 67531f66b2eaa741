"""A made-up game for the pictures' tests: pieces of two seats, walls, a mine, a token without a style."""

from __future__ import annotations

from tiltyard_engine.replay import Frame, Replay, SquareStyle, Theme

BLUE, ORANGE = "#0072b2", "#e69f00"

THEME = Theme(
    styles={
        " ": SquareStyle(glyph="  ", plain="  ", label="empty"),
        "#": SquareStyle(glyph="██", plain="##", foreground="#808080", label="wall", shape="block"),
        "@": SquareStyle(glyph="@ ", plain="@ ", foreground="#d55e00", label="mine & more", shape="mine"),
        "12": SquareStyle(
            glyph="1→", plain="1>", foreground="#ffffff", background=BLUE, label="tank of 1", shape="tank", turn=2, mark="1", seat=1
        ),
        "21": SquareStyle(
            glyph="2↗",
            plain="2'",
            foreground="#000000",
            background=ORANGE,
            label="tank of 2",
            shape="tank",
            turn=1,
            mark="2",
            seat=2,
        ),
    },
    seat_colors=(BLUE, ORANGE),
)
SHAPES = ("block", "broken block", "tank", "wreck", "shell", "shells", "mine", "disc", "nothing")


def march(rounds: int, width: int = 8, height: int = 3, seats: tuple[str, ...] = ("ann", "bo")) -> Replay:
    """Seat 1's tank goes along the top row and back to its start; seat 2's stands in the bottom left corner."""
    squares = ["12", *[" "] * (width * height - 1)]
    squares[width : width + 3] = ["#", "@", "?"]
    squares[-width] = "21"
    replay = Replay(
        game="ants", width=width, height=height, squares=tuple(squares), seats=seats, title="a march", message="ann won by marching"
    )
    for number in range(1, rounds + 1):
        changes = (((number - 1) % width, " "), (number % width, "12"))
        notes = ("half way",) if number == rounds // 2 else ()
        replay.frames.append(Frame(changes, ("Walk", "Wait"), (float(number), 0.5), notes))
    return replay
