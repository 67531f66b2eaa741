from honest import State, play


def cheat(state: State) -> None:
    state.move((4, 5), (1, 1))


play("teleports", movement=cheat)
