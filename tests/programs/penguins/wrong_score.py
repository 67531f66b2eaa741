from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.row[2] += 1


play("wrong_score", movement=cheat)
