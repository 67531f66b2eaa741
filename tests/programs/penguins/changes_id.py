from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.row[0] = "somebody"


play("changes_id", movement=cheat)
