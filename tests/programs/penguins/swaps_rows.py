from honest import State, play


def cheat(state: State) -> None:
    state.move(*state.moves()[0])
    state.players.reverse()


play("swaps_rows", movement=cheat)
