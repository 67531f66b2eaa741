from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    for row, column in state.own():
        state.cells[row][column] = "07"
    state.row[1] = 7


play("changes_number", movement=cheat)
