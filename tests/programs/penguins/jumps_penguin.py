from honest import State, play


def cheat(state: State) -> None:
    state.move((4, 5), (1, 5))


play("jumps_penguin", movement=cheat)
