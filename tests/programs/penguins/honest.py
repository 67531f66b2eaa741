"""A program as students write it: one move a call, by the rules. The cheats beside it do one thing more."""

from __future__ import annotations

import os
import sys

# It runs anew for each move, and would take twice as long with what types and paths import.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

Cell = tuple[int, int]


class State:
    """A board file, and whose turn it is."""

    def __init__(self, path: str, name: str) -> None:
        with open(path, encoding="utf-8") as file:
            lines = [line.split() for line in file if line.strip()]
        self.rows, self.columns = int(lines[0][0]), int(lines[0][1])
        self.cells = lines[1 : 1 + self.rows]
        self.players: list[list[Any]] = [[name, int(number), int(score)] for name, number, score in lines[1 + self.rows :]]
        self.name = name
        self.end = "\n"
        """Of every line."""

    @property
    def row(self) -> list[Any]:
        """The own one."""
        return next(row for row in self.players if row[0] == self.name)

    @property
    def number(self) -> int:
        return int(self.row[1])

    def own(self) -> list[Cell]:
        """Where the own penguins stand."""
        return self.find(lambda text: int(text[1]) == self.number)

    def find(self, wanted: Callable[[str], bool]) -> list[Cell]:
        places = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        return [(row, column) for row, column in places if wanted(self.cells[row][column])]

    def place(self) -> bool:
        """On the last floe with one fish."""
        free = self.find(lambda text: text == "10")
        if not free:
            return False
        if not any(row[0] == self.name for row in self.players):
            self.players.append([self.name, len(self.players) + 1, 0])
        self.put(free[-1])
        return True

    def put(self, place: Cell) -> None:
        """A penguin, and take the fish."""
        row, column = place
        self.row[2] += int(self.cells[row][column][0])
        self.cells[row][column] = f"0{self.number}"

    def moves(self) -> list[tuple[Cell, Cell]]:
        found = []
        for row, column in self.own():
            for down, right in ((-1, 0), (0, -1), (0, 1), (1, 0)):
                there = (row + down, column + right)
                while 0 <= there[0] < self.rows and 0 <= there[1] < self.columns and self.is_free(there):
                    found.append(((row, column), there))
                    there = (there[0] + down, there[1] + right)
        return found

    def is_free(self, place: Cell) -> bool:
        text = self.cells[place[0]][place[1]]
        return text[0] != "0" and text[1] == "0"

    def move(self, start: Cell, end: Cell) -> None:
        self.cells[start[0]][start[1]] = "00"
        self.put(end)

    def write(self, path: str) -> None:
        lines = [f"{self.rows} {self.columns}", *(" ".join(row) for row in self.cells)]
        lines += [" ".join(map(str, row)) for row in self.players]
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write("".join(line + self.end for line in lines))


def play(
    name: str,
    placement: Callable[[State], object] | None = None,
    movement: Callable[[State], object] | None = None,
    end: Callable[[str], None] | None = None,
) -> None:
    """One call. ``placement`` and ``movement`` take the place of an honest turn; ``end`` comes after the file is written."""
    words = sys.argv[1:]
    if "name" in words:
        print(name)
        return
    source, target = words[-2:]
    state = State(source, name)
    if words[0] == "phase=placement":
        most = int(words[1].removeprefix("penguins="))
        if placement is not None:
            done = placement(state) is not False
        else:
            done = (not any(row[0] == name for row in state.players) or len(state.own()) < most) and state.place()
    elif movement is not None:
        done = movement(state) is not False
    else:
        moves = state.moves()
        done = bool(moves)
        if moves:
            state.move(*moves[0])
    if not done:
        sys.exit(1)
    state.write(target)
    if end is not None and words[0] == "phase=movement":
        end(target)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    play("honest")
