from honest import State, play


def cheat(state: State) -> None:
    state.cells[2][5], state.cells[2][4] = "00", "01"


play("moves_other", movement=cheat)
