from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.row[1] = 1


play("takes_number", movement=cheat)
