"""Everything that is tolerated: fish under penguins, a number of its own choice, spaces, CR, another ID than the name."""

import sys

from honest import State, play


def tidy_not(state: State) -> None:
    state.end = "  \r\n"


def place(state: State) -> bool:
    tidy_not(state)
    is_first = not any(row[0] == state.name for row in state.players)
    free = state.find(lambda text: text == "10")
    if not free or (not is_first and len(state.own()) >= 2):
        return False
    if is_first:
        state.players.append([state.name, 5, 0])
    state.put(free[-1])
    state.cells[free[-1][0]][free[-1][1]] = "15"
    return True


def move(state: State) -> bool:
    tidy_not(state)
    moves = state.moves()
    if not moves:
        return False
    start, (row, column) = moves[-1]
    digit = state.cells[row][column][0]
    state.move(start, (row, column))
    state.cells[row][column] = f"{digit}5"
    return True


if "name" in sys.argv:
    print("quite", "another")
else:
    play("TEAM_NAME_HERE", place, move)
