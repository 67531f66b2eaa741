from honest import State, play


def cheat(state: State) -> None:
    state.move((4, 0), (4, 2))


play("swims", movement=cheat)
