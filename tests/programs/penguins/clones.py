from honest import State, play


def cheat(state: State) -> None:
    state.put(state.moves()[0][1])


play("clones", movement=cheat)
