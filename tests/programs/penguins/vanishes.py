from honest import State, play


def cheat(state: State) -> None:
    row, column = state.own()[0]
    state.cells[row][column] = "00"


play("vanishes", movement=cheat)
