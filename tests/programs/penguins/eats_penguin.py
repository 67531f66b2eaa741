from honest import State, play


def cheat(state: State) -> None:
    state.move((4, 5), (2, 5))


play("eats_penguin", movement=cheat)
