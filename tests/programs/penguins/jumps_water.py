from honest import State, play


def cheat(state: State) -> None:
    state.move((4, 0), (4, 3))


play("jumps_water", movement=cheat)
