from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.cells[2][5] = "00"


play("takes_penguin_away", movement=cheat)
