from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.cells = [row[:-1] for row in state.cells]
    state.columns -= 1


play("resizes", movement=cheat)
