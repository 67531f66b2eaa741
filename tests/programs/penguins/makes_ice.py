from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.cells[1][2] = "30"


play("makes_ice", movement=cheat)
