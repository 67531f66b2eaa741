"""A program as students write it: it moves the first Zombie, Builder or Miner that can go one step forward. Knows no danger.

The others beside it do one thing differently; they import it.
"""

from __future__ import annotations

import sys


def read(path: str) -> list[list[str]]:
    """The nine lines."""
    with open(path) as file:
        return [list(line) for line in file.read().split()]


def move(colour: str, rows: list[list[str]]) -> None:
    """Make the move on the board itself."""
    step = -1 if colour == "white" else 1
    pieces = "ZBM" if colour == "white" else "zbm"
    for piece in pieces:
        for y in range(9):
            for x in range(9):
                if rows[y][x] == piece and 0 <= y + step < 9 and rows[y + step][x] == ".":
                    rows[y][x], rows[y + step][x] = ".", piece
                    return


def text_of(rows: list[list[str]], end: str = "\n") -> str:
    """The file."""
    return "".join("".join(row) + end for row in rows)


def main() -> None:
    """Play as asked."""
    if sys.argv[1] == "name":
        print("Honest")
        return
    rows = read(sys.argv[2])
    move(sys.argv[1], rows)
    with open(sys.argv[3], "w") as file:
        file.write(text_of(rows))


if __name__ == "__main__":
    main()
