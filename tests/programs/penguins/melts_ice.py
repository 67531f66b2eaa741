from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.cells[2][3] = "00"


play("melts_ice", movement=cheat)
