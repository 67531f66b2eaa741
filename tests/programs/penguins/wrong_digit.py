from honest import State, play


def cheat(state: State) -> None:
    (row, column), target = state.moves()[0]
    state.move((row, column), target)
    state.cells[target[0]][target[1]] = "32"


play("wrong_digit", movement=cheat)
