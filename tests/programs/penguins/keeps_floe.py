from honest import State, play


def cheat(state: State) -> None:
    (row, column), target = state.moves()[0]
    state.move((row, column), target)
    state.cells[row][column] = "10"


play("keeps_floe", movement=cheat)
